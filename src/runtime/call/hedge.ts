// A second attempt beside a silent one (`core/decide/hedge.ts` decides): both belong to one call.
// H4  The first of the two that claims the answer wins. The other is given up at that moment, so the caller sees nothing of it.
// H5  The cost of each is booked exactly once, however it ended.
// H6  If the first attempt fails while the second one runs, `decide` is asked as usual, but its decision waits for the second one to end.
// Calls of a session are not hedged: after a crash, a session can continue one unfinished attempt of a call, not two.

import { hedgeDelayMs, hedgeTarget } from "../../core/decide/hedge.ts";
import { fault } from "../../core/fault/fault.ts";
import type { SentHedge } from "../../core/flow/call.ts";
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
  hedgesSent: number;
  second(binding: Binding): SecondRun;
}

const OUTRUN = fault("ToolCancelled", { message: "another target of the chain answered first" });
/** Stands for the silence when the chain is asked for its next target. The journal never sees it. */
const SILENT = fault("NetworkTimeout", { message: "the target is silent", context: { phase: "first-token" } });

/** Watches an attempt that begins. null if the chain, the request or the session does not allow a second one. */
export function hedgeFor(run: HedgedRun, first: Attempt): Hedge | null {
  const { tool } = run.binding;
  const options = tool.member?.chain.hedge ?? null;
  const hedging = (run.input as Partial<ChainRequest> | null)?.hedging;
  if (options === null || hedging === undefined || run.request.recorder.isSession || run.hedgesSent > 0) return null;
  return hedging.mayRepeat && tool.idempotent ? new Hedge(run, first, options, hedging.isStream) : null;
}

export class Hedge {
  private readonly run: HedgedRun;
  private readonly first: Attempt;
  private readonly isStream: boolean;
  private readonly disarm: () => void;
  private beside: SecondRun | null = null;
  /** Resolves when the second attempt has ended: with it if it won, otherwise with null. */
  private won: Promise<Attempt | null> | null = null;
  /** The attempt that answers the call; null while neither does. */
  private winner: Attempt | null = null;

  constructor(run: HedgedRun, first: Attempt, { after }: HedgeOptions, isStream: boolean) {
    this.run = run;
    this.first = first;
    this.isStream = isStream;
    const seen = RecentAttempts.report([run.binding.target.silence(isStream)]);
    this.disarm = run.engine.clock.after(hedgeDelayMs(after, seen, isStream), () => this.send());
  }

  /** Asked before anything of an attempt's answer is used. False: the other attempt has won. */
  claim(attempt: Attempt): boolean {
    if (this.winner !== null) return this.winner === attempt;
    this.winner = attempt;
    this.disarm();
    // The first attempt was silent for at least this long. Without this sample its target would look faster than it is.
    this.noteSilence(this.run.binding, this.first);
    if (attempt === this.first) this.beside?.withdraw(OUTRUN);
    else {
      if (this.beside !== null) this.noteSilence(this.beside.binding, attempt);
      this.first.giveUp(OUTRUN);
    }
    return true;
  }

  /** The call is over: no attempt of it continues. */
  stop(why: typeof OUTRUN): void {
    this.disarm();
    this.beside?.withdraw(why);
  }

  /** Called when the first attempt has ended. Records how both ended. */
  async settle(): Promise<void> {
    const { run, first } = this;
    this.disarm();
    if (first.end === "value") this.claim(first);
    if (this.winner !== null && this.winner !== first) await endLost(run, first);
    else {
      await endAttempt(run, first);
      if (run.record.state.step.at === "end") this.stop(OUTRUN);
    }
    const won = await this.won;
    if (won === null || this.beside === null) return;
    endWithoutRetry(run);
    await endAttempt(this.beside, won);
  }

  private send(): void {
    const { run, first } = this;
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
      isAnswering: first.end !== null || run.cancelled !== null || this.winner !== null,
      sent: run.hedgesSent,
      retryBudgetLeft: ({ id }) => bindingOf(id)?.retryBudget.canSpend(now) === true,
    });
    const other = target === null ? null : bindingOf(target.id);
    if (other === null || !other.tool.idempotent) return;
    run.hedgesSent += 1;
    other.retryBudget.spend(now);
    const beside = run.second(other);
    this.beside = beside;
    this.won = this.sendSecond(beside, { beside: binding.tool.id, silentMs: now - first.startedAt });
    // `settle` awaits it later and handles its error. Until then Node must not report it as unhandled.
    void Promise.allSettled([this.won]);
  }

  private async sendSecond(beside: SecondRun, hedge: SentHedge): Promise<Attempt | null> {
    const second = await beside.sendOnce(hedge);
    if (second === null) return null;
    if (second.end === "value") this.claim(second);
    if (this.winner === second) return second;
    await endLost(beside, second);
    return null;
  }

  private noteSilence({ target }: Binding, { startedAt }: Attempt): void {
    target.silence(this.isStream).note(true, this.run.engine.clock.now() - startedAt);
  }
}
