// What the campaign counts, from the journal and from the files that effects and workers wrote.

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Entry, Journal } from "../../../../src/index.ts";

export interface ScaleCounts {
  readonly runs: number;
  readonly entries: number;
  readonly effects: number;
  /** Cut off by a kill: nobody knows whether they happened, and they were not repeated. */
  readonly interrupted: number;
  readonly effectsTwice: number;
  readonly runsLost: number;
  readonly acknowledged: number;
  readonly acknowledgedLost: number;
  /** The longest time between two entries of a run that did not wait for a time. */
  readonly longestGapMs: number;
}

const NODES = ["a", "b", "c"] as const;

interface RunFacts {
  readonly problems: readonly string[];
  readonly entries: number;
  readonly interrupted: number;
  readonly gapMs: number;
}

export async function checkRuns(
  journal: Journal,
  ids: readonly string[],
  folder: string,
): Promise<{ readonly counts: ScaleCounts; readonly problems: readonly string[] }> {
  const happened = new Map<string, number>();
  for (const line of linesOf(join(folder, "effects"))) happened.set(line, (happened.get(line) ?? 0) + 1);
  const facts: RunFacts[] = [];
  const last = new Map<string, number>();
  for (const run of ids) {
    const entries: Entry[] = [];
    for await (const entry of journal.read(run)) entries.push(entry);
    last.set(run, entries.at(-1)?.seq ?? 0);
    facts.push(checkRun(run, entries, happened));
  }
  const twice = [...happened].filter(([, times]) => times > 1).map(([line]) => `effect twice: ${line}`);
  const acknowledged = readdirSync(folder)
    .filter((name) => name.startsWith("acknowledged-"))
    .flatMap((name) => linesOf(join(folder, name)));
  const lost = acknowledged.filter((line) => {
    const [run = "", seq = ""] = line.split(" ");
    return last.has(run) && Number(seq) > (last.get(run) ?? 0);
  });
  const { firstBad } = await journal.verify();
  const problems = [
    ...facts.flatMap((one) => one.problems),
    ...twice,
    ...lost.map((line) => `acknowledged, but not there: ${line}`),
    ...(firstBad === null ? [] : [`the journal is damaged: ${JSON.stringify(firstBad)}`]),
  ];
  const sum = (of: (one: RunFacts) => number): number => facts.reduce((total, one) => total + of(one), 0);
  return {
    problems,
    counts: {
      runs: ids.length,
      entries: sum(({ entries }) => entries),
      effects: [...happened.values()].reduce((total, times) => total + times, 0),
      interrupted: sum(({ interrupted }) => interrupted),
      effectsTwice: twice.length,
      runsLost: facts.filter((one) => one.problems.length > 0).length,
      acknowledged: acknowledged.length,
      acknowledgedLost: lost.length,
      longestGapMs: Math.max(0, ...facts.map(({ gapMs }) => gapMs)),
    },
  };
}

function checkRun(run: string, entries: readonly Entry[], happened: ReadonlyMap<string, number>): RunFacts {
  const ends = entries.filter(({ event }) => event.type === "run-ended");
  const status = ends[0]?.event.type === "run-ended" ? ends[0].event.status : "none";
  const interrupted = entries.filter(
    ({ event }) => event.type === "call-failed" && event.fault.code.startsWith("Interrupt"),
  ).length;
  const missing = NODES.filter((node) => !happened.has(`${run} ${node}`));
  const isGapless = entries.every(({ seq }, index) => seq === index + 1);
  let gapMs = 0;
  const begun = entries.findIndex(({ event }) => event.type === "node-started");
  for (let index = begun + 1; index < entries.length; index++) {
    const [before, after] = [entries[index - 1], entries[index]];
    if (before === undefined || after === undefined || before.event.type === "run-paused") continue;
    gapMs = Math.max(gapMs, after.at - before.at);
  }
  return {
    entries: entries.length,
    interrupted,
    gapMs,
    problems: [
      ...(ends.length === 1 && status === "completed" ? [] : [`${run} ended ${ends.length} times: ${status}`]),
      ...(missing.length <= interrupted ? [] : [`${run}: no effect of ${missing.join(", ")}, and no call was cut off`]),
      ...(isGapless ? [] : [`${run} has a gap in its numbers`]),
    ],
  };
}

/** A line that a kill cut off was not acknowledged. */
function linesOf(file: string): readonly string[] {
  return existsSync(file) ? readFileSync(file, "utf8").split("\n").slice(0, -1) : [];
}
