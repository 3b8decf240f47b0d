// A retry that is due while its target is known to be sick: another call's attempt may show what this one would (O1–O3).

import { Moment } from "../../host/clock.ts";
import type { Sharer } from "../target/outage.ts";
import { endShared } from "./call-ending.ts";
import { tellHeld } from "./guards.ts";
import { goesOnPastBreaker, type LiveCall } from "./live-call.ts";

/** Waits as long as others try the target. False: another call's attempt stood for this one, or the call was cancelled. */
export async function shareAttempt(run: LiveCall): Promise<boolean> {
  const { decision, attempt } = run.record.state;
  if (decision?.recourse !== "retry" || attempt === 0) return true;
  const held = new Held(run, decision.delayMs);
  if (!held.mayGo()) await held.wait();
  if (run.cancelled !== null) return false;
  if (held.shown === null) return true;
  await endShared(run, held.shown);
  return false;
}

class Held implements Sharer {
  sentBefore = 0;
  shown: Sharer["shown"] = null;
  goAt: number | null = null;
  readonly #run: LiveCall;
  readonly #waitedMs: number;
  /** By then an attempt of its own would have been given up. */
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

  /** Takes the moment, if it may: the others see it at once. */
  mayGo(): boolean {
    const run = this.#run;
    const { target } = run.binding;
    const { outage } = target;
    const now = run.engine.clock.now();
    if (this.#nextAt(now) > now) return false;
    if (this.goAt !== null && outage.isSick) {
      // It was set free, and the target has fallen sick again before its turn came.
      this.goAt = null;
      this.sentBefore = outage.count;
      return this.mayGo();
    }
    if (outage.isSick) outage.claim(now);
    if (this.#isBesideProbe()) run.ticket = target.admit(now);
    return true;
  }

  async wait(): Promise<void> {
    const run = this.#run;
    const { outage } = run.binding.target;
    const { clock } = run.engine;
    outage.join(this);
    tellHeld(run, "paced", Math.ceil(this.#nextAt(clock.now())));
    try {
      while (run.cancelled === null && this.shown === null && !this.mayGo()) {
        await run.waitOnce(this.#nextAt(clock.now()));
      }
    } finally {
      outage.leave(this);
    }
  }

  /** When it may go out if nothing is shown before. No call is held past its deadline to spare the target a request. */
  #nextAt(now: number): number {
    const { binding, request } = this.#run;
    const { outage } = binding.target;
    const goAt = this.goAt ?? Math.min(outage.mayGoAt(this.#waitedMs), this.#latest.at);
    const probeEndsAt = this.#isBesideProbe() ? (binding.target.retryAt(now) ?? now) : now;
    if (probeEndsAt > now) return Math.min(Math.max(goAt, probeEndsAt), request.deadline.at);
    return goAt < request.deadline.at ? goAt : now;
  }

  /** Nothing goes out beside the probe of a half-open breaker: it waits for what that shows, or becomes the next one. */
  #isBesideProbe(): boolean {
    const run = this.#run;
    const { target } = run.binding;
    if (target.breaker.state !== "half-open" || !goesOnPastBreaker(run)) return false;
    return run.ticket === null || !target.honours(run.ticket);
  }
}
