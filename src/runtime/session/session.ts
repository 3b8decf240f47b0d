// A session: turns one after another. Everything is in the journal, so a new process can continue where an old one stopped.

import { Moment } from "../../host/clock.ts";
import { fault, type Fault, FaultError } from "../../core/fault/fault.ts";
import type { Redactor } from "../../core/fault/redact.ts";
import { nameFault } from "../../core/flow/name.ts";
import type { QuestionPayload } from "../../core/flow/interaction.ts";
import type { Spending } from "../../core/flow/money.ts";
import type { RunEvent } from "../../core/flow/run-event.ts";
import type { RunState } from "../../core/flow/run-state.ts";
import type { Entry, HostEvent, SessionStatus, TurnEvent } from "../../core/record/event.ts";
import { snapshotOf, type TurnRecord } from "../../core/record/replay.ts";
import { type TraceRecord, traceOf } from "../../core/record/trace.ts";
import type { Keep } from "../../journal/journal.ts";
import { Calls } from "../call/calls.ts";
import { keptCallKey } from "../call/live-call.ts";
import { failedOutcome, type Outcome } from "../call/outcome.ts";
import { askPersonOf, type PersonAnswer } from "./ask-person.ts";
import { nodesOf, type OutcomesOf, planDigest, type PlanSteps } from "./plan.ts";
import { cancellation, Scope, scopeOfSignal } from "../scope.ts";
import { inside, refuseInside, type SessionCore } from "./session-core.ts";
import { type DeriveKeeps, endedFault } from "./session-recorder.ts";
import type { AnyTool } from "../tool/tool.ts";
import {
  anyNumber,
  checkOptions,
  flag,
  invalidOption,
  isPlain,
  oneOf,
  optionsFault,
  shape,
  signal as signalKind,
  text,
} from "../../options/check-options.ts";
import {
  CALL_OPTIONS,
  type CallOptions,
  emptyResult,
  LiveTurn,
  recallTurn,
  type TurnBody,
  turnKey,
  type TurnResult,
} from "./turn.ts";
import { type SessionWrites, type SessionLimits, NO_WRITES, type TurnOptions } from "./session-options.ts";

export type { SessionWrites, SessionLimits, TurnOptions } from "./session-options.ts";

/**
 * Turns that run beside others are many and short, and folding a few of them again costs less than a snapshot after each. A snapshot
 * costs more the longer the session is, so the next one is written when the session is twice as long.
 */
const FIRST_SNAPSHOT_AT = 100;

/** For a turn that is an attempt of a workflow's stage: what the run writes together with its beginning and its end. */
export interface StageTurn<T = unknown> {
  readonly stage: string;
  readonly opening: SessionWrites;
  /** Returns what the end of the turn means for the run. The run keeps its own record of a turn that ends with events, so its result is not kept. */
  readonly closing: (result: TurnResult<T>) => Promise<SessionWrites>;
}

/** What a turn runs, and how. */
interface TurnRequest {
  readonly body: TurnBody<unknown>;
  /** The digest of its plan; empty for a function. */
  readonly digest: string;
  readonly options: TurnOptions;
  /** null for a turn of the program's own. */
  readonly stageTurn: StageTurn | null;
}

const TURN_OPTIONS = shape<TurnOptions>({ id: text, timeoutMs: anyNumber, signal: signalKind, beside: flag });
const NO_PLAN = "a turn is a plan, as in { find: step(search, query) }, or an async function that makes calls";
const END_STATUS = oneOf(["done", "failed"]);

/** A durable conversation: turns that survive a crash of the process. Calls made on the session itself are outside any turn. */
export class Session extends Calls<Pick<CallOptions, "id">> {
  readonly #core: SessionCore;
  readonly #limits: SessionLimits;
  #turns = 0;
  #calls = 0;
  #queue: Promise<unknown> = Promise.resolve();
  /** The last unnamed turn that ended with `waiting`. The session state says whether it still waits. */
  #leftWaiting = "";
  readonly #runningTurns = new Set<string>();
  #snapshotSeq = 0;
  readonly #runDeadline: Moment;

  constructor(core: SessionCore, limits: SessionLimits) {
    super();
    this.#core = core;
    this.#limits = limits;
    this.#runDeadline = new Moment(core.clock, core.state.startedAt + limits.runTimeoutMs);
  }

  get id(): string {
    return this.#core.state.session;
  }

  get status(): SessionStatus {
    return this.#core.state.status;
  }

  /** Masks the secrets of this session. */
  get redactor(): Redactor {
    return this.#core.recorder.redactor;
  }

  get spending(): Spending {
    return this.#core.budget.spending;
  }

