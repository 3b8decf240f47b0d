// How a run of an agent CLI ended, as seen by the process that started it.

import type { Fault } from "../../core/fault/fault.ts";

export type TimerPhase = "startup" | "idle" | "total";

/** Why Faultline itself stopped a run that was neither cancelled nor timed out. */
export type StopReason =
  | "permission-loop" // it kept asking for tools it is not allowed to use
  | "step-loop" //       its steps kept ending without a reason
  | "network-wait" //    it would have waited for the network forever
  | "no-cure" //         it kept retrying a failure that no retry can fix
  | "elsewhere" //       it kept retrying while another target can answer
  | "after-result"; //   it had printed its result, but did not exit

export interface AgentEnding {
  readonly exitCode: number | null;
  readonly signal: string | null;
  readonly stderrTail: string;
  /** The process could not be started. */
  readonly spawnError?: { readonly code: string; readonly message: string };
  /** The time limit that ended it. */
  readonly timedOut?: TimerPhase;
  /** The caller cancelled it. */
  readonly aborted?: boolean;
  readonly stopped?: StopReason;
  /** The failure it was retrying when we stopped it. Its later output may have hidden that failure. */
  readonly stoppedFor?: Fault;
  /** Epoch milliseconds. */
  readonly observedAt: number;
  /** The time zone of this machine, such as `Europe/Berlin`: some CLIs print a time of day without a zone. */
  readonly timeZone?: string;
}
