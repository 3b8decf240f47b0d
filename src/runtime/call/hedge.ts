// A second attempt beside a silent one: `core/decide/hedge.ts` says when, and which target gets it. Both belong to one call.
// H1  A call sends at most one second attempt.
// H2  Never for work that may not be done twice, and never after the caller has seen part of the answer.
// H3  It spends a token of the other target's retry budget when it is admitted: hedges are extra load, like retries. One that is not
//     admitted costs nothing.
// H4  The first of the two that claims the answer wins. The other is given up at that moment, so the caller sees nothing of it.
// H5  The cost of each is booked exactly once, however it ended.
// H6  If the first attempt fails while the second one runs, the call follows its decision at once: its next attempt runs beside the
//     second one. If no attempt may follow, or the next target is the one that the second attempt runs at, the call waits for it.
// Calls of a session are not hedged: after a crash, a session can continue one unfinished attempt of a call, not two.

import type { Ticket } from "../../core/decide/breaker.ts";
import { hedgeDelayMs, hedgeTarget } from "../../core/decide/hedge.ts";
import { type Fault, fault } from "../../core/fault/fault.ts";
import type { CallState, SentHedge } from "../../core/flow/call.ts";
import type { CallTrace } from "../../telemetry/call-trace.ts";
import type { Engine } from "../engine.ts";
import { Interruptible } from "../scope.ts";
import { RecentAttempts } from "../target/target.ts";
import type { Binding } from "../tool/binding.ts";
import type { ChainRequest, HedgeOptions } from "../tool/tool.ts";
import { meterAttempt, passGuards } from "./admit.ts";
import { Attempt, type AttemptOwner } from "./attempt.ts";
import { prepareInput } from "./prepare.ts";
import { chainAfter, hasFallback } from "./situation.ts";
import type { CallRecord, CallRequest, LiveCall } from "./live-call.ts";
import { endAttempt, endLost, endWithoutRetry, reportToBreaker, recordLate } from "./settle.ts";

/** A call that may send a second attempt. */
export interface HedgedRun extends LiveCall {
  readonly trace: CallTrace | null;
  cancelled: Fault | null;
  committed: boolean;
  /** Its second attempt was decided. */
  isHedged: boolean;
  cancel(why: Fault): void;
  /** Gives up its attempt, or its wait for one, because the second one has won. */
  withdraw(why: Fault): void;
}

const OUTRUN = fault("ToolCancelled", { message: "another target of the chain answered first" });
/** The fault with which the chain is asked for its next target. It is never written. */
const SILENT = fault("NetworkTimeout", { message: "the target is silent", context: { phase: "first-token" } });

/** Watches an attempt that begins. null if the chain, the request or the session does not allow a second one. */
export function hedgeFor(run: HedgedRun, own: Attempt): Hedge | null {
  const { tool } = run.binding;
  const options = tool.member?.chain.hedge ?? null;
  const hedging = (run.sentInput as Partial<ChainRequest> | null)?.hedging;
  if (options === null || hedging === undefined || run.request.recorder.isSession || run.isHedged) return null;
  return hedging.mayRepeat && tool.idempotent ? new Hedge(run, own, options, hedging.isStream) : null;
}

export class Hedge {
  private readonly run: HedgedRun;
  /** The call's own attempt: the silent one, or one that the call has sent since. */
  private own: Attempt;
  private readonly isStream: boolean;
  private readonly disarm: () => void;
  private beside: SecondAttempt | null = null;
  /** The second attempt has not ended. */
  private isOut = false;
  /** Resolves when the second attempt has ended: with it if it won, otherwise with null. */
  private won: Promise<Attempt | null> | null = null;
  /** The attempt that answers the call; null while neither does. */
  private winner: Attempt | null = null;

  constructor(run: HedgedRun, own: Attempt, { after }: HedgeOptions, isStream: boolean) {
    this.run = run;
    this.own = own;
    this.isStream = isStream;
    const seen = RecentAttempts.report([run.binding.target.silence(isStream)]);
    this.disarm = run.engine.clock.after(hedgeDelayMs(after, seen, isStream), () => this.send());
  }

  /** Asked before any part of an attempt's answer is used. False: the other attempt has won. */
  claim(attempt: Attempt): boolean {
    if (this.winner !== null) return this.winner === attempt;
    this.winner = attempt;
    const { run, own, beside } = this;
    // The loser was silent for at least this long. Without this sample its target would look faster than it is.
    if (own === attempt || own.end === null) this.noteSilence(run.binding, own);
    if (attempt === own) beside?.withdraw(OUTRUN);
    else {
      if (beside !== null) this.noteSilence(beside.binding, attempt);
      run.withdraw(OUTRUN);
    }
    return true;
  }

  /** The call is over: no attempt of it continues. */
  stop(why: Fault): void {
    this.beside?.withdraw(why);
  }

  /** The call sends another attempt of its own while the second one runs. */
  follow(own: Attempt): this {
    this.own = own;
    return this;
  }

  /** Called when the call's own attempt has ended. Records how. */
  async settle(): Promise<void> {
    const { run, own } = this;
    // Until then the timer does nothing if an attempt answers or the call is over.
    this.disarm();
    if (own.end === "value") this.claim(own);
    if (this.winner !== null && this.winner !== own) return endLost(run, own);
    await endAttempt(run, own);
    if (run.record.state.step.at === "end") this.stop(OUTRUN);
  }

  /** The second attempt runs, and the call may send its own next attempt beside it. */
  allowsNextAttempt({ step, tool }: CallState): boolean {
    return this.isOut && this.winner === null && step.at === "admit" && tool !== this.beside?.binding.tool.id;
  }

