// Which target has stored the response that a later request continues (`previous_response_id`). If all routes try the same target first, only
// responses of the others are recorded.
// S1  The record is in the journal before the client has the whole answer, so other processes find it, and this one after a restart. A
//     journal that does not answer delays the end of an answer by ten seconds at most.

import { classify } from "../../core/classify/classify.ts";
import { fault, type Fault, FaultError } from "../../core/fault/fault.ts";
import { objectOf, textOf } from "../../core/json-fields.ts";
import type { Clock } from "../../host/clock.ts";
import type { Journal } from "../../journal/journal.ts";
import type { Protocol } from "../../provider/wire/protocol.ts";
import type { GatewaySettings, RouteStep } from "../config/settings.ts";
import { idOf, type TakenRoute } from "./routing.ts";

/** Only this dialect has stored responses. */
const DIALECT: Protocol = "openai-responses";

const speaks = ({ target }: RouteStep): boolean => target.dialects.includes(DIALECT);

/** The target that has the responses which are not recorded: the one that all routes try first. null: they differ, so all are recorded. */
export function homeOf({ routes, targets }: GatewaySettings): string | null {
  const inRoutes = routes.map(({ steps }) => steps.find(speaks)?.target.name ?? null);
  const offering = [...targets.values()].filter(
    ({ models, dialects }) => models.length > 0 && dialects.includes(DIALECT),
  );
  const names = new Set([...inRoutes, ...offering.map(({ name }) => name)].filter((name) => name !== null));
  return names.size === 1 ? ([...names][0] ?? null) : null;
}

/**
 * The step whose target has a stored response. All models of a target can continue it, so the client may ask for another one than before.
 * `storedAt`: the target that stored it, and its model; null: it is not recorded.
 */
export function stepOfStored(steps: TakenRoute["steps"], storedAt: string | null, model: string): RouteStep {
  const there = steps.filter((step) =>
    storedAt === null ? speaks(step) : storedAt.startsWith(`${step.target.name}/`),
  );
  return there.find((step) => idOf(step, model) === storedAt) ?? there[0] ?? steps[0];
}

interface PlacesDeps {
  readonly journal: Journal;
  readonly clock: Clock;
  readonly suppress: (fault: Fault, reason: string) => void;
}

const PATIENCE_MS = 10_000;

export class StoredPlaces {
  readonly #deps: PlacesDeps;

  constructor(deps: PlacesDeps) {
    this.#deps = deps;
  }

  /** The target that stored it; null if unknown. */
  async find(id: string): Promise<string | null> {
    try {
      const found = await this.#inTime(this.#deps.journal.kept("stored", id));
      return textOf(objectOf(found)?.["target"]) || null;
    } catch (error) {
      this.#suppress(error, "the gateway looks for the stored response at the first target of the route");
      return null;
    }
  }

  async note(id: string, target: string): Promise<void> {
    const { journal, clock } = this.#deps;
    try {
      await this.#inTime(journal.keep([{ kind: "stored", key: id, value: { at: clock.now(), target } }]));
    } catch (error) {
      this.#suppress(
        error,
        "the gateway could not record which target stored a response; a later request that continues it may go to the wrong target",
      );
    }
  }

  /** Waits for the journal, but not for long, because a client waits for the answer. */
  async #inTime<T>(asked: Promise<T>): Promise<T> {
    const late = Promise.withResolvers<never>();
    const message = `the journal has not answered for ${PATIENCE_MS / 1_000} seconds`;
    const disarm = this.#deps.clock.after(PATIENCE_MS, () =>
      late.reject(new FaultError(fault("StoreUnavailable", { message }))),
    );
    try {
      return await Promise.race([asked, late.promise]);
    } finally {
      disarm();
    }
  }

  #suppress(error: unknown, reason: string): void {
    const { suppress, clock } = this.#deps;
    suppress(classify({ surface: "store", error, observedAt: clock.now() }), reason);
  }
}
