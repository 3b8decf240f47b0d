// The memory of past incidents as data: how each recourse went when one kind of fault was met, newest first and bounded.

import type { Incident } from "../decide/situation.ts";

export const MAX_NOTED = 20;

/** The memory with one more; the oldest goes when there are too many. */
export function noteIncident(list: readonly Incident[], noted: Incident): readonly Incident[] {
  // Results may come late, so the place is found by time. Of the same time, the one noted last is the newer.
  const place = list.findIndex(({ at }) => at <= noted.at);
  const before = place === -1 ? list.length : place;
  return [...list.slice(0, before), noted, ...list.slice(before)].slice(0, MAX_NOTED);
}

/** What is not older than `maxAgeMs`, as `decide` reads it. */
export function recentIncidents(list: readonly Incident[], now: number, maxAgeMs: number): readonly Incident[] {
  const oldest = list.at(-1);
  // The list is ordered by time: when its last entry is recent, all are.
  return oldest === undefined || now - oldest.at <= maxAgeMs ? list : list.filter(({ at }) => now - at <= maxAgeMs);
}
