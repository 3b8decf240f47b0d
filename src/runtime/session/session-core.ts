// What the turns and calls of one session share: its folded state, its recorder, its budget and its cancel scope.

import { classify } from "../../core/classify/classify.ts";
import { fault, type Fault, FaultError } from "../../core/fault/fault.ts";
import type { CallState } from "../../core/flow/call.ts";
import type { JournalEvent } from "../../core/record/event.ts";
import type { SessionState } from "../../core/record/replay.ts";
import type { Clock, Moment } from "../../host/clock.ts";
import type { Keep } from "../../journal/journal.ts";
import type { Binding, Bindings } from "../tool/binding.ts";
import type { Budget } from "../budget.ts";
import { dropQuestion } from "../call/ask.ts";
import type { SharedCallOptions } from "../call/calls.ts";
import { CallRun } from "../call/loop.ts";
import type { Engine } from "../engine.ts";
import { keptCallKey } from "../call/live-call.ts";
import { failedOutcome, handedOut, isUndecided, type Outcome } from "../call/outcome.ts";
import { type Scope, scopeWithin } from "../scope.ts";
import type { SessionRecorder } from "./session-recorder.ts";
import type { AnyTool, ChainRequest } from "../tool/tool.ts";
import { nodeCrypto } from "../../host/builtin.ts";
import { tryRead } from "../../core/try-read.ts";
import { AsyncLocalStorage } from "node:async_hooks";

/** Where a call of a session belongs, and what ends it. */
export interface CallPlace {
  /** Empty outside turns. */
  readonly turn: string;
  /** The stage that the turn is an attempt of; null for a turn of the program's own. */
  readonly stage: string | null;
  readonly scope: Scope;
  readonly deadline: Moment;
  readonly deadlineCode: "TurnTimeout" | "RunTimeout";
}

interface SessionCall {
  readonly call: string;
  readonly tool: AnyTool;
  readonly input: unknown;
}

interface SessionParts {
  readonly engine: Engine;
  readonly state: SessionState;
  readonly recorder: SessionRecorder;
  readonly budget: Budget;
  readonly scope: Scope;
  readonly bindings: Bindings;
  /** No person is present. */
  readonly headless: boolean;
}

export class SessionCore implements Omit<SessionParts, "bindings"> {
  readonly engine: Engine;
  readonly state: SessionState;
  readonly recorder: SessionRecorder;
  readonly budget: Budget;
  readonly scope: Scope;
  readonly headless: boolean;
  /** Turns in which a person wants interrupted work to run again. */
  readonly repeatInterrupted = new Set<string>();
  readonly #bindings: Bindings;
  readonly #live = new Map<string, CallRun>();
  readonly #whenIdle: (() => void)[] = [];
  readonly #whenAnyEnds: (() => void)[] = [];
  readonly #refused = new Map<string, Fault>();

  constructor({ engine, state, recorder, budget, scope, bindings, headless }: SessionParts) {
    this.engine = engine;
    this.state = state;
    this.recorder = recorder;
    this.budget = budget;
    this.scope = scope;
    this.#bindings = bindings;
    this.headless = headless;
  }

  get clock(): Clock {
    return this.engine.clock;
  }

  bind(tool: AnyTool): Binding {
    return this.#bindings.bind(tool);
  }

  record(...events: readonly JournalEvent[]): Promise<void> {
    return this.recorder.record(events, [], this.clock.now());
  }

  keep(keeps: readonly Keep[]): Promise<void> {
    return this.recorder.record([], keeps, this.clock.now());
  }

  /** Never rejects: every failure, also of the store, becomes an outcome. */
  async call(place: CallPlace, work: SessionCall, options: SharedCallOptions): Promise<Outcome<unknown>> {
    const outcome = await this.#call(place, work, options);
    if (isUndecided(outcome)) this.#refused.set(place.turn, outcome.fault);
    return outcome;
  }

