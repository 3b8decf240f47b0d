// A turn: calls and plans of calls under one deadline and one cancel switch, and what they came to. It is part of a session, and
// answers from the journal what an earlier process has already done.

import { fault, type Fault, FaultError } from "../../core/fault/fault.ts";
import type { Redactor } from "../../core/fault/redact.ts";
import type { Locale } from "../../core/fault/words/words.ts";
import type { Question, QuestionPayload } from "../../core/flow/interaction.ts";
import { nameFault } from "../../core/flow/name.ts";
import { describeTurn, type Settlement } from "../../core/flow/turn-words.ts";
import type { TurnStatus } from "../../core/record/event.ts";
import { hasJsonForm, noJsonForm } from "../../core/record/preview.ts";
import type { TurnRecord } from "../../core/record/replay.ts";
import { type Calling, Calls, type SharedCallOptions } from "../call/calls.ts";
import { failedOutcome, handedOut, isOpen, type Outcome } from "../call/outcome.ts";
import { askPersonOf, type PersonAnswer } from "./ask-person.ts";
import { MAX_SHOWN_NODES, nodesOf, type OutcomesOf, planDigest, plannedNode, type PlanSteps } from "./plan.ts";
import { checkPlan } from "../../core/flow/plan.ts";
import { endedBy, type Missing, type RoundResult, runRound, type StepEnd } from "./run-round.ts";
import {
  anything,
  checkOptions,
  flag,
  number,
  optionsFault,
  shape,
  signal as signalKind,
  text,
} from "../../options/check-options.ts";
import { cancellation } from "../scope.ts";
import type { CallPlace, SessionCore } from "./session-core.ts";
import type { SessionLimits } from "./session-options.ts";
import type { AnyTool } from "../tool/tool.ts";
import { classifyThrown } from "../../core/classify/classify.ts";

/** Options of one call in a turn. */
export interface CallOptions<Output = unknown> extends SharedCallOptions<Output> {
  /** Names the call within its turn, so that it is found again after a crash. Counted when left out. */
  readonly id?: string;
}

/** Options of a round of steps. */
export interface RunOptions {
  /** How many steps may run at the same time. */
  readonly maxParallel?: number;
}

export const CALL_OPTIONS = shape<CallOptions>({ id: text, optional: flag, default: anything, signal: signalKind });
const ASK_OPTIONS = shape<{ readonly timeoutMs?: number }>({ timeoutMs: number(0) });
const RUN_OPTIONS = shape<RunOptions>({ maxParallel: number(1) });

/** A turn as its body sees it. */
export interface Turn extends Calling<Pick<CallOptions, "id">> {
  readonly id: string;
  /** Epoch milliseconds; Infinity for never. */
  readonly deadlineAt: number;
  /** Why it is over early; null while it is not. */
  readonly cancelled: Fault | null;
  /** Takes out of a text or a value every secret that the session knows. */
  readonly redactor: Redactor;
  /** Something in it waits for a person or a time: it continues when the turn is resumed. */
  readonly isWaiting: boolean;
  /** Runs a plan: one round of tools. */
  run<Steps extends PlanSteps>(steps: Steps, options?: RunOptions): Promise<RoundResult<OutcomesOf<Steps>>>;
  /** Puts a question to a person. `waiting`: no person is present; the body should return, and runs again once the question is answered. `timeoutMs: Infinity` waits without a time limit. */
  ask(name: string, payload: QuestionPayload, options?: { readonly timeoutMs?: number }): Promise<PersonAnswer>;
  cancel(reason?: string): void;
}

export class LiveTurn extends Calls<Pick<CallOptions, "id">> implements Turn {
  readonly #core: SessionCore;
  readonly #place: CallPlace;
  readonly #limits: SessionLimits;
  readonly #record: TurnRecord;
  readonly #outcomes = new Map<string, Outcome<unknown>>();
  readonly #rounds: RoundResult[] = [];
  /** How everything in it ended, by name, for the sentence about the turn. */
  readonly #ends = new Map<string, StepEnd>();
  #calls = 0;
  #round = 0;
  #running = 0;
  /** The program gave it another plan than before it was interrupted. */
  isOtherPlan = false;
  #isClosed = false;
  #whenQuiet: (() => void) | null = null;