  /** Waits until the second attempt has ended. If it has won, it ends the call. */
  async finish(): Promise<void> {
    const { run } = this;
    const won = await this.won;
    if (run.cancelled === OUTRUN) run.cancelled = null;
    if (won === null || this.beside === null) return;
    endWithoutRetry(run);
    await endAttempt(this.beside, won);
  }

  private send(): void {
    const { run, own } = this;
    const { engine, binding } = run;
    const now = engine.clock.now();
    const { chain } = chainAfter(run, SILENT, now);
    const members = binding.tool.member?.chain.members ?? [];
    const bindingOf = (id: string): Binding | null => {
      const found = members.find((each) => each.id === id);
      return found === undefined ? null : binding.bindings.bind(found);
    };
    const target = hedgeTarget({
      chain,
      isAnswering: own.end !== null || run.cancelled !== null || this.winner !== null,
      mayTake: ({ id }) => {
        const other = bindingOf(id);
        return other !== null && other.tool.idempotent && other.retryBudget.canSpend(now);
      },
    });
    const other = target === null ? null : bindingOf(target.id);
    if (other === null) return;
    run.isHedged = true;
    const beside = new SecondAttempt(run, other, this);
    this.beside = beside;
    this.isOut = true;
    this.won = this.sendSecond(beside, { beside: binding.tool.id, silentMs: now - own.startedAt });
    // `finish` awaits it later and handles its error. Until then Node must not report it as unhandled.
    void Promise.allSettled([this.won]);
  }

  private async sendSecond(beside: SecondAttempt, hedge: SentHedge): Promise<Attempt | null> {
    try {
      const second = await beside.send(hedge);
      if (second === null) return null;
      if (second.end === "value") this.claim(second);
      if (this.winner === second) return second;
      await endLost(beside, second);
      return null;
    } finally {
      this.isOut = false;
    }
  }

  private noteSilence({ target }: Binding, { startedAt }: Attempt): void {
    target.silence(this.isStream).note(true, this.run.engine.clock.now() - startedAt);
  }
}

/** The second attempt of a call, at another target: it prepares the input for that target and passes its guards, like any attempt. */
class SecondAttempt extends Interruptible implements LiveCall, AttemptOwner {
  readonly engine: Engine;
  readonly request: CallRequest;
  readonly record: CallRecord;
  readonly call: string;
  readonly trace: CallTrace | null;
  readonly binding: Binding;
  readonly isUnderWay = false;
  committed = false;
  given: unknown;
  sentInput: unknown;
  ticket: Ticket | null = null;
  departure = 0;
  private readonly main: HedgedRun;
  private readonly hedge: Hedge;
  private running: Attempt | null = null;

  constructor(main: HedgedRun, binding: Binding, hedge: Hedge) {
    super(main.engine.clock);
    this.engine = main.engine;
    this.request = main.request;
    this.record = main.record;
    this.call = main.call;
    this.trace = main.trace;
    this.given = main.given;
    this.sentInput = main.given;
    this.main = main;
    this.binding = binding;
    this.hedge = hedge;
  }

  /** Sends it. Resolves when it has ended; null if it was not sent. */
  async send(hedge: SentHedge): Promise<Attempt | null> {
    const { engine, request, binding } = this;
    const { tool, target, retryBudget } = binding;
    if ((await prepareInput(this)) !== null) return null;
    const estimate = request.budget.isBounded ? binding.estimate(this.sentInput, engine.suppress) : null;
    let isAdmitted = false;
    let attempt: Attempt | null = null;
    try {
      isAdmitted = (await passGuards(this, estimate)) === null;
      // The first attempt may have answered since the guards let this one pass, and other calls may have spent the budget.
      if (!isAdmitted || this.isCancelled || !retryBudget.canSpend(engine.clock.now())) return null;
      retryBudget.spend(engine.clock.now());
      const { call } = this;
      const written = this.record.write({ type: "call-admitted", call, tool: tool.id, attempt: 1, hedge });
      if (written !== null) await written;
      const now = engine.clock.now();
      if (this.cancelled !== null || now >= request.deadline.at) return null;
      this.departure = target.outage.depart(now);
      attempt = new Attempt(this, 1, estimate, now);
      this.running = attempt;
      return await attempt.run(this.sentInput);
    } finally {
      this.running = null;
      if (isAdmitted) target.leave();
      if (isAdmitted && attempt === null) request.budget.settle(estimate, null);
      // The breaker may have let it through as its probe before another guard refused it.
      if (attempt === null) reportToBreaker(this, "neutral", engine.clock.now());
    }
  }

  /** Gives up its attempt, or its wait for one; the call continues. */
  withdraw(why: Fault): void {
    super.cancel(why);
    this.running?.giveUp(why);
  }

  override cancel(why: Fault): void {
    this.main.cancel(why);
  }

  claim(attempt: Attempt): boolean {
    return this.hedge.claim(attempt);
  }

  commit(attempt: Attempt): void {
    if (!this.claim(attempt)) return;
    this.committed = true;
    this.main.committed = true;
  }

  replaceInput(input: unknown): void {
    this.given = input;
    this.sentInput = input;
  }

  setSentInput(input: unknown): void {
    this.sentInput = input;
  }

  hasFallback(why: Fault | undefined): boolean {
    return hasFallback(this, why);
  }

  metered(attempt: Attempt, microcents: number): Fault | null {
    const isCovered = !this.request.budget.isBounded || microcents <= (attempt.reserved ?? 0);
    return isCovered ? null : meterAttempt(this, attempt, microcents);
  }

  late(attempt: Attempt, ok: boolean, result: unknown): void {
    recordLate(this, attempt, ok, result);
  }
}
