// A second attempt beside a silent one (`core/decide/hedge.ts` decides): both belong to one call.
// H4  The first of the two that claims the answer wins. The other is given up at that moment, so the caller sees nothing of it.
// H5  The cost of each is booked exactly once, however it ended.
// H6  If the first attempt fails while the second one runs, the call does at once what `decide` says: its next attempt then runs beside the
//     second one. Where the second one is the only way on, or the target that is next, the call waits for it.
// Calls of a session are not hedged: after a crash, a session can continue one unfinished attempt of a call, not two.

import { hedgeDelayMs, hedgeTarget } from "../../core/decide/hedge.ts";
import { fault } from "../../core/fault/fault.ts";
import type { CallState, SentHedge } from "../../core/flow/call.ts";
import { RecentAttempts } from "../target/target.ts";
import type { Binding } from "../tool/binding.ts";
import type { ChainRequest, HedgeOptions } from "../tool/tool.ts";
import type { Attempt } from "./attempt.ts";
import { chainAfter } from "./prepare.ts";
import type { LiveCall } from "./live-call.ts";
import { endAttempt, endLost, endWithoutRetry } from "./settle.ts";

/** The part of a call that sends one attempt to another target. */
export interface SecondRun extends LiveCall {
  /** Sends the second attempt. Resolves when it has ended; null if it was not sent. */
  sendOnce(hedge: SentHedge): Promise<Attempt | null>;
  /** Gives up its attempt, or its wait for one; the call continues. */
  withdraw(why: typeof OUTRUN): void;
}

export interface HedgedRun extends LiveCall {
  cancelled: LiveCall["cancelled"];
  hedgesSent: number;
  second(binding: Binding): SecondRun;
  /** Gives up its attempt, or its wait for one, because the second one has won. */
  withdraw(why: typeof OUTRUN): void;
}

const OUTRUN = fault("ToolCancelled", { message: "another target of the chain answered first" });
/** Stands for the silence when the chain is asked for its next target. The journal never sees it. */
const SILENT = fault("NetworkTimeout", { message: "the target is silent", context: { phase: "first-token" } });

/** Watches an attempt that begins. null if the chain, the request or the session does not allow a second one. */
export function hedgeFor(run: HedgedRun, own: Attempt): Hedge | null {
  const { tool } = run.binding;
  const options = tool.member?.chain.hedge ?? null;
  const hedging = (run.input as Partial<ChainRequest> | null)?.hedging;
  if (options === null || hedging === undefined || run.request.recorder.isSession || run.hedgesSent > 0) return null;
  return hedging.mayRepeat && tool.idempotent ? new Hedge(run, own, options, hedging.isStream) : null;
}

export class Hedge {
  private readonly run: HedgedRun;
  /** The call's own attempt: the silent one, or one that the call has sent since. */
  private own: Attempt;
  private readonly isStream: boolean;
  private readonly disarm: () => void;
  private beside: SecondRun | null = null;
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

  /** Asked before anything of an attempt's answer is used. False: the other attempt has won. */
  claim(attempt: Attempt): boolean {
    if (this.winner !== null) return this.winner === attempt;
    this.winner = attempt;
    this.disarm();
    const { run, own, beside } = this;
    // It was silent for at least this long. Without this sample its target would look faster than it is.
    if (own === attempt || own.end === null) this.noteSilence(run.binding, own);
    if (attempt === own) beside?.withdraw(OUTRUN);
    else {
      if (beside !== null) this.noteSilence(beside.binding, attempt);
      run.withdraw(OUTRUN);
    }
    return true;
  }

  /** The call is over: no attempt of it continues. */
  stop(why: typeof OUTRUN): void {
    this.disarm();
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
    this.disarm();
    if (own.end === "value") this.claim(own);
    if (this.winner !== null && this.winner !== own) return endLost(run, own);
    await endAttempt(run, own);
    if (run.record.state.step.at === "end") this.stop(OUTRUN);
  }

  /** The second attempt runs, and the call can go on beside it. */
  leavesWay({ step, tool }: CallState): boolean {
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
      mayRepeat: true,
      isAnswering: own.end !== null || run.cancelled !== null || this.winner !== null,
      sent: run.hedgesSent,
      retryBudgetLeft: ({ id }) => bindingOf(id)?.retryBudget.canSpend(now) === true,
    });
    const other = target === null ? null : bindingOf(target.id);
    if (other === null || !other.tool.idempotent) return;
    run.hedgesSent += 1;
    other.retryBudget.spend(now);
    const beside = run.second(other);
    this.beside = beside;
    this.isOut = true;
    this.won = this.sendSecond(beside, { beside: binding.tool.id, silentMs: now - own.startedAt });
    // `finish` awaits it later and handles its error. Until then Node must not report it as unhandled.
    void Promise.allSettled([this.won]);
  }

  private async sendSecond(beside: SecondRun, hedge: SentHedge): Promise<Attempt | null> {
    try {
      const second = await beside.sendOnce(hedge);
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
