// A retry that is due while its target is known to be sick: another call's attempt may answer for it (O1–O3 in `outage.ts`).

import { Moment } from "../../host/clock.ts";
import type { Sharer, Shown } from "../target/outage.ts";
import { recordHeld } from "./admit.ts";
import { ignoresOpenBreaker, type LiveCall } from "./live-call.ts";

/** Waits while others try the target. null: this call has to try it itself; otherwise, what another call's attempt showed. */
export async function shareAttempt(run: LiveCall): Promise<Shown | "cancelled" | null> {
  const { decision, attempt } = run.record.state;
  if (decision?.recourse !== "retry" || attempt === 0) return null;
  const wait = new SharedWait(run, decision.delayMs);
  if (!wait.mayGo()) await wait.untilDue();
  return run.cancelled === null ? wait.shown : "cancelled";
}

class SharedWait implements Sharer {
  sentBefore = 0;
  shown: Sharer["shown"] = null;
  goAt: number | null = null;
  readonly #run: LiveCall;
  readonly #waitedMs: number;
  /** By then its own attempt would have timed out. */
  readonly #latest: Moment;

  constructor(run: LiveCall, waitedMs: number) {
    this.#run = run;
    this.#waitedMs = waitedMs;
    const { clock } = run.engine;
    this.#latest = new Moment(clock, clock.now() + Math.max(waitedMs, run.binding.tool.timeoutMs));
  }

  wake(): void {
    this.#run.wake?.();
  }

  /** Claims the moment if it may; the other waiting calls see the claim at once. */
  mayGo(): boolean {
    const run = this.#run;
    const { target } = run.binding;
    const { outage } = target;
    const now = run.engine.clock.now();
    if (this.#nextAt(now) > now) return false;
    if (this.goAt !== null && outage.isSick) {
      // It was released, and the target failed again before its turn came.
      this.goAt = null;
      this.sentBefore = outage.count;
      return this.mayGo();
    }
    if (outage.isSick) outage.claim(now);
    if (this.#isBesideProbe()) run.ticket = target.admit(now);
    return true;
  }

  async untilDue(): Promise<void> {
    const run = this.#run;
    const { outage } = run.binding.target;
    const { clock } = run.engine;
    outage.join(this);
    recordHeld(run, "paced", Math.ceil(this.#nextAt(clock.now())));
    try {
      while (run.cancelled === null && this.shown === null && !this.mayGo()) {
        await run.waitOnce(this.#nextAt(clock.now()));
      }
    } finally {
      outage.leave(this);
    }
  }

  /** When it may be sent if no other attempt answers first. No call waits past its deadline to spare the target a request. */
  #nextAt(now: number): number {
    const { binding, request } = this.#run;
    const { outage } = binding.target;
    const goAt = this.goAt ?? Math.min(outage.mayGoAt(this.#waitedMs), this.#latest.at);
    const probeEndsAt = this.#isBesideProbe() ? (binding.target.retryAt(now) ?? now) : now;
    if (probeEndsAt > now) return Math.min(Math.max(goAt, probeEndsAt), request.deadline.at);
    return goAt < request.deadline.at ? goAt : now;
  }

  /** No attempt is sent beside a half-open breaker's probe: it waits for the probe's result, or becomes the next probe. */
  #isBesideProbe(): boolean {
    const run = this.#run;
    const { target } = run.binding;
    if (target.breaker.state !== "half-open" || !ignoresOpenBreaker(run)) return false;
    return run.ticket === null || !target.honours(run.ticket);
  }
}