  /** The workflow it runs, folded up to now; null for a session of a program's own. */
  get run(): RunState | null {
    return this.#core.state.run;
  }

  /**
   * Writes what happened to its workflow, with the values that belong to it.
   *
   * @internal
   */
  record(events: readonly (RunEvent | TurnEvent | HostEvent)[], keeps: readonly Keep[] = []): Promise<void> {
    return this.#core.recorder.record(events, keeps, this.#core.clock.now());
  }

  /**
   * Values that follow from what is recorded: derived from each append and written with it when they change.
   *
   * @internal
   */
  deriveKeeps(derive: DeriveKeeps): void {
    this.#core.recorder.deriveKeeps(derive);
  }

  /**
   * Writes `make()` together with the next event. A crash may lose it, so use it only for what can be derived from other events.
   *
   * @internal
   */
  note(make: () => readonly RunEvent[]): void {
    this.#core.recorder.note(make);
  }

  /**
   * Writes the notes that wait.
   *
   * @internal
   */
  flush(): Promise<void> {
    return this.#core.recorder.flush();
  }

  /**
   * A person asked for this turn to continue: work that was interrupted in it may run again, even if it may have happened.
   *
   * @internal
   */
  repeatInterrupted(turn: string): void {
    this.#core.repeatInterrupted.add(turn);
  }

  /** Drops the session from memory unchanged, so that this or another process can resume it. Nothing may be running in it. */
  async leave(): Promise<void> {
    refuseInside(this.id, "leave");
    await this.#queue;
    await this.#core.idle();
    await this.#keepSnapshot();
    this.#core.recorder.close(this.status);
    await this.#core.recorder.settled();
  }

  protected async perform(tool: AnyTool, input: unknown, options: CallOptions = {}): Promise<Outcome<unknown>> {
    const core = this.#core;
    const wrong = optionsFault("session.protect", options, CALL_OPTIONS);
    const call = wrong === null && options.id !== undefined ? options.id : this.#nextCall();
    const refused = wrong ?? this.#endedFault() ?? nameFault("call", call);
    if (refused !== null) return failedOutcome(call, refused);
    const deadline = this.#runDeadline;
    const place = { turn: "", stage: null, scope: core.scope, deadline, deadlineCode: "RunTimeout" } as const;
    return core.call(place, { call, tool, input }, options);
  }

  protected refuse(why: Fault): Outcome<unknown> {
    return failedOutcome(this.#nextCall(), why);
  }

  #nextCall(): string {
    return `c${++this.#calls}`;
  }

  /**
   * Begins a turn before it runs, for a workflow that writes this together with something else.
   *
   * @internal
   */
  turnStarted(turn: string, timeoutMs: number): TurnEvent {
    const deadlineAt = this.#core.clock.now() + timeoutMs;
    return { type: "turn-started", turn, deadlineAt: Number.isFinite(deadlineAt) ? deadlineAt : null };
  }

  /**
   * Runs a plan, or a function that makes calls, as one turn of the session, and returns what came of every step. Turns run one after
   * another; a failing tool never makes it reject. After a crash, the same turn continues where it stopped.
   *
   * @example
   * ```ts
   * import { createFaultline, step, tool } from "faultline";
   *
   * const search = tool({ id: "search", run: (city: string) => [`Grand Hotel ${city}`] });
   * const book = tool({ id: "book", run: (hotel: string) => `booked ${hotel}` });
   * const session = await createFaultline().session();
   * const find = step(search, "Oslo");
   * const booking = step(book, (got) => got.find[0] ?? "none", { needs: { find } });
   * const { status } = await session.turn({ find, booking });
   * console.log(status);
   * ```
   */
  turn<Steps extends PlanSteps>(plan: Steps, options?: TurnOptions): Promise<TurnResult<undefined, OutcomesOf<Steps>>>;
  turn<T>(body: TurnBody<T>, options?: TurnOptions, stageTurn?: StageTurn<T>): Promise<TurnResult<T>>;
  async turn(
    what: PlanSteps | TurnBody<unknown>,
    options: TurnOptions = {},
    stageTurn: StageTurn | null = null,
  ): Promise<unknown> {
    checkOptions("session.turn", options, TURN_OPTIONS);
    if (typeof what !== "function" && !isPlain(what)) throw invalidOption("session.turn", "plan", NO_PLAN);
    const body: TurnBody<unknown> = typeof what === "function" ? what : (turn) => turn.run(what).then(() => undefined);
    const digest = typeof what === "function" ? "" : planDigest(nodesOf(what));
    const request = { body, digest, options, stageTurn };
    if (options.beside === true) return this.#turn(request);
    refuseInside(this.id, "turn");
    const result = this.#queue.then(() => this.#turn(request));
    // The caller learns how this turn ended; the next turn only waits for it.
    this.#queue = Promise.allSettled([result]);
    return result;
  }

