// The process in which runs wait: `node --expose-gc workflow-waiting-child.ts <job as JSON>`, one job, one answer over IPC.
// `fill` starts runs until they wait and measures their memory; `wake` finds them as a new process would, and wakes some.

import { DatabaseSync } from "node:sqlite";
import { setImmediate as turn } from "node:timers/promises";
import { classify, fault, FaultError, type Journal, openJournal, tool } from "../src/index.ts";
import { createWorkflows, defineWorkflow, stage, type Workflow, type Workflows } from "../src/workflow/index.ts";
import { appendAgain, entriesIn, recording } from "./workflow-recording.ts";

export type WaitingJob =
  | { readonly kind: "fill"; readonly file: string; readonly runs: number }
  | {
      readonly kind: "wake";
      readonly file: string;
      readonly floorFile: string;
      readonly runs: number;
    };

export interface Filled {
  readonly gate: Weight;
  readonly parked: Weight;
}

/** Of one run. */
export interface Weight {
  readonly heapBytes: number;
  readonly rssBytes: number;
  readonly ms: number;
}

export interface Woken {
  /** From the start of the process until all its code is loaded. */
  readonly loadedMs: number;
  /** From there until the driver knew of all that is due, the journal opened included. */
  readonly knownMs: number;
  readonly knownFloorMs: number;
  /** From the first answer to the end of the last of them. */
  readonly wokenMs: number;
  readonly wokenFloorMs: number;
  readonly entries: number;
}

export type WaitingReply = { readonly value: Filled | Woken } | { readonly failed: string };

const SIDE_BY_SIDE = 16;
const DAY_MS = 24 * 3_600_000;
const loadedMs = performance.now();

const atGate = defineWorkflow({
  id: "gate",
  stages: {
    ask: stage({
      act: async (_request, { ask }) => ask({ payload: { kind: "Confirm", prompt: "Go on?" }, timeoutMs: DAY_MS }),
    }),
  },
});

const limited = tool<null, null>({
  id: "limited",
  run: () => {
    throw new FaultError(fault("QuotaExhausted", { message: "used up", resetAt: Date.now() + DAY_MS }));
  },
});

const parked = defineWorkflow({
  id: "parked",
  stages: {
    call: stage({
      act: async (_request, { turn: attempt }) => {
        const outcome = await attempt.protect(limited, null);
        if ("fault" in outcome) throw new FaultError(outcome.fault);
        return null;
      },
    }),
  },
});

async function fill({ file, runs }: Extract<WaitingJob, { kind: "fill" }>): Promise<Filled> {
  const workflows = createWorkflows({ journal: await openJournal(file), workflows: [atGate, parked] });
  const waiting = waitsFor("paused");
  const driver = workflows.driver({ maxRuns: SIDE_BY_SIDE, onAdvanced: waiting.saw });
  driver.start();
  const add = async (workflow: Workflow, count: number): Promise<void> => {
    const all = waiting.next(count);
    for (let left = count; left > 0; left -= SIDE_BY_SIDE) {
      const some = Math.min(left, SIDE_BY_SIDE);
      await Promise.all(Array.from({ length: some }, () => workflows.runs.start(workflow)));
      driver.poke();
    }
    await all;
  };
  const weigh = async (workflow: Workflow): Promise<Weight> => {
    const [before, startedAt] = [await memory(), performance.now()];
    await add(workflow, runs);
    const ms = (performance.now() - startedAt) / runs;
    const after = await memory();
    return { heapBytes: (after.heap - before.heap) / runs, rssBytes: (after.rss - before.rss) / runs, ms };
  };
  // Objects that are created once, and code that is compiled once it is hot.
  for (const workflow of [atGate, parked]) await add(workflow, WARM_UP);
  const weights = { gate: await weigh(atGate), parked: await weigh(parked) };
  await driver.stop();
  await workflows.close();
  return weights;
}

const WARM_UP = 200;

async function wake({ file, floorFile, runs }: Extract<WaitingJob, { kind: "wake" }>): Promise<Woken> {
  const startedAt = performance.now();
  const known = Promise.withResolvers<number>();
  const { journal, take } = recording(lookedAt(await openJournal(file), () => known.resolve(performance.now())));
  const workflows = createWorkflows({ journal, workflows: [atGate, parked] });
  const over = waitsFor("completed");
  const driver = workflows.driver({ maxRuns: SIDE_BY_SIDE, onAdvanced: over.saw });
  driver.start();
  const knownMs = (await known.promise) - startedAt;
  const questions = (await journal.keptAll("question")).slice(0, runs);
  take();
  const all = over.next(questions.length);
  const wokenAt = performance.now();
  await answer(workflows, questions);
  driver.poke();
  await all;
  const wokenMs = performance.now() - wokenAt;
  const portions = take();
  await driver.stop();
  await workflows.close();
  const floor = await openJournal(floorFile);
  const floorAt = performance.now();
  await appendAgain(floor, portions, SIDE_BY_SIDE);
  const wokenFloorMs = performance.now() - floorAt;
  await floor.close();
  const knownFloorMs = bareLook(file);
  return { loadedMs, knownMs, knownFloorMs, wokenMs, wokenFloorMs, entries: entriesIn(portions) };
}

async function answer({ runs }: Workflows, questions: readonly { readonly key: string }[]): Promise<void> {
  await Promise.all(questions.map(({ key }) => runs.answer(key, { status: "accepted", value: true })));
}

/** The first time a driver has read when runs are due. */
function lookedAt(journal: Journal, seen: () => void): Journal {
  return {
    ...journal,
    async keptByTime(kind, query) {
      const kept = await journal.keptByTime(kind, query);
      if (kind === "wake") seen();
      return kept;
    },
  };
}

/** The same rows read by hand. */
function bareLook(file: string): number {
  const startedAt = performance.now();
  const db = new DatabaseSync(file);
  const rows = db.prepare("SELECT key, value FROM kept WHERE kind = 'wake'").all();
  for (const { value } of rows) JSON.parse(String(value));
  const ms = performance.now() - startedAt;
  db.close();
  return ms;
}

interface Waits {
  readonly saw: (end: { readonly status: string }) => void;
  /** Resolves when so many more have come to that. */
  readonly next: (count: number) => Promise<void>;
}

function waitsFor(status: string): Waits {
  let left = 0;
  let resolve: () => void = () => undefined;
  return {
    saw(end) {
      if (end.status === status && --left === 0) resolve();
    },
    next(count) {
      left = count;
      return new Promise((done) => (resolve = done));
    },
  };
}

async function memory(): Promise<{ readonly heap: number; readonly rss: number }> {
  for (let i = 0; i < 5; i++) {
    globalThis.gc?.();
    await turn();
  }
  const { heapUsed, rss } = process.memoryUsage();
  return { heap: heapUsed, rss };
}

const job = JSON.parse(process.argv[2] ?? "") as WaitingJob;
try {
  process.send?.({ value: await (job.kind === "fill" ? fill(job) : wake(job)) });
} catch (error) {
  process.send?.({ failed: classify({ surface: "node", error }).message });
}
