// Observes a row from outside: the run's report, its journal, its files, the provider's log.

import { expect } from "vitest";
import { placeOf } from "../../../src/core/flow/visit.ts";
import type { Entry, JournalEvent } from "../../../src/core/record/event.ts";
import type { RunReport } from "../../../src/workflow/runs-api.ts";
import { DEFAULT_POLICY } from "../../../src/core/policy/matrix.ts";
import { decidedAgain } from "../../support/decided-again.ts";
import { filesOfRun } from "../../../src/workflow/report/run-files.ts";
import { type KeptStage, keptStages } from "./kept-files.ts";
import type { Row, Seen } from "./row.ts";
import { type MatrixWorld, openWorld } from "./world.ts";

export interface Observed {
  readonly seen: Seen;
  readonly world: MatrixWorld;
  readonly report: RunReport;
}

export async function observe(row: Row): Promise<Observed> {
  const world = await openWorld(row);
  const { workflows, workflow, diagnostics } = world.life;
  expect(diagnostics.filter(({ severity }) => severity === "error")).toEqual([]);
  if (workflow === null) throw new Error(`${row.file} could not be read`);
  const run = await world.run(workflows.runs.start(workflow, { inputs: row.inputs ?? {}, run: "the-run" }));
  if (row.goes === undefined) await world.advance(run);
  else await row.goes(world, run);
  const report = await world.run(world.life.workflows.runs.show(run));
  if (report === null) throw new Error(`there is no run ${run}`);
  const entries = await world.entries(run);
  const { different } = decidedAgain(entries, workflow.policy ?? DEFAULT_POLICY);
  expect(different, "every decision can be made again from its entry").toEqual([]);
  const { files } = world.journal;
  if (files === null) throw new Error("the journal keeps no files");
  const stages = await keptStages(report, filesOfRun(files, run));
  return { seen: seenOf(world, report, entries, row, stages), world, report };
}

function seenOf(
  world: MatrixWorld,
  report: RunReport,
  entries: readonly Entry[],
  row: Row,
  stages: readonly KeptStage[],
): Seen {
  const { summary, state, actions } = report;
  const waits = world.appendsAt.length > 0 ? gapsIn(world.appendsAt) : waitsIn(entries);
  const kept = stages.findLast(({ meta }) => meta.node === row.node) ?? null;
  const retries = retriesOf(entries, row.node, kept?.meta.execution ?? 1);
  const fault = state.fault ?? state.visits.findLast((visit) => visit.node === row.node)?.fault ?? null;
  if (kept !== null) {
    const { meta, raw } = kept;
    expect(meta.retries, "what the file says of retries is what the journal says").toEqual(retries);
    if (fault !== null) expect(meta).toMatchObject({ class: fault.class, code: fault.code });
    if (summary.status === "failed") expect(meta.outcome).toBe(summary.outcome);
    expect(raw).toContain(row.raw ?? "");
  }
  const { nominal, jitter } = withoutJitter(waits, row.expected);
  return {
    status: summary.status,
    outcome: summary.outcome,
    fault: fault === null ? null : `${fault.class}/${fault.code}`,
    retries,
    waitsMs: nominal,
    jitter,
    pauses: entries.flatMap(({ event, at }) => (event.type === "node-paused" ? [pauseText(event, at)] : [])),
    asked: countOf([...world.chaos.received().map(({ model }) => model), ...world.started()]),
    way: wayOf(entries),
    files: stages.map(({ meta: { node, execution } }) => `${node}#${execution}`),
    actions: actions.map(({ id }) => id),
    nextAction: kept?.meta.nextAction?.id ?? null,
    says: {
      en: firstClause(kept?.meta.message.en.operator ?? ""),
      zh: firstClause(kept?.meta.message["zh-CN"].operator ?? ""),
    },
  };
}

function firstClause(text: string): string {
  return text.split(/[;；。]|\.(?:\s|$)/)[0] ?? "";
}

/** Of one round of the node. */
function retriesOf(entries: readonly Entry[], node: string, execution: number): Seen["retries"] {
  const turns = new Map<string, string>();
  const calls = new Set<string>();
  let attempts = 0;
  let admitted = 0;
  for (const { event } of entries) {
    if (event.type === "node-started" && event.node === node && event.execution === execution) attempts += 1;
    if (event.type === "call-started") turns.set(event.call, event.turn);
    if (event.type !== "call-admitted") continue;
    const place = placeOf(turns.get(event.call) ?? "");
    if (place?.node !== node || place.execution !== execution) continue;
    calls.add(event.call);
    admitted += 1;
  }
  return { workflow: Math.max(0, attempts - 1), transport: admitted - calls.size };
}

/** From the end of an attempt of a call to the start of its next one. */
function waitsIn(entries: readonly Entry[]): readonly number[] {
  const endedAt = new Map<string, number>();
  return entries.flatMap(({ event, at }) => {
    if (event.type === "call-failed") endedAt.set(event.call, at);
    if (event.type !== "call-admitted") return [];
    const before = endedAt.get(event.call);
    return before === undefined ? [] : [at - before];
  });
}

function gapsIn(instants: readonly number[]): readonly number[] {
  return instants.slice(1).map((at, index) => at - (instants[index] ?? 0));
}

/** Waits within the jitter of the expected ones are replaced by those; others stay and show up as a difference. */
function withoutJitter(
  waits: readonly number[],
  { waitsMs, jitter }: Pick<Seen, "waitsMs" | "jitter">,
): { readonly nominal: readonly number[]; readonly jitter: number } {
  const nominal = waits.map((waitMs, index) => {
    const wanted = waitsMs[index];
    return wanted !== undefined && Math.abs(waitMs - wanted) <= wanted * jitter ? wanted : waitMs;
  });
  const isSpread = waits.some((waitMs, index) => waitMs !== nominal[index]);
  return { nominal, jitter: isSpread ? jitter : 0 };
}

type Paused = Extract<JournalEvent, { readonly type: "node-paused" }>;

function pauseText({ why, wakeAt }: Paused, at: number): string {
  return wakeAt === null ? why : `${why} ${Math.round((wakeAt - at) / 1_000)} s`;
}

function countOf(names: readonly string[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const name of names) counts[name] = (counts[name] ?? 0) + 1;
  return counts;
}

/** How each visit ended, in order of their ends. */
function wayOf(entries: readonly Entry[]): readonly string[] {
  return entries.flatMap(({ event }) => {
    switch (event.type) {
      case "node-completed":
        return [`${event.node}#${event.execution}`];
      case "node-failed":
        return [`${event.node}#${event.execution} failed`];
      case "node-skipped":
        return [`${event.node}#${event.execution} skipped`];
      default:
        return [];
    }
  });
}
