// A session: turns one after another, everything written down, so that a new process can go on where an old one stopped.

import { classify } from "../../core/classify/classify.ts";
import { FaultError } from "../../core/fault/fault-error.ts";
import { fault, type Fault } from "../../core/fault/fault.ts";
import type { Spending } from "../../core/flow/money.ts";
import type { Entry, SessionStatus } from "../../core/record/event.ts";
import { snapshotOf, type TurnRecord } from "../../core/record/replay.ts";
import { type TraceRecord, traceOf } from "../../core/record/trace.ts";
import type { Keep } from "../../journal/journal.ts";
import type { Outcome } from "../call/outcome.ts";
import type { PlanSteps } from "./plan.ts";
import { cancellation, Scope, scopeOfSignal } from "../scope.ts";
import { failedOutcome, type SessionCore } from "./session-core.ts";
import type { Tool } from "../tool/tool.ts";
import { type CallOptions, LiveTurn, type Turn } from "./turn.ts";
import { turnResult, type TurnResult } from "./turn-result.ts";

export interface SessionLimits {
  readonly maxTurns: number;
  /** Rounds of tools within one turn. */
  readonly maxToolRounds: number;
  readonly turnTimeoutMs: number;
  /** All turns together; Infinity for no limit. */
  readonly runTimeoutMs: number;
  /** Steps of a plan that run at the same time. */
  readonly maxParallel: number;
}

export interface TurnOptions {
  /** Names the turn, so that it is found again after a crash. Counted (`t1`, `t2` …) when left out. */
  readonly id?: string;
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
}

export type TurnBody<T> = (turn: Turn) => Promise<T>;

export class Session {
  readonly #core: SessionCore;
  readonly #limits: SessionLimits;
  #turns = 0;
  #calls = 0;
  #queue: Promise<unknown> = Promise.resolve();
  #ended: SessionStatus | null = null;

  constructor(core: SessionCore, limits: SessionLimits) {
    this.#core = core;
    this.#limits = limits;
  }

  get id(): string {
    return this.#core.state.session;
  }

  get status(): SessionStatus {
    return this.#core.state.status;
  }

  get spending(): Spending {
    return this.#core.budget.spending;
  }

  /** A call outside any turn. */
  async protect<Accepts, Output>(
    tool: Tool<Accepts, Output>,
    input: Accepts,
    options: CallOptions<Output> = {},
  ): Promise<Outcome<Output>> {
    const core = this.#core;
    const call = options.id ?? `c${++this.#calls}`;
    if (this.#ended !== null) return failedOutcome(call, endedFault(this.id, this.#ended)) as Outcome<Output>;
    const outcome = await core.call({
      tool,
      input,
      call,
      turn: "",
      scope: core.scope,
      deadlineAt: this.#runDeadlineAt(),
      deadlineCode: "RunTimeout",
      optional: options.optional ?? false,
      fallbackValue: "default" in options ? { value: options.default } : null,
    });
    return outcome as Outcome<Output>;
  }

  /** Runs a plan, or a function that makes calls, as one turn. Turns run one after another. Never rejects for failing tools. */
  turn(plan: PlanSteps, options?: TurnOptions): Promise<TurnResult>;
  turn<T>(body: TurnBody<T>, options?: TurnOptions): Promise<TurnResult<T>>;
  turn(what: PlanSteps | TurnBody<unknown>, options: TurnOptions = {}): Promise<TurnResult> {
    const id = options.id ?? `t${++this.#turns}`;
    const body: TurnBody<unknown> = typeof what === "function" ? what : (turn) => turn.run(what).then(() => undefined);
    const result = this.#queue.then(() => this.#turn(id, body, options));
    this.#queue = result.catch((error: unknown) => classify({ surface: "store", error }));
    return result;
  }

  async #turn(id: string, body: TurnBody<unknown>, options: TurnOptions): Promise<TurnResult> {
    const core = this.#core;
    if (this.#ended !== null) throw new FaultError(endedFault(this.id, this.#ended));
    const known = core.state.turns.get(id);
    if (known?.status !== undefined && known.status !== null && known.status !== "waiting") return this.#recall(known);
    const refused = this.#refusal(known);
    if (refused !== null) return emptyResult(id, refused);
    const deadlineAt = await this.#open(id, known, options);
    const record = core.state.turns.get(id);
    if (record === undefined) throw new Error(`turn ${id} was started and is not there`);
    const scope = new Scope("turn", core.scope);
    const cancel = (reason: string): void => scope.cancel(cancellation("turn", reason));
    const bySignal = { cancel: () => cancel("") };
    const signalScope = options.signal === undefined ? null : scopeOfSignal(options.signal);
    signalScope?.add(bySignal);
    const runDeadlineAt = this.#runDeadlineAt();
    const runComesFirst = runDeadlineAt < deadlineAt;
    const live = new LiveTurn({
      core,
      record,
      scope,
      cancel,
      deadlineAt: Math.min(deadlineAt, runDeadlineAt),
      deadlineCode: runComesFirst ? "RunTimeout" : "TurnTimeout",
      maxRounds: this.#limits.maxToolRounds,
      maxParallel: this.#limits.maxParallel,
    });
    const { value, thrown, deadline } = await this.#runBody(live, body, scope);
    signalScope?.remove(bySignal);
    scope.leave();
    const { outcomes, rounds } = live;
    const { cancelled } = scope;
    const result = turnResult({
      turn: id,
      value,
      outcomes,
      rounds,
      cancelled,
      thrown,
      deadline,
      locale: core.engine.locale,
      redactor: core.engine.redactor,
    });
    await this.#close(result);
    return result;
  }

  /** The time a turn has left does not run while it waits for a person or a reset. */
  async #open(id: string, known: TurnRecord | undefined, options: TurnOptions): Promise<number> {
    const now = this.#core.clock.now();
    if (known?.status === null) return known.deadlineAt ?? Infinity;
    const fullMs = options.timeoutMs ?? this.#limits.turnTimeoutMs;
    const leftMs = known === undefined ? fullMs : (known.deadlineAt ?? Infinity) - known.endedAt;
    const deadlineAt = now + leftMs;
    const shown = Number.isFinite(deadlineAt) ? deadlineAt : null;
    await this.#core.record({ type: "turn-started", turn: id, deadlineAt: shown });
    return deadlineAt;
  }

