// What the memory of past incidents says about one recourse.
// L1  only a run of tries that all went the same way, up to the newest, says anything.
// L2  what failed is left alone for as long as it has been failing, then tried once more: an outage is held against it no
//     longer than it lasted. Within bounds: a burst of failures lasts no time at all, and a long outage may be over at any moment.

import type { Policy, Recourse } from "../policy/policy.ts";
import type { Situation } from "./situation.ts";

/** Parallel calls fail at nearly the same moment, which says nothing about how long an outage lasts. */
export const LEAST_REST_MS = 10_000;
/** One try in a minute costs little, and shows that it is over. */
export const MOST_REST_MS = 60_000;

/** How the last tries of this recourse at this kind of fault went, when there were enough and all went the same way. */
export function lastTries(
  recourse: Recourse | "retry",
  { incidents, now }: Pick<Situation, "incidents" | "now">,
  { learnsAfter }: Pick<Policy, "learnsAfter">,
): "worked" | "failed" | null {
  if (learnsAfter === 0) return null;
  let tries = 0;
  let worked = false;
  let newestAt = 0;
  let oldestAt = 0;
  for (const incident of incidents) {
    if (incident.recourse !== recourse) continue;
    if (tries === 0) {
      worked = incident.worked;
      newestAt = incident.at;
    } else if (incident.worked !== worked) break;
    tries += 1;
    oldestAt = incident.at;
  }
  if (tries < learnsAfter) return null;
  if (worked) return "worked";
  return isResting(newestAt - oldestAt, now - newestAt) ? "failed" : null;
}

/** A time before the last try means that the clock was set back, so the age is unknown. */
function isResting(failedForMs: number, restedMs: number): boolean {
  return restedMs >= 0 && restedMs < Math.min(Math.max(failedForMs, LEAST_REST_MS), MOST_REST_MS);
}