  async #call(place: CallPlace, work: SessionCall, options: SharedCallOptions): Promise<Outcome<unknown>> {
    const { call } = work;
    const { recorder, budget, headless } = this;
    const inSession = (): CallState | null => this.state.calls.get(call) ?? null;
    const digest = digestOf(work.input);
    const refused = this.#refusal(work, digest);
    if (refused !== null) return failedOutcome(call, refused);
    const { scope, leave } =
      options.signal === undefined ? { scope: place.scope, leave: null } : scopeWithin(place.scope, options.signal);
    try {
      const binding = this.bind(work.tool);
      const run = new CallRun(this.engine, {
        ...place,
        binding,
        input: inSession()?.inputReplaced === true ? await this.#replacedInput(work) : work.input,
        call,
        digest,
        recorder,
        budget,
        scope,
        offers: binding.offers,
        optional: options.optional ?? false,
        fallbackValue: "default" in options ? { value: options.default } : null,
        inSession,
        mayRepeat: this.repeatInterrupted.has(place.turn),
        headless,
      });
      this.#live.set(call, run);
      return await inside(this.state.session, `call ${call}`, () => run.run());
    } catch (error) {
      const seen = classify({ surface: "node", error, observedAt: this.clock.now() });
      return handedOut(failedOutcome(call, seen), error, this.recorder.redactor);
    } finally {
      leave?.();
      this.#live.delete(call);
      for (const resolve of this.#whenAnyEnds.splice(0)) resolve();
      if (this.#live.size === 0) for (const resolve of this.#whenIdle.splice(0)) resolve();
    }
  }

  /** Resolves when no call runs any more. */
  async idle(): Promise<void> {
    if (this.#live.size > 0) await new Promise<void>((resolve) => void this.#whenIdle.push(resolve));
  }

  /** The journal has its first event. */
  hasBegun(call: string): boolean {
    return this.state.calls.has(call);
  }

  /** Resolves when no call of this turn runs any more. */
  async idleIn(turn: string): Promise<void> {
    while ([...this.#live.values()].some(({ request }) => request.turn === turn)) {
      await new Promise<void>((resolve) => void this.#whenAnyEnds.push(resolve));
    }
  }

  /** Removes the open questions of this turn's calls, or of the whole session: their answers are no longer needed. */
  dropQuestions(turn: string | null): readonly Keep[] {
    const { calls, asks } = this.state;
    const ofCalls = Array.from(calls.values(), ({ step }) => (step.at === "ask" ? step.question : null));
    const ofPrograms = Array.from(asks.values(), ({ question, answer }) => (answer === null ? question : null));
    return [...ofCalls, ...ofPrograms].flatMap((open): Keep[] =>
      open === null || (turn !== null && open.turn !== turn) ? [] : dropQuestion(open.id),
    );
  }

  /** Why a call of this turn was not resumed; null if all were. Read once, when the turn ends. */
  takeRefusal(turn: string): Fault | null {
    const refused = this.#refused.get(turn) ?? null;
    this.#refused.delete(turn);
    return refused;
  }

  #refusal({ call, tool }: SessionCall, digest: string): Fault | null {
    if (this.#live.has(call)) {
      return fault("EngineState", {
        message: `call ${call} is already running; give each call its own id`,
        context: { call },
      });
    }
    const before = this.state.calls.get(call);
    if (before === undefined || (before.digest === digest && before.tried[0] === tool.id)) return null;
    return fault("ResumeMismatch", {
      message: `call ${call} has another tool or input now than when it was interrupted; resume with the same, or use another id`,
      context: { call, tool: tool.id },
    });
  }

  async #replacedInput({ call, input, tool }: SessionCall): Promise<unknown> {
    const kept = await this.engine.store.kept("input", keptCallKey(this.state.session, call));
    if (typeof kept !== "object" || kept === null || !("value" in kept)) return input;
    return tool.member === null ? kept.value : (input as ChainRequest).revived(kept.value);
  }
}

// A short hash of a value, the same for equal values: a resumed program must make the same calls as before.

export function digestOf(value: unknown): string {
  const text = tryRead(() => JSON.stringify(value, inOrder), undefined);
  return nodeCrypto()
    .hash("sha256", text ?? "undefined")
    .slice(0, 16);
}

/** Sorts keys, so that their order does not matter. A value that is not data, such as a function, counts only by its type. */
function inOrder(_key: string, value: unknown): unknown {
  if (typeof value === "bigint") return `${value}n`;
  if (typeof value === "function") return "[function]";
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)));
}

// Knows whether code runs within a turn or call of a session. Code that waits there until the session is idle would wait for itself.

interface Inside {
  readonly session: string;
  /** `turn t1`, `call c1` */
  readonly what: string;
  /** The turn or call has ended. Code that it started may still run, and then counts as outside. */
  isOver: boolean;
  readonly around: Inside | null;
}

const here = new AsyncLocalStorage<Inside>();

export async function inside<T>(session: string, what: string, run: () => Promise<T>): Promise<T> {
  // Keeps only what still runs: a program may continue for long inside the async context of a finished turn.
  const entered: Inside = { session, what, isOver: false, around: stillRunning(here.getStore() ?? null) };
  try {
    return await here.run(entered, run);
  } finally {
    entered.isOver = true;
  }
}

/** Throws when this method of a session is called from within one of its turns or calls. */
export function refuseInside(session: string, method: keyof typeof INSTEAD): void {
  for (let at = stillRunning(here.getStore() ?? null); at !== null; at = stillRunning(at.around)) {
    if (at.session !== session) continue;
    const message = `session.${method}() would wait for ${at.what} of session ${session}, from within which it was called; ${INSTEAD[method]}`;
    throw new FaultError(fault("EngineState", { message, context: { session, within: at.what } }));
  }
}

const INSTEAD = {
  end: "end the session after it, or stop everything now with session.cancel()",
  leave: "leave the session after it",
  turn: "make the calls with the current turn, or run this turn beside it with { beside: true }",
} as const;

function stillRunning(from: Inside | null): Inside | null {
  let at = from;
  while (at?.isOver === true) at = at.around;
  return at;
}
