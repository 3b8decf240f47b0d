// Who is measured. Each library is loaded only in the process that measures it.
// Faultline plugs in here: its guard, its journal and its resume are the three places marked OURS.

import { existsSync } from "node:fs";
import type { Journal } from "../../src/journal/journal.ts";
import type { Ending, Guarded, Settings, Settled, Subject, Work } from "./subject.ts";

const FULL = { lacks: [], missing: null, limits: {} } as const satisfies Partial<Subject>;

export const SUBJECTS = {
  faultline: {
    ...FULL,
    name: "faultline",
    role: "ours",
    missing: unlessThere("src/index.ts"),
    guard: guardWithFaultline,
  },
  pRetryOpossum: {
    ...FULL,
    name: "p-retry 9 + opossum 10",
    role: "peer",
    guard: async (work, settings) => (await import("./peers/opossum.ts")).guardWithPRetryAndOpossum(work, settings),
  },
  cockatiel: {
    ...FULL,
    name: "cockatiel 4",
    role: "peer",
    // A retry without a wait is a timer of 1 ms; starting a call takes longer the more are in flight.
    limits: { failing: 500, inFlight: 10_000 },
    guard: async (work, settings) => (await import("./peers/cockatiel.ts")).guardWithCockatiel(work, settings),
  },
  effect: {
    ...FULL,
    name: "Effect 4",
    role: "peer",
    lacks: ["breaker"],
    guard: async (work, settings) => (await import("./peers/effect.ts")).guardWithEffect(work, settings),
  },
  pRetry: {
    ...FULL,
    name: "p-retry 9",
    role: "reference",
    lacks: ["breaker", "timeout"],
    guard: async (work, settings) => (await import("./peers/opossum.ts")).guardWithPRetry(work, settings),
  },
  opossum: {
    ...FULL,
    name: "opossum 10",
    role: "peer",
    lacks: ["retry"],
    guard: async (work, settings) => (await import("./peers/opossum.ts")).guardWithOpossum(work, settings),
  },
  cockatielBreaker: {
    ...FULL,
    name: "cockatiel 4",
    role: "peer",
    lacks: ["retry", "timeout"],
    guard: async (work, settings) => (await import("./peers/cockatiel.ts")).guardWithCockatielBreaker(work, settings),
  },
  floor: {
    ...FULL,
    name: "floor, by hand",
    role: "floor",
    guard: async (work, settings) => (await import("./floor.ts")).guardByHand(work, settings),
  },
  /** What is subtracted where a section counts bytes: the work without any guard. */
  bare: {
    ...FULL,
    name: "the work alone",
    role: "reference",
    lacks: ["retry", "breaker", "timeout"],
    guard: (work) => ({ call: () => work(null), endingOf: (settled) => ("error" in settled ? "failed" : "done") }),
  },
} as const satisfies Record<string, Subject>;

export type SubjectId = keyof typeof SUBJECTS;

/** Those with retry, breaker and timeout, or as much of it as they have. */
export const GUARDS: readonly SubjectId[] = ["faultline", "pRetryOpossum", "cockatiel", "effect", "pRetry", "floor"];
/** Those with a breaker. */
export const BREAKERS: readonly SubjectId[] = [
  "faultline",
  "pRetryOpossum",
  "opossum",
  "cockatiel",
  "cockatielBreaker",
  "floor",
];

/** OURS. As planned; becomes an ordinary import once the file is there. */
interface PlannedRuntime {
  readonly createFaultline: (options: Record<string, unknown>) => {
    readonly protect: (tool: unknown, input: unknown) => Promise<unknown>;
  };
  readonly tool: (definition: Record<string, unknown>) => unknown;
}

async function guardWithFaultline(work: Work, settings: Settings): Promise<Guarded> {
  const { createFaultline, tool } = (await import(hrefOf("src/index.ts"))) as PlannedRuntime;
  const fl = createFaultline({});
  const guarded = tool({
    id: "t",
    idempotent: true,
    timeoutMs: settings.timeoutMs,
    retry: { maxAttempts: settings.maxAttempts, baseMs: 0 },
    run: (_input: unknown, context: { readonly signal: AbortSignal }) => work(context),
  });
  return { call: () => fl.protect(guarded, 1), endingOf: faultlineEnding };
}

function faultlineEnding(settled: Settled): Ending {
  if ("error" in settled) return "failed";
  const { status, fault } = settled.value as { readonly status: string; readonly fault?: { readonly code: string } };
  if (status === "done") return "done";
  return fault?.code === "CircuitOpen" ? "refused" : fault?.code === "ExecutionTimeout" ? "timed-out" : "failed";
}

/** OURS. */
export const FAULTLINE_JOURNAL = {
  missing: unlessThere("src/journal/sqlite.ts"),
  open: async (path: string): Promise<Journal> => {
    const { openSqliteJournal } = (await import(hrefOf("src/journal/sqlite.ts"))) as {
      readonly openSqliteJournal: (path: string) => Promise<Journal>;
    };
    return openSqliteJournal(path);
  },
};

/** OURS. Takes up a session whose `events` events are in the journal at `path`, and says how many it folded. Null until there is an API for it. */
export interface ResumeHook {
  /** Writes the session; not measured. */
  readonly prepare: (path: string, session: string, events: number) => Promise<void>;
  readonly resume: (path: string, session: string) => Promise<number>;
}
export const FAULTLINE_RESUME: ResumeHook | null = null;

function unlessThere(file: string): string | null {
  return existsSync(new URL(hrefOf(file))) ? null : `${file} is not there yet`;
}

function hrefOf(file: string): string {
  return new URL(`../../${file}`, import.meta.url).href;
}
