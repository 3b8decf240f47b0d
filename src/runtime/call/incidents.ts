// The memory of past incidents: how each recourse went, per kind of fault. `decide` reads it and says so when it used it.
// Bounded in number and in age; for how long a failure counts within that age is up to `decide`.

import type { Incident } from "../../core/decide/situation.ts";
import type { Recourse } from "../../core/policy/policy.ts";
import { noteIncident, recentIncidents } from "../../core/record/incidents.ts";

const MAX_FINGERPRINTS = 1_000;
/** What helped an hour ago may not help now, and the other way round. */
export const INCIDENT_MEMORY_MS = 3_600_000;

export class Incidents {
  readonly #noted = new Map<string, readonly Incident[]>();
  readonly #changed: (fingerprint: string, noted: readonly Incident[] | null) => void;

  /** `changed` gets null for what is forgotten. */
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

  note(fingerprint: string, recourse: Recourse | "retry", worked: boolean, at: number): void {
    const noted = noteIncident(this.#noted.get(fingerprint) ?? [], { recourse, worked, at });
    this.#noted.set(fingerprint, noted);
    if (this.#noted.size > MAX_FINGERPRINTS) this.#forgetOldest();
    this.#changed(fingerprint, noted);
  }

  #forgetOldest(): void {
    for (const fingerprint of this.#noted.keys()) {
      this.#noted.delete(fingerprint);
      this.#changed(fingerprint, null);
      return;
    }
  }
}

const NONE: readonly Incident[] = [];
