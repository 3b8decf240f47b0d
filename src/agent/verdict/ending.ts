// How a run of an agent CLI ended, as seen by whoever ran it.

import type { Fault } from "../../core/fault/fault.ts";

export type TimerPhase = "startup" | "idle" | "total";

/** Why we stopped a run ourselves that nobody had cancelled and no timer had ended. */
export type StopReason =
  | "permission-loop" // it asked again and again for what it is not allowed
  | "step-loop" //       its steps ended for no reason, one after the other
  | "network-wait" //    it waited for the network and would have done so for ever
  | "no-cure" //         it kept trying what no retry cures
  | "elsewhere" //       it kept trying, and another target can be asked
  | "after-result"; //   its result was there, but the process stayed

export interface AgentEnding {
  readonly exitCode: number | null;
  readonly signal: string | null;
  readonly stderrTail: string;
  readonly stdoutTail: string;
  /** The process could not be started. */
  readonly spawnError?: { readonly code: string };
  /** Our own timer that ended it. */
  readonly timedOut?: TimerPhase;
  /** The caller cancelled it. */
  readonly aborted?: boolean;
  readonly stopped?: StopReason;
  /** What it kept trying again for when we stopped it: what it said until its end may have covered that up. */
  readonly stoppedFor?: Fault;
  /** Epoch milliseconds. */
  readonly observedAt: number;
  /** The zone this machine's clock shows, as `Europe/Berlin`: some CLIs name a time of day without one. */
  readonly timeZone?: string;
}
