// Which target has stored the response that a later request continues (`previous_response_id`). Only responses of fallbacks are remembered:
// all others are at the first target of their route.
// S1  The place is in the journal before the client has the whole answer, so another process, or this one after a restart, finds it.

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

  /** The target that stored it; null if unknown. */
  async find(id: string): Promise<string | null> {
    try {
      return textOf(objectOf(await this.#deps.journal.kept("stored", id))?.["target"]) || null;
    } catch (error) {
      this.#suppress(error, "the gateway looks for the stored response at the first target of the route");
      return null;
    }
  }

  async note(id: string, target: string): Promise<void> {
    const { journal, clock } = this.#deps;
    try {
      await journal.keep([{ kind: "stored", key: id, value: { at: clock.now(), target } }]);
    } catch (error) {
      this.#suppress(
        error,
        "the gateway could not record which target stored a response; a later request that continues it may go to the wrong target",
      );
    }
  }

  #suppress(error: unknown, reason: string): void {
    const { suppress, clock } = this.#deps;
    suppress(classify({ surface: "store", error, observedAt: clock.now() }), reason);
  }
}
