// Where a vendor has stored what a later request continues (`previous_response_id`). Only what a fallback has stored is remembered: all else
// is where its route begins.
// S1  It is in the journal before the client has the whole answer, so a restart or another process of the journal finds it.

import { classify } from "../../core/classify/classify.ts";
import type { Fault } from "../../core/fault/fault.ts";
import { objectOf, textOf } from "../../core/json-fields.ts";
import type { Clock } from "../../host/clock.ts";
import type { Journal } from "../../journal/journal.ts";

interface PlacesDeps {
  readonly journal: Journal;
  readonly clock: Clock;
  readonly suppress: (fault: Fault, reason: string) => void;
}

export class StoredPlaces {
  readonly #deps: PlacesDeps;

  constructor(deps: PlacesDeps) {
    this.#deps = deps;
  }

  /** The target that has it; null when that is not known. */
  async find(id: string): Promise<string | null> {
    try {
      return textOf(objectOf(await this.#deps.journal.kept("stored", id))?.["target"]) || null;
    } catch (error) {
      this.#suppress(error, "the gateway looks for a stored response where its route begins");
      return null;
    }
  }

  async note(id: string, target: string): Promise<void> {
    const { journal, clock } = this.#deps;
    try {
      await journal.keep([{ kind: "stored", key: id, value: { at: clock.now(), target } }]);
    } catch (error) {
      this.#suppress(error, "the gateway forgets where a response is stored");
    }
  }

  #suppress(error: unknown, reason: string): void {
    const { suppress, clock } = this.#deps;
    suppress(classify({ surface: "store", error, observedAt: clock.now() }), reason);
  }
}
