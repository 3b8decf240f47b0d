// An error that is ignored on purpose is still reported, as an event with the reason. No error is swallowed silently.

import type { Fault } from "./fault.ts";

/** A failure that was passed over, and why. */
export interface SuppressedFault {
  readonly type: "fault-suppressed";
  readonly at: number;
  /** Why going on is right. */
  readonly reason: string;
  readonly fault: Fault;
}

/** A failure that is passed over, with the reason for it. */
export function suppressed(fault: Fault, reason: string, at: number): SuppressedFault {
  return Object.freeze({ type: "fault-suppressed", at, reason, fault });
}
