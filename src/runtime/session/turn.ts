// A turn, live: calls and plans of calls under one deadline and one cancel switch. It is part of a session, and answers
// from the journal what an earlier process has already done.

import type { Moment } from "../../host/clock.ts";
import { fault, type Fault, FaultError } from "../../core/fault/fault.ts";
import type { Redactor } from "../../core/fault/redact.ts";
import type { Question, QuestionPayload } from "../../core/flow/interaction.ts";
import { nameFault } from "../../core/flow/name.ts";
import type { TurnRecord } from "../../core/record/replay.ts";
import { type Calling, Calls, type SharedCallOptions } from "../call/calls.ts";
import { failedOutcome, hasValue, isOpen, type Outcome } from "../call/outcome.ts";
import { askPersonOf, type PersonAnswer } from "./ask-person.ts";
import { MAX_SHOWN_NODES, nodesOf, type OutcomesOf, planDigest, plannedNode, type PlanSteps } from "./plan.ts";
import { checkPlan } from "../../core/flow/plan.ts";
import { type RoundResult, runRound, type StepEnd } from "./run-round.ts";
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
import type { Scope } from "../scope.ts";
import type { SessionCore } from "./session-core.ts";
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

interface LiveTurnOptions {
  readonly core: SessionCore;
  readonly record: TurnRecord;
  /** The stage it is an attempt of; null for a turn of the program's own. */
  readonly stage: string | null;
  readonly scope: Scope;
  readonly deadline: Moment;
  readonly deadlineCode: "TurnTimeout" | "RunTimeout";
  readonly maxRounds: number;
  readonly maxParallel: number;
  readonly cancel: (reason: string) => void;
}

export class LiveTurn extends Calls<Pick<CallOptions, "id">> implements Turn {
  readonly #options: LiveTurnOptions;
  readonly outcomes = new Map<string, Outcome<unknown>>();
  readonly rounds: RoundResult[] = [];
  /** How everything in it ended, by name, for the sentence about the turn. */
  readonly ends = new Map<string, StepEnd>();
  #calls = 0;
  #round = 0;
  #running = 0;
  #isOtherPlan = false;
  #isClosed = false;
  #whenQuiet: (() => void) | null = null;

  constructor(options: LiveTurnOptions) {
    super();
    this.#options = options;
  }

  get id(): string {
    return this.#options.record.turn;
  }

  get deadlineAt(): number {
    return this.#options.deadline.at;
  }

  get deadlineCode(): LiveTurnOptions["deadlineCode"] {
    return this.#options.deadlineCode;
  }

  get cancelled(): Fault | null {
    return this.#options.scope.cancelled;
  }

  get redactor(): Redactor {
    return this.#options.core.recorder.redactor;
  }

  get isWaiting(): boolean {
    return this.open.length > 0;
  }

  cancel(reason = ""): void {
    this.#options.cancel(reason);
  }

  protected async perform(tool: AnyTool, input: unknown, options: CallOptions = {}): Promise<Outcome<unknown>> {
    const { core, stage, scope, deadline, deadlineCode } = this.#options;
    const wrong = optionsFault("turn.protect", options, CALL_OPTIONS);
    const name = wrong === null && options.id !== undefined ? options.id : this.#nextCall();
    const unfit = wrong ?? (this.#isClosed ? turnOver(this.id) : nameFault("call", name));
    if (unfit !== null) return failedOutcome(name, unfit);
    const outcome = await core.call({
      tool,
      input,
      call: `${this.id}/${name}`,
      turn: this.id,
      stage,
      scope,
      signal: options.signal ?? null,
      deadline,
      deadlineCode,
      optional: options.optional ?? false,
      fallbackValue: "default" in options ? { value: options.default } : null,
    });
    this.outcomes.set(name, outcome);
    this.ends.set(name, { label: tool.id, outcome, because: "" });
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
    const answer = await askPersonOf(this.#options.core, call, payload, {
      turn: this.id,
      timeoutMs: timeoutMs ?? null,
    });
    if (answer.status !== "waiting") return answer;
    const { question } = answer;
    const outcome = { status: "waiting", question, fault: unanswered(question), call, attempts: 0 } as const;
    this.outcomes.set(call, outcome);
    this.ends.set(call, { label: "", outcome, because: "" });
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

  /** The program gave it another plan than before it was interrupted. */
  get isOtherPlan(): boolean {
    return this.#isOtherPlan;
  }

  /** Resolves when no round runs; from then on nothing more is done in this turn. */
  async close(): Promise<void> {
    if (this.#running > 0) await new Promise<void>((resolve) => (this.#whenQuiet = resolve));
    this.#isClosed = true;
  }

  async #run(steps: PlanSteps, options: RunOptions): Promise<RoundResult> {
    if (this.#isClosed) return { status: "failed", outcomes: {}, missing: [], ends: [], fault: turnOver(this.id) };
    const { core, record, stage, scope, deadline, deadlineCode, maxRounds, maxParallel } = this.#options;
    checkOptions("turn.run", options, RUN_OPTIONS);
    const nodes = nodesOf(steps);
    const round = ++this.#round;
    const digest = planDigest(nodes);
    const checked = checkPlan(nodes);
    const refused = checked.fault ?? this.#refusal(round, maxRounds, digest);
    if (refused !== null || checked.plan === null) {
      return this.#keep({ status: "failed", outcomes: {}, missing: [], ends: [], fault: refused });
    }
    if (!record.rounds.has(round)) {
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
      plan: checked.plan,
      steps,
      turn: this.id,
      stage,
      round,
      scope,
      deadline,
      deadlineCode,
      known: record.settled,
      maxParallel: options.maxParallel ?? maxParallel,
    });
    for (const [node, outcome] of Object.entries(result.outcomes)) {
      this.outcomes.set(round === 1 ? node : `${round}/${node}`, outcome);
    }
    for (const [index, end] of result.ends.entries()) this.ends.set(`${round}//${index}`, end);
    return this.#keep(result);
  }

  #keep(result: RoundResult): RoundResult {
    this.rounds.push(result);
    return result;
  }

