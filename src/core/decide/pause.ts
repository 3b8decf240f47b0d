// A wait that the other side asked for, as data. Pauses of one target that several processes hold are merged like breakers: what a
// person lifted stays lifted, and of two pauses the longer one holds.

import type { Fault } from "../fault/fault.ts";

export interface Pause {
  /** Epoch milliseconds; 0 when the target asked for no wait. */
  readonly until: number;
  /** The answer that asked for the wait. */
  readonly fault: Fault | null;
  /** When a person last ended a pause early; 0 if no person did. */
  readonly liftedAt: number;
}

export const NO_PAUSE: Pause = Object.freeze({ until: 0, fault: null, liftedAt: 0 });

/** A longer wait was asked for; a shorter one changes nothing. */
export function extendPause(pause: Pause, until: number, fault: Fault): Pause {
  return until <= pause.until ? pause : { ...pause, until, fault };
}

/** A person ends the pause. One that is over is returned unchanged. */
export function liftPause(pause: Pause, now: number): Pause {
  return pause.until <= now ? pause : { ...NO_PAUSE, liftedAt: Math.max(now, pause.liftedAt + 1) };
}

/** The pause that two processes agree on. Returns `own` when the two are equal. */
export function mergePauses(own: Pause, other: Pause): Pause {
  if (own.liftedAt !== other.liftedAt) return other.liftedAt > own.liftedAt ? other : own;
  if (own.until !== other.until) return other.until > own.until ? other : own;
  return textOf(other) > textOf(own) ? other : own;
}

function textOf({ fault }: Pause): string {
  return fault === null ? "" : `${fault.code} ${fault.message}`;
}
