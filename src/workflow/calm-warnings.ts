// A driver warns whenever it looks in vain. People want to read it once.

import type { Fault } from "../core/fault/fault.ts";
import type { Clock } from "../host/clock.ts";

type Tell = (run: string, fault: Fault) => void;

const AGAIN_MS = 60_000;

/** Passes the same trouble of the same run on once a minute. */
export function calmly(clock: Clock, tell: Tell): Tell {
  const toldAt = new Map<string, number>();
  return (run, fault) => {
    const now = clock.now();
    const key = `${run} ${fault.message}`;
    if (now - (toldAt.get(key) ?? -Infinity) < AGAIN_MS) return;
    for (const [old, at] of toldAt) if (now - at >= AGAIN_MS) toldAt.delete(old);
    toldAt.set(key, now);
    tell(run, fault);
  };
}