  /** A round too many, or another plan than the one this turn had before it was interrupted. */
  #refusal(round: number, maxRounds: number, digest: string): Fault | null {
    if (round > maxRounds) {
      const message = `turn ${this.id} reached its limit of ${maxRounds} tool rounds; raise limits.maxToolRounds`;
      return fault("TurnLimit", { message, context: { limit: maxRounds, turn: this.id } });
    }
    const before = this.#options.record.rounds.get(round);
    if (before === undefined || before === digest) return null;
    this.#isOtherPlan = true;
    return fault("ResumeMismatch", {
      message: `round ${round} of turn ${this.id} has another plan now than when it was interrupted; resume with the same plan, or begin a new turn`,
      context: { turn: this.id, round },
    });
  }

  /** Outcomes that continue only after a resume. */
  get open(): readonly Extract<Outcome<unknown>, { status: "waiting" | "parked" }>[] {
    return [...this.outcomes.values()].filter(isOpen);
  }

  get usable(): readonly Outcome<unknown>[] {
    return [...this.outcomes.values()].filter(hasValue);
  }
}

function unanswered({ id, turn }: Question): Fault {
  return fault("TurnTimeout", { message: `turn ${turn} waits for an answer to question ${id}`, context: { turn } });
}

function turnOver(turn: string): Fault {
  return fault("EngineState", { message: `turn ${turn} has ended; begin another one`, context: { turn } });
}

// Runs the body of a turn until it ends, its time is up, or it is cancelled.

/** A turn written as a function instead of a plan. */
export type TurnBody<T> = (turn: Turn) => Promise<T>;

interface BodyEnd {
  readonly value: unknown;
  /** The fault of the error it threw; null when it threw nothing. */
  readonly thrown: Fault | null;
  /** The error it threw, unchanged. */
  readonly error: unknown;
  readonly deadline: Fault | null;
}

export async function runBody(
  core: SessionCore,
  live: LiveTurn,
  body: TurnBody<unknown>,
  scope: Scope,
): Promise<BodyEnd> {
  // A body may throw before it returns a promise.
  const run = async (): Promise<unknown> => body(live);
  const ended = new Promise<BodyEnd>((resolve) => {
    run().then(
      (value) => resolve({ value, thrown: null, error: undefined, deadline: null }),
      (error: unknown) => {
        const where = { message: `the body of turn ${live.id} threw`, context: { turn: live.id } };
        const thrown = classifyThrown(error, where, core.clock.now());
        resolve({ value: undefined, thrown, error, deadline: null });
      },
    );
  });
  // A body that hangs on something of its own is left behind at the deadline, or when it is cancelled, once no call runs.
  let disarm: () => void = () => undefined;
  const left = new Promise<BodyEnd>((resolve) => {
    const leave = (why: Fault | null): void => {
      const answer = (): void => resolve({ value: undefined, thrown: null, error: undefined, deadline: why });
      void core.idleIn(live.id).then(() => core.clock.soon(answer));
    };
    if (Number.isFinite(live.deadlineAt)) {
      disarm = core.clock.after(live.deadlineAt - core.clock.now(), () =>
        leave(fault(live.deadlineCode, { message: `turn ${live.id} was not finished in time` })),
      );
    }
    scope.add({ cancel: () => leave(null) });
  });
  const result = await Promise.race([ended, left]);
  disarm();
  return result;
}
