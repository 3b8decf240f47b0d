// The memory of past incidents: how each recourse went, per kind of fault. `decide` reads it and says so when it used it.
// Bounded in number and in age, so that what never worked is tried again after a while.

import type { Incident } from "../../core/decide/situation.ts";
import type { Recourse } from "../../core/policy/policy.ts";
import { noteIncident, type Noted, recentIncidents } from "../../core/record/incidents.ts";

const MAX_FINGERPRINTS = 1_000;
/** What an hour ago did not help may help now. */
export const INCIDENT_MEMORY_MS = 3_600_000;

export class Incidents {
  readonly #noted = new Map<string, readonly Noted[]>();
  readonly #changed: (fingerprint: string, noted: readonly Noted[] | null) => void;

  /** `changed` gets null for what is forgotten. */
  constructor(changed: (fingerprint: string, noted: readonly Noted[] | null) => void) {
    this.#changed = changed;
  }

  restore(fingerprint: string, noted: readonly Noted[]): void {
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