  /** An unnamed turn resumes the unnamed turn that waits, if there is one. */
  #nameOf({ id }: TurnOptions): string {
    if (id !== undefined) return id;
    const isWaiting = this.#core.state.turns.get(this.#leftWaiting)?.status === "waiting";
    return isWaiting ? this.#leftWaiting : `t${++this.#turns}`;
  }

  async #turn(request: TurnRequest): Promise<TurnResult> {
    const core = this.#core;
    const id = this.#nameOf(request.options);
    const ended = this.#endedFault();
    if (ended !== null) throw new FaultError(ended);
    const known = core.state.turns.get(id);
    const isOver = known?.status !== undefined && known.status !== null && known.status !== "waiting";
    if (known !== undefined && isOver) return recallTurn(core, known.turn, request.digest);
    const refused = nameFault("turn", id) ?? this.#refusal(id, known);
    if (refused !== null) return emptyResult(id, refused, core.engine.locale);
    this.#runningTurns.add(id);
    try {
      const result = await this.#run(id, known, request);
      if (result.status === "waiting" && request.options.id === undefined) this.#leftWaiting = id;
      return result;
    } finally {
      this.#runningTurns.delete(id);
    }
  }

  async #run(id: string, known: TurnRecord | undefined, request: TurnRequest): Promise<TurnResult> {
    const core = this.#core;
    const { options, stageTurn } = request;
    const turnDeadline = await this.#open(id, known, request);
    const record = core.state.turns.get(id);
    if (record === undefined) throw new Error(`turn ${id} was started and is not there`);
    const scope = new Scope("turn", core.scope);
    const runComesFirst = this.#runDeadline.at < turnDeadline.at;
    const place = {
      turn: id,
      stage: stageTurn?.stage ?? null,
      scope,
      deadline: runComesFirst ? this.#runDeadline : turnDeadline,
      deadlineCode: runComesFirst ? "RunTimeout" : "TurnTimeout",
    } as const;
    const live = new LiveTurn(core, place, this.#limits, record);
    const bySignal = { cancel: (why: Fault) => live.cancel(why.message) };
    const signalScope = options.signal === undefined ? null : scopeOfSignal(options.signal);
    signalScope?.add(bySignal);
    const ending = await inside(this.id, `turn ${id}`, () => live.runBody(request.body));
    // The turn also waits for calls that its body did not await.
    await core.idleIn(id);
    await live.close();
    signalScope?.remove(bySignal);
    scope.leave();
    const refused = core.takeRefusal(id);
    const result = live.result(ending, refused);
    // A refused plan has not run, so the program can still give the right one.
    const isClosed = refused === null && !live.isOtherPlan && core.recorder.deadFault?.class !== "Session";
    if (isClosed) await this.#close(result, request);
    return result;
  }

  /** Writes the beginning and returns the deadline. While a turn waits for a person or a reset, its time does not run. */
  async #open(id: string, known: TurnRecord | undefined, { options, stageTurn }: TurnRequest): Promise<Moment> {
    const { clock, recorder } = this.#core;
    const { events, keeps } = stageTurn?.opening ?? NO_WRITES;
    if (known?.status === null) {
      await recorder.record(events, keeps, clock.now());
      return new Moment(clock, known.deadlineAt ?? Infinity);
    }
    const fullMs = options.timeoutMs ?? this.#limits.turnTimeoutMs;
    const leftMs = known === undefined ? fullMs : (known.deadlineAt ?? Infinity) - known.endedAt;
    const deadline = new Moment(clock, clock.now() + leftMs);
    const started = this.turnStarted(id, leftMs);
    await recorder.record([...events, started], keeps, clock.now());
    return deadline;
  }

  async #close(result: TurnResult, { digest, options, stageTurn }: TurnRequest): Promise<void> {
    const core = this.#core;
    // If another process has taken over the session, nothing is added: the write below is refused.
    const isOurs = stageTurn !== null && core.recorder.deadFault === null;
    const { events, keeps: more } = isOurs ? await stageTurn.closing(result) : NO_WRITES;
    const { turn, status, fault: why } = result;
    const done = status !== "waiting";
    const keeps: Keep[] = done ? [...more, ...core.dropQuestions(turn)] : [...more];
    // The run reads these events instead of the turn's result.
    if (done && events.length === 0)
      keeps.push({ kind: "result", key: turnKey(this.id, turn), value: { digest, result } });
    for (const { call, turn: of } of core.state.calls.values()) {
      if (done && of === turn) keeps.push({ kind: "result", key: keptCallKey(this.id, call), value: null });
    }
    const ended = { type: "turn-ended", turn, status, fault: why } as const;
    await core.recorder.record([ended, ...events], keeps, core.clock.now());
    if (options.beside !== true || core.state.seq >= Math.max(FIRST_SNAPSHOT_AT, 2 * this.#snapshotSeq))
      await this.#keepSnapshot();
  }

  #keepSnapshot(): Promise<void> {
    this.#snapshotSeq = this.#core.state.seq;
    return this.#core.keep([{ kind: "snapshot", key: this.id, value: snapshotOf(this.#core.state) }]);
  }

  #refusal(id: string, known: TurnRecord | undefined): Fault | null {
    const { maxTurns, runTimeoutMs } = this.#limits;
    const { state, clock } = this.#core;
    if (this.#runningTurns.has(id)) {
      const message = `turn ${id} is already running; give each turn its own id`;
      return fault("EngineState", { message, context: { turn: id } });
    }
    if (known === undefined && state.turns.size >= maxTurns) {
      const message = `the session reached its limit of ${maxTurns} turns; raise limits.maxTurns`;
      return fault("TurnLimit", { message, context: { limit: maxTurns } });
    }
    if (clock.now() < this.#runDeadline.at) return null;
    const message = `the session has run for ${runTimeoutMs} ms`;
    return fault("RunTimeout", { message, context: { limit: runTimeoutMs } });
  }

  /** Puts a question to a person. By its name, the answer is found again when the program runs again. */
  async ask(name: string, payload: QuestionPayload): Promise<PersonAnswer> {
    const refused = nameFault("call", name) ?? this.#endedFault();
    if (refused !== null) throw new FaultError(refused);
    return askPersonOf(this.#core, name, payload);
  }

  /** Nothing can be done with it any more: it has ended, was cancelled, or lost its store. */
  get isOver(): boolean {
    return this.#core.recorder.closedAs !== null || this.#core.scope.cancelled !== null;
  }

  #endedFault(): Fault | null {
    const { closedAs } = this.#core.recorder;
    return closedAs === null ? null : endedFault(this.id, closedAs);
  }

  /** Stops as a crash would and writes nothing: the next process to resume it finds the calls in flight interrupted. */
  async abandon(reason: string): Promise<void> {
    const why = fault("EngineState", { message: reason, context: { session: this.id } });
    this.#core.recorder.abandon(why, this.status);
    this.#core.scope.cancel(why);
    await this.#core.idle();
  }

  /** Stops everything in it at once. Wins over every other end. `last` is written together with the end. */
  async cancel(reason = "", last: SessionWrites = NO_WRITES): Promise<void> {
    this.#core.scope.cancel(cancellation("session", reason));
    await this.#core.idle();
    await this.#queue;
    await this.#end("cancelled", cancellation("session", reason), last);
  }

  /** Writes the event that ends the session, together with `last`. Throws when called from within a turn or a tool of the session. */
  async end(status: "done" | "failed" = "done", last: SessionWrites = NO_WRITES): Promise<void> {
    refuseInside(this.id, "end");
    if (!END_STATUS.fits(status)) throw invalidOption("session.end", "status", `status must be ${END_STATUS.says}`);
    await this.#queue;
    await this.#core.idle();
    await this.#end(status, null, last);
  }

  async #end(status: SessionStatus, why: Fault | null, { events, keeps }: SessionWrites): Promise<void> {
    const { recorder, clock } = this.#core;
    const { closedAs } = recorder;
    if (closedAs !== null) {
      // A cancelled session may be ended, as a `finally` does: it stays cancelled.
      const isRefused = events.length > 0 || (status !== "cancelled" && closedAs !== "cancelled");
      if (isRefused) throw new FaultError(endedFault(this.id, closedAs));
      return;
    }
    const ended = { type: "session-ended", status, fault: why } as const;
    const all = [...keeps, ...this.#core.dropQuestions(null)];
    const written = recorder.record([...events, ended], all, clock.now());
    recorder.close(status);
    await written;
    await recorder.settled();
  }

  async entries(): Promise<readonly Entry[]> {
    const entries: Entry[] = [];
    await this.#core.engine.store.each(this.id, 0, (entry) => void entries.push(entry));
    return entries;
  }

  /** Every decision about a failure, as the tool error handling specification writes it. */
  async trace(turn?: string): Promise<readonly TraceRecord[]> {
    return traceOf(await this.entries(), turn === undefined ? {} : { turn });
  }
}
