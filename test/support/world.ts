// A runtime with a clock and randomness that the test controls, and scripted tools.

import {
  createFaultline,
  fault,
  type FaultCode,
  type FaultDetail,
  FaultError,
  type Faultline,
  type FaultlineOptions,
  type Interactor,
  type JournalEvent,
  openJournal,
  type Outcome,
  type RunContext,
  type Tool,
  tool,
  type ToolOptions,
} from "../../src/index.ts";
import { systemClock } from "../../src/host/clock.ts";
import { createFakeClock, type FakeClock } from "../../src/testing/fake-clock.ts";
import { createSeededChance } from "../../src/testing/seeded-chance.ts";

export interface World {
  readonly fl: Faultline;
  readonly clock: FakeClock;
  /** What happened outside sessions, oldest first. */
  readonly events: () => readonly JournalEvent[];
}

export const START_AT = 1_000_000;

export function world(options: FaultlineOptions = {}): World {
  const clock = createFakeClock(START_AT);
  const fl = createFaultline({ clock, chance: createSeededChance(1), ...options });
  return { fl, clock, events: () => fl.recent().map(({ event }) => event) };
}

/** One life of a program whose journal is a real file: from its start to its end. */
export async function liveOnDisk(
  journalFile: string,
  now: number,
  options: FaultlineOptions,
  body: (here: World) => Promise<void>,
): Promise<void> {
  const clock = createFakeClock(now, (next) => systemClock.soon(next));
  const journal = await openJournal(journalFile);
  const fl = createFaultline({ clock, chance: createSeededChance(now), journal, ...options });
  await fl.ready();
  await body({ fl, clock, events: () => fl.recent().map(({ event }) => event) });
  await fl.close();
}

/** One call after the other, each to its end. */
export async function callTimes(
  { fl, clock }: World,
  called: Tool<string, string>,
  times: number,
): Promise<readonly Outcome<string>[]> {
  const outcomes: Outcome<string>[] = [];
  for (let made = 0; made < times; made++) outcomes.push(await clock.runUntil(fl.protect(called, "x")));
  return outcomes;
}

export function failure(code: FaultCode, detail: FaultDetail = {}): FaultError {
  return new FaultError(fault(code, { message: `${code} on purpose`, ...detail }));
}

/** What a tool may declare besides its id and what it does. */
export type More = Omit<ToolOptions<string, string>, "id" | "run">;

export interface Scripted {
  readonly tool: Tool<string, string>;
  /** The numbers of its attempts, in order. */
  readonly runs: number[];
}

/** Throws what is next in the list, works where that is undefined or the list is over, and returns `id:input`. */
export function scripted(id: string, failures: Iterable<unknown>, more: More = {}): Scripted {
  const runs: number[] = [];
  const rest = failures[Symbol.iterator]();
  const made = tool<string, string>({
    idempotent: true,
    ...more,
    id,
    run: (input, { attempt }) => {
      runs.push(attempt);
      const next = rest.next();
      const thrown: unknown = next.done === true ? undefined : next.value;
      if (thrown instanceof Error) throw thrown;
      return `${id}:${input}`;
    },
  });
  return { tool: made, runs };
}

/** Always fails in the same way. */
export function broken(id: string, code: FaultCode = "ToolUnavailable", more: More = {}): Scripted {
  return scripted(id, again(failure(code)), more);
}

function* again<T>(value: T): Generator<T, never> {
  for (;;) yield value;
}

export interface HeldRun {
  readonly input: string;
  readonly context: RunContext;
  readonly startedAt: number;
  readonly answer: (value: string) => void;
  readonly fail: (error: unknown) => void;
}

export interface Held {
  readonly tool: Tool<string, string>;
  /** One for each attempt that was started. */
  readonly runs: HeldRun[];
  run(index: number): HeldRun;
}

/** Answers when the test says so. */
export function held(id: string, clock: FakeClock, more: More = {}): Held {
  const runs: HeldRun[] = [];
  const made = tool<string, string>({
    idempotent: true,
    timeoutMs: 24 * 3_600_000,
    ...more,
    id,
    run: (input, context) =>
      new Promise((answer, fail) => void runs.push({ input, context, startedAt: clock.now(), answer, fail })),
  });
  const run = (index: number): HeldRun => {
    const found = runs.at(index);
    if (found === undefined) throw new Error(`${id} was not started ${index + 1} times`);
    return found;
  };
  return { tool: made, runs, run };
}

/** A person who is asked and does not answer. */
export function silent(): Interactor & { readonly shown: AbortSignal[] } {
  const shown: AbortSignal[] = [];
  return {
    name: "silent",
    shown,
    answer: (_question, signal) =>
      new Promise((_resolve, reject) => {
        shown.push(signal);
        signal.addEventListener("abort", () => reject(signal.reason as Error));
      }),
  };
}
