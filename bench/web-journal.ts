// A journal with as many runs and events as the page is measured with. All of them are real: runs that were carried out, and the same runs
// written again, under other names and at other times, through the journal's own door.

import { join } from "node:path";
import { systemClock } from "../src/host/clock.ts";
import { fault, FaultError, type Journal, openJournal } from "../src/index.ts";
import type { Keep, NewEntry } from "../src/journal/journal.ts";
import { createWorkflows, defineWorkflow, type Workflow, type Workflows } from "../src/workflow/index.ts";
import { type Portion, recording } from "./workflow-recording.ts";

export interface WebJournal {
  readonly file: string;
  /** The run with many events. */
  readonly longRun: string;
}

/** How many runs are written at a time. */
const AT_ONCE = 500;
const MINUTE_MS = 60_000;
/** A visit of a node tells that it starts, of its phases, and that it is done. */
const EVENTS_PER_VISIT = 9;

export async function makeWebJournal(
  folder: string,
  { runs, events }: { readonly runs: number; readonly events: number },
): Promise<WebJournal> {
  const file = join(folder, "journal.db");
  const store = await openJournal(file, { clock: systemClock });
  const { journal, take } = recording(store);
  const library = createWorkflows({ journal });
  const longRun = await runInLoop(library, Math.ceil(events / EVENTS_PER_VISIT));
  take();
  const models: readonly (readonly Portion[])[] = [
    await portionsOf(library, ending("succeeds", null), take),
    await portionsOf(library, ending("loses_its_network", "NetworkDisconnect"), take),
    await portionsOf(library, ending("fails_its_tests", "TestsFailed"), take),
  ];
  await copy(store, models, runs - models.length - 1);
  // The journal is closed with it.
  await library.close();
  return { file, longRun };
}

/** A run that goes round in a loop. */
async function runInLoop(library: Workflows, visits: number): Promise<string> {
  let done = 0;
  const workflow = defineWorkflow({
    id: "goes_round",
    limits: { maxNodes: visits },
    stages: { tick: { act: () => ++done, next: () => (done < visits ? "tick" : null) } },
  });
  const run = await library.runs.start(workflow);
  const { status, fault: why } = await library.runs.advance(run);
  if (status !== "completed") throw new Error(`the run in a loop is ${status}: ${why?.message ?? ""}`);
  return run;
}

function ending(id: string, code: "NetworkDisconnect" | "TestsFailed" | null): Workflow {
  return defineWorkflow({
    id,
    stages: {
      ship: {
        act: () => {
          if (code === null) return "shipped";
          throw new FaultError(fault(code, { message: "3 of 218 checks failed" }));
        },
      },
    },
  });
}

async function portionsOf(
  library: Workflows,
  workflow: Workflow,
  take: () => readonly Portion[],
): Promise<readonly Portion[]> {
  await library.runs.advance(await library.runs.start(workflow));
  return take();
}

async function copy(journal: Journal, models: readonly (readonly Portion[])[], count: number): Promise<void> {
  const texts = models.map(textOf);
  for (let from = 0; from < count; from += AT_ONCE) {
    const size = Math.min(AT_ONCE, count - from);
    await Promise.all(
      Array.from({ length: size }, (_none, at) => {
        const model = texts[(from + at) % texts.length];
        if (model === undefined) throw new Error("there is no run to write again");
        const { session, entries, keeps } = again(model, from + at);
        return journal.append(session, 0, entries, keeps);
      }),
    );
  }
}

interface Model {
  readonly session: string;
  readonly startedAt: number;
  readonly text: string;
}

/** The run as one portion: all its entries, and what is kept about it in the end. */
function textOf(portions: readonly Portion[]): Model {
  const session = portions[0]?.session ?? "";
  const own = portions.filter((portion) => portion.session === session);
  const entries = own.flatMap((portion) => portion.entries);
  const kept = new Map(own.flatMap(({ keeps }) => keeps.map((keep) => [`${keep.kind} ${keep.key}`, keep] as const)));
  const keeps = [...kept.values()].filter(({ value }) => value !== null);
  return { session, startedAt: entries[0]?.at ?? 0, text: JSON.stringify({ entries, keeps }) };
}

/** The same run under another name, a minute before the last one. */
function again({ session, startedAt, text }: Model, index: number): Portion {
  const name = `run-${String(index + 1).padStart(6, "0")}`;
  const isTime = (value: unknown): value is number =>
    typeof value === "number" && value >= startedAt - MINUTE_MS && value < startedAt + 60 * MINUTE_MS;
  const { entries, keeps } = JSON.parse(text.replaceAll(session, name), (_key, value: unknown) =>
    isTime(value) ? value - (index + 1) * MINUTE_MS : value,
  ) as { readonly entries: readonly NewEntry[]; readonly keeps: readonly Keep[] };
  return { session: name, entries, keeps };
}
