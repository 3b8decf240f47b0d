// The measured subjects. Each library is loaded only in the process that measures it.
// Faultline plugs in here: its guard, its journal and its resume are the three places marked OURS.

import type { Journal } from "../../src/journal/journal.ts";
import type { Outcome } from "../../src/index.ts";
import type { Ending, Guarded, Settings, Settled, Subject, Work } from "./subject.ts";

const FULL = { lacks: [], limits: {} } as const satisfies Partial<Subject>;

export const SUBJECTS = {
  faultline: {
    ...FULL,
    name: "faultline",
    role: "ours",
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

/** OURS. */
async function guardWithFaultline(work: Work, settings: Settings): Promise<Guarded> {
  const { createFaultline, tool } = await import("../../src/index.ts");
  const { DEFAULT_POLICY } = await import("../../src/core/index.ts");
  // The default budget would stop these retries, which is what it is for: here every call fails twice. It counts all the same.
  const policy = { ...DEFAULT_POLICY, retryBudget: { capacity: 1e9, perCall: 0.2, perSecond: 1 } };
  const faultline = createFaultline({ policy });
  const guarded = tool<number, number>({
    id: "work",
    idempotent: true,
    timeoutMs: settings.timeoutMs,
    retry: { maxAttempts: settings.maxAttempts, backoff: { initialMs: 0 } },
    breaker: { failures: settings.failuresToOpen, openMs: settings.openMs, maxOpenMs: settings.openMs },
    run: (_input, context) => work(context),
  });
  return { call: () => faultline.protect(guarded, 1), endingOf: faultlineEnding };
}

const ENDING_OF_FAULT: Partial<Record<string, Ending>> = { CircuitOpen: "refused", ExecutionTimeout: "timed-out" };

function faultlineEnding(settled: Settled): Ending {
  if ("error" in settled) return "failed";
  const outcome = settled.value as Outcome<number>;
  return outcome.status === "done" ? "done" : (ENDING_OF_FAULT[outcome.fault.code] ?? "failed");
}

/** OURS. */
export async function openFaultlineJournal(path: string): Promise<Journal> {
  const { openSqliteJournal } = await import("../../src/journal/sqlite/sqlite-journal.ts");
  return openSqliteJournal(path);
}

/** OURS. Resumes the session in the journal at `path` from its first event, without a snapshot. Returns its number of events. */
export async function resumeWithFaultline(path: string, session: string): Promise<number> {
  const { createFaultline } = await import("../../src/index.ts");
  const journal = await openFaultlineJournal(path);
  const faultline = createFaultline({ journal });
  await faultline.session(session);
  const events = (await journal.session(session))?.lastSeq ?? 0;
  await faultline.close();
  return events;
}