  async #runBody(
    live: LiveTurn,
    body: TurnBody<unknown>,
    scope: Scope,
  ): Promise<{ value: unknown; thrown: Fault | null; deadline: Fault | null }> {
    const core = this.#core;
    // A body may throw before it returns a promise.
    const run = async (): Promise<unknown> => body(live);
    const ended = new Promise<{ value: unknown; thrown: Fault | null; deadline: null }>((resolve) => {
      run().then(
        (value) => resolve({ value, thrown: null, deadline: null }),
        (error: unknown) => {
          const seen = classify({ surface: "node", error, observedAt: core.clock.now() });
          const message = `the body of turn ${live.id} threw`;
          resolve({ value: undefined, thrown: fault("Uncaught", { message, cause: seen }), deadline: null });
        },
      );
    });
    // A body that hangs on something of its own is left behind at the deadline, or when it is cancelled, once no call runs.
    let disarm: () => void = () => undefined;
    const left = new Promise<{ value: undefined; thrown: null; deadline: Fault | null }>((resolve) => {
      const leave = (why: Fault | null): void => {
        void core.idle().then(() => core.clock.soon(() => resolve({ value: undefined, thrown: null, deadline: why })));
      };
      const late = fault("TurnTimeout", { message: `turn ${live.id} was not finished in time` });
      if (Number.isFinite(live.deadlineAt)) {
        disarm = core.clock.after(live.deadlineAt - core.clock.now(), () => leave(late));
      }
      scope.add({ cancel: () => leave(null) });
    });
    const result = await Promise.race([ended, left]);
    disarm();
    return result;
  }

  async #close(result: TurnResult): Promise<void> {
    const core = this.#core;
    const { turn, status, fault: why } = result;
    if (why !== null && why.class === "Session") return;
    const done = status !== "waiting";
    const keeps: Keep[] = done
      ? [{ kind: "result", key: `${this.id}/turn:${turn}`, value: result }, ...core.withoutQuestions(turn)]
      : [];
    for (const { call, turn: of } of core.state.calls.values()) {
      if (done && of === turn) keeps.push({ kind: "result", key: `${this.id}/${call}`, value: null });
    }
    await core.recorder.record([{ type: "turn-ended", turn, status, fault: why }], keeps, core.clock.now());
    await core.keep([{ kind: "snapshot", key: this.id, value: snapshotOf(core.state) }]);
  }

  async #recall({ turn }: TurnRecord): Promise<TurnResult> {
    const kept = await this.#core.engine.journal.kept("result", `${this.id}/turn:${turn}`);
    if (kept === undefined || kept === null) {
      throw new FaultError(
        fault("ManifestDrift", { message: `turn ${turn} is over, but its result is not in the journal` }),
      );
    }
    return kept as TurnResult;
  }

  #refusal(known: TurnRecord | undefined): Fault | null {
    const { maxTurns, runTimeoutMs } = this.#limits;
    const { state, clock } = this.#core;
    if (known === undefined && state.turns.size >= maxTurns) {
      return fault("TurnLimit", { message: `the session has had its ${maxTurns} turns`, context: { limit: maxTurns } });
    }
    if (clock.now() < this.#runDeadlineAt()) return null;
    return fault("RunTimeout", {
      message: `the session has run for ${runTimeoutMs} ms`,
      context: { limit: runTimeoutMs },
    });
  }

  #runDeadlineAt(): number {
    return this.#core.state.startedAt + this.#limits.runTimeoutMs;
  }

  /** Stops everything in it at once. Wins over every other end. */
  async cancel(reason = ""): Promise<void> {
    this.#core.scope.cancel(cancellation("session", reason));
    await this.#core.idle();
    await this.#queue;
    await this.#end("cancelled", cancellation("session", reason));
  }

  /** Nothing more comes: writes the one event that ends the session. */
  async end(status: "done" | "failed" = "done"): Promise<void> {
    await this.#queue;
    await this.#core.idle();
    await this.#end(status, null);
  }

  async #end(status: SessionStatus, why: Fault | null): Promise<void> {
    if (this.#ended !== null) return;
    this.#ended = status;
    const { recorder, clock } = this.#core;
    const ended = { type: "session-ended", status, fault: why } as const;
    await recorder.record([ended], this.#core.withoutQuestions(null), clock.now());
    await recorder.settled();
  }

  async entries(): Promise<readonly Entry[]> {
    const entries: Entry[] = [];
    for await (const entry of this.#core.engine.journal.read(this.id)) entries.push(entry);
    return entries;
  }

  /** Every decision about a failure, as the tool error handling specification writes it. */
  async trace(turn?: string): Promise<readonly TraceRecord[]> {
    return traceOf(await this.entries(), turn === undefined ? {} : { turn });
  }
}

function endedFault(session: string, status: SessionStatus): Fault {
  return fault("EngineState", {
    message: `session ${session} is over (${status}); begin a new one`,
    context: { session },
  });
}

function emptyResult(turn: string, why: Fault): TurnResult {
  return {
    turn,
    status: "failed",
    value: undefined,
    outcomes: {},
    missing: [],
    message: "",
    fault: why,
    questions: [],
    wakeAt: null,
  };
}