  constructor(core: SessionCore, place: CallPlace, limits: SessionLimits, record: TurnRecord) {
    super();
    this.#core = core;
    this.#place = place;
    this.#limits = limits;
    this.#record = record;
  }

  get id(): string {
    return this.#place.turn;
  }

  get deadlineAt(): number {
    return this.#place.deadline.at;
  }

  get cancelled(): Fault | null {
    return this.#place.scope.cancelled;
  }

  get redactor(): Redactor {
    return this.#core.recorder.redactor;
  }

  get isWaiting(): boolean {
    return this.#open.length > 0;
  }

  cancel(reason = ""): void {
    this.#place.scope.cancel(cancellation("turn", reason));
  }

  protected async perform(tool: AnyTool, input: unknown, options: CallOptions = {}): Promise<Outcome<unknown>> {
    const wrong = optionsFault("turn.protect", options, CALL_OPTIONS);
    const name = wrong === null && options.id !== undefined ? options.id : this.#nextCall();
    const unfit = wrong ?? (this.#isClosed ? turnOver(this.id) : nameFault("call", name));
    if (unfit !== null) return failedOutcome(name, unfit);
    const outcome = await this.#core.call(this.#place, { call: `${this.id}/${name}`, tool, input }, options);
    this.#outcomes.set(name, outcome);
    this.#ends.set(name, { label: tool.id, outcome, because: "" });
    return outcome;
  }

  protected refuse(why: Fault): Outcome<unknown> {
    return failedOutcome(this.#nextCall(), why);
  }

  #nextCall(): string {
    return `c${++this.#calls}`;
  }

  async ask(
    name: string,
    payload: QuestionPayload,
    options: { readonly timeoutMs?: number } = {},
  ): Promise<PersonAnswer> {
    const { timeoutMs } = checkOptions("turn.ask", options, ASK_OPTIONS);
    const unfit = this.#isClosed ? turnOver(this.id) : nameFault("call", name);
    if (unfit !== null) throw new FaultError(unfit);
    const call = `${this.id}:${name}`;
    const answer = await askPersonOf(this.#core, call, payload, {
      turn: this.id,
      timeoutMs: timeoutMs ?? null,
    });
    if (answer.status !== "waiting") return answer;
    const { question } = answer;
    const outcome = { status: "waiting", question, fault: unanswered(question), call, attempts: 0 } as const;
    this.#outcomes.set(call, outcome);
    this.#ends.set(call, { label: "", outcome, because: "" });
    return answer;
  }

