// The memory of past incidents: how each recourse went, per kind of fault. `decide` reads it, and its reasons say when it used it.
// Bounded in number and in age. Within that age, `decide` chooses how long a failure counts.

import type { Incident } from "../../core/decide/situation.ts";
import type { Recourse } from "../../core/policy/policy.ts";

export const MAX_FINGERPRINTS = 1_000;
/** What helped an hour ago may not help now, and the other way round. */
const INCIDENT_MEMORY_MS = 3_600_000;

export class Incidents {
  #count = 0;
  /** For each kind of note, the value of `#count` at the last one. */
  readonly #lastOf = new Map<string, number>();
  readonly #noted = new Map<string, readonly Incident[]>();
  readonly #changed: (fingerprint: string, noted: readonly Incident[] | null) => void;

  /** `changed` gets null for a fingerprint that was forgotten. */
  constructor(changed: (fingerprint: string, noted: readonly Incident[] | null) => void) {
    this.#changed = changed;
  }

  restore(fingerprint: string, noted: readonly Incident[]): void {
    if (this.#noted.size < MAX_FINGERPRINTS && !this.#noted.has(fingerprint)) this.#noted.set(fingerprint, noted);
  }

  about(fingerprint: string, now: number): readonly Incident[] {
    const noted = this.#noted.get(fingerprint);
    return noted === undefined ? NONE : recentIncidents(noted, now, INCIDENT_MEMORY_MS);
  }

  /** How many were noted so far. */
  get noted(): number {
    return this.#count;
  }

  /**
   * Each outage is noted once: a call that began before the last note of the same kind has seen the same outage, so nothing is
   * noted for it. `after` is the value of `noted` when the call met the fault.
   */
  note(fingerprint: string, recourse: Recourse | "retry", worked: boolean, at: number, after: number): void {
    const kind = `${fingerprint} ${recourse} ${worked}`;
    if ((this.#lastOf.get(kind) ?? 0) > after) return;
    this.#lastOf.set(kind, ++this.#count);
    const noted = noteIncident(this.#noted.get(fingerprint) ?? [], { recourse, worked, at });
    this.#noted.set(fingerprint, noted);
    if (this.#noted.size > MAX_FINGERPRINTS) this.#forgetOldest();
    this.#changed(fingerprint, noted);
  }

  #forgetOldest(): void {
    for (const fingerprint of this.#noted.keys()) {
      this.#noted.delete(fingerprint);
      for (const kind of this.#lastOf.keys()) if (kind.startsWith(`${fingerprint} `)) this.#lastOf.delete(kind);
      this.#changed(fingerprint, null);
      return;
    }
  }
}

const NONE: readonly Incident[] = [];

// The memory of past incidents as data: how each recourse went when one kind of fault was met, newest first and bounded.

export const MAX_NOTED = 20;

/** The list with one more incident; drops the oldest when there are too many. */
export function noteIncident(list: readonly Incident[], noted: Incident): readonly Incident[] {
  // Results may come late, so the list is ordered by time. At the same time, the one noted last counts as newer.
  const place = list.findIndex(({ at }) => at <= noted.at);
  const before = place === -1 ? list.length : place;
  return [...list.slice(0, before), noted, ...list.slice(before)].slice(0, MAX_NOTED);
}

/** The incidents that are not older than `maxAgeMs`. */
export function recentIncidents(list: readonly Incident[], now: number, maxAgeMs: number): readonly Incident[] {
  const oldest = list.at(-1);
  // The list is ordered by time: when its last entry is recent, all are.
  return oldest === undefined || now - oldest.at <= maxAgeMs ? list : list.filter(({ at }) => now - at <= maxAgeMs);
}