  async run<Steps extends PlanSteps>(steps: Steps, options: RunOptions = {}): Promise<RoundResult<OutcomesOf<Steps>>> {
    this.#running += 1;
    try {
      return (await this.#run(steps, options)) as RoundResult<OutcomesOf<Steps>>;
    } finally {
      this.#running -= 1;
      if (this.#running === 0) this.#whenQuiet?.();
    }
  }

  /** Resolves when no round runs; from then on nothing more is done in this turn. */
  async close(): Promise<void> {
    if (this.#running > 0) await new Promise<void>((resolve) => (this.#whenQuiet = resolve));
    this.#isClosed = true;
  }

  async #run(steps: PlanSteps, options: RunOptions): Promise<RoundResult> {
    if (this.#isClosed) return { status: "failed", outcomes: {}, missing: [], ends: [], fault: turnOver(this.id) };
    const core = this.#core;
    checkOptions("turn.run", options, RUN_OPTIONS);
    const nodes = nodesOf(steps);
    const round = ++this.#round;
    const digest = planDigest(nodes);
    const checked = checkPlan(nodes);
    const refused = checked.fault ?? this.#refusal(round, digest);
    if (refused !== null || checked.plan === null) {
      return this.#keep({ status: "failed", outcomes: {}, missing: [], ends: [], fault: refused });
    }
    if (!this.#record.rounds.has(round)) {
      await core.record({
        type: "round-started",
        turn: this.id,
        round,
        digest,
        nodes: nodes.length,
        ...(nodes.length > MAX_SHOWN_NODES ? {} : { plan: nodes.map(plannedNode) }),
      });
    }
    const result = await runRound({
      core,
      place: this.#place,
      plan: checked.plan,
      steps,
      round,
      known: this.#record.settled,
      maxParallel: options.maxParallel ?? this.#limits.maxParallel,
    });
    for (const [node, outcome] of Object.entries(result.outcomes)) {
      this.#outcomes.set(round === 1 ? node : `${round}/${node}`, outcome);
    }
    for (const [index, end] of result.ends.entries()) this.#ends.set(`${round}//${index}`, end);
    return this.#keep(result);
  }

  #keep(result: RoundResult): RoundResult {
    this.#rounds.push(result);
    return result;
  }

  /** A round too many, or another plan than the one this turn had before it was interrupted. */
  #refusal(round: number, digest: string): Fault | null {
    const { maxToolRounds: limit } = this.#limits;
    if (round > limit) {
      const message = `turn ${this.id} reached its limit of ${limit} tool rounds; raise limits.maxToolRounds`;
      return fault("TurnLimit", { message, context: { limit, turn: this.id } });
    }
    const before = this.#record.rounds.get(round);
    if (before === undefined || before === digest) return null;
    this.isOtherPlan = true;
    return fault("ResumeMismatch", {
      message: `round ${round} of turn ${this.id} has another plan now than when it was interrupted; resume with the same plan, or begin a new turn`,
      context: { turn: this.id, round },
    });
  }

  /** Outcomes that continue only after a resume. */
  get #open(): readonly Extract<Outcome<unknown>, { status: "waiting" | "parked" }>[] {
    return [...this.#outcomes.values()].filter(isOpen);
  }

  /** Runs its body until that ends, the turn's time is up, or the turn is cancelled. */
  async runBody(body: TurnBody<unknown>): Promise<BodyEnd> {
    const core = this.#core;
    const { scope, deadlineCode } = this.#place;
    // A body may throw before it returns a promise.
    const run = async (): Promise<unknown> => body(this);
    const ended = run().then(
      (value): BodyEnd =>
        hasJsonForm(value)
          ? { ...NO_END, value }
          : { ...NO_END, thrown: noJsonForm(`the body of turn ${this.id}`, { turn: this.id }) },
      (error: unknown): BodyEnd => {
        const where = { message: `the body of turn ${this.id} threw`, context: { turn: this.id } };
        return { ...NO_END, thrown: classifyThrown(error, where, core.clock.now()), error };
      },
    );
    // A body that hangs on something of its own is left behind at the deadline, or when it is cancelled, once no call runs.
    let disarm: () => void = () => undefined;
    const left = new Promise<BodyEnd>((resolve) => {
      const leave = (deadline: Fault | null): void => {
        const answer = (): void => resolve({ ...NO_END, deadline });
        void core.idleIn(this.id).then(() => core.clock.soon(answer));
      };
      if (Number.isFinite(this.deadlineAt)) {
        disarm = core.clock.after(this.deadlineAt - core.clock.now(), () =>
          leave(fault(deadlineCode, { message: `turn ${this.id} was not finished in time` })),
        );
      }
      scope.add({ cancel: () => leave(null) });
    });
    const result = await Promise.race([ended, left]);
    disarm();
    return result;
  }

  /**
   * What it came to. `refused`: why a call was not resumed, because the program has changed or the journal cannot be read. Such a turn is
   * not over, not even by a cancellation.
   */
  result({ value, thrown, error, deadline }: BodyEnd, refused: Fault | null): TurnResult {
    const { recorder, engine } = this.#core;
    const open = this.#open;
    const missing = this.#rounds.flatMap((round) => round.missing);
    // If the store has failed, that is the reason, not the cancellation it caused.
    const stopped = refused ?? recorder.deadFault ?? this.cancelled ?? thrown;
    const why = stopped ?? this.#rounds.find((round) => round.fault !== null)?.fault ?? deadline;
    const wakeTimes = open.flatMap((outcome) => (outcome.status === "parked" ? [outcome.wakeAt] : []));
    const settlements = Array.from(this.#ends.values(), (end) => settlementOf(end, recorder.redactor));
    const result: TurnResult = {
      turn: this.id,
      status: stopped === null ? this.#status(missing.length > 0 || deadline !== null) : endedBy(stopped),
      value,
      outcomes: Object.fromEntries(this.#outcomes),
      missing,
      message: describeTurn(settlements, why, engine.locale),
      fault: why,
      questions: open.flatMap((outcome) => (outcome.status === "waiting" ? [outcome.question] : [])),
      wakeAt: wakeTimes.length === 0 ? null : Math.min(...wakeTimes),
    };
    return handedOut(result, error, recorder.redactor);
  }

  #status(isIncomplete: boolean): TurnStatus {
    if (this.isWaiting) return "waiting";
    if (this.#rounds.some(({ status }) => status === "failed")) return "failed";
    return isIncomplete ? "partial" : "done";
  }
}

/** A turn written as a function instead of a plan. */
export type TurnBody<T> = (turn: Turn) => Promise<T>;

interface BodyEnd {
  readonly value: unknown;
  /** The fault of the error it threw; null when it threw nothing. */
  readonly thrown: Fault | null;
  /** The error it threw, unchanged. */
  readonly error: unknown;
  /** The deadline that ended it; null when none did. */
  readonly deadline: Fault | null;
}

const NO_END: BodyEnd = { value: undefined, thrown: null, error: undefined, deadline: null };

function unanswered({ id, turn }: Question): Fault {
  return fault("TurnTimeout", { message: `turn ${turn} waits for an answer to question ${id}`, context: { turn } });
}

function turnOver(turn: string): Fault {
  return fault("EngineState", { message: `turn ${turn} has ended; begin another one`, context: { turn } });
}

/** What a turn came to: values, faults, questions and a sentence about it. */
export interface TurnResult<T = unknown, Outcomes = Readonly<Record<string, Outcome<unknown>>>> {
  readonly turn: string;
  /** `partial`: some steps gave no value, maybe none of them did; `missing` lists them. `failed`: a step ended the turn. */
  readonly status: TurnStatus;
  /** What the body returned; undefined when it did not get that far. */
  readonly value: T | undefined;
  /** How the steps of the plan, or the calls of the body, ended, by name. */
  readonly outcomes: Outcomes;
  readonly missing: readonly Missing[];
  /** For the user: what is done, what is missing and why, and what it waits for. Empty when every step is done; a default value is named here. */
  readonly message: string;
  /** What ended the turn as a whole; null when nothing did. */
  readonly fault: Fault | null;
  /** Questions that hold it up … */
  readonly questions: readonly Question[];
  /** … or the first time at which something parked can continue; null when nothing is parked. */
  readonly wakeAt: number | null;
  /** What the body threw, as it was thrown. Not enumerable, so it reaches neither JSON nor the journal. */
  readonly error?: unknown;
}

function settlementOf({ label, outcome, because }: StepEnd, { text }: Redactor): Settlement {
  const named = { label: text(label), because: text(because) };
  if (outcome === null) return { ...named, status: "unstarted", fault: null };
  const { status } = outcome;
  const fault = "fault" in outcome ? outcome.fault : null;
  if (status === "waiting") return { ...named, status, fault, question: outcome.question };
  if (status === "parked") return { ...named, status, fault, wakeAt: outcome.wakeAt };
  // A result with failed items is partial, although the call is done.
  const isWhole = status !== "done" || outcome.errors.length === 0;
  return { ...named, status: isWhole ? status : "partial", fault };
}

// The results of turns that a session refuses, or that have ended.

/** Call keys are `session/turn/…`, turn keys `session//turn`. Turn names are never empty, so the two cannot collide. */
export function turnKey(session: string, turn: string): string {
  return `${session}//${turn}`;
}

function otherPlan(turn: string): Fault {
  return fault("ResumeMismatch", {
    message: `turn ${turn} has ended, and it had another plan; give this turn another name`,
    context: { turn },
  });
}

export function emptyResult(turn: string, why: Fault, locale: Locale): TurnResult {
  return {
    turn,
    status: "failed",
    value: undefined,
    outcomes: {},
    missing: [],
    message: describeTurn([], why, locale),
    fault: why,
    questions: [],
    wakeAt: null,
  };
}

// Answers a turn that has ended from the journal, provided its plan is the same. Nothing of it runs, so nothing else of it can be compared.

export async function recallTurn({ state, engine }: SessionCore, turn: string, digest: string): Promise<TurnResult> {
  const kept = await engine.store.kept("result", turnKey(state.session, turn));
  if ((kept ?? null) === null) {
    throw new FaultError(
      fault("ManifestDrift", { message: `turn ${turn} is over, but its result is not in the journal` }),
    );
  }
  const { result, digest: before } = kept as { readonly result: TurnResult; readonly digest: string };
  return before === digest ? result : emptyResult(turn, otherPlan(turn), engine.locale);
}
