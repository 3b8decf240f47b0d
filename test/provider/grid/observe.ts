// Observes one cell of the grid: the package asks, the server fails, and the result is recorded.

import type { Cost } from "../../../src/core/flow/money.ts";
import { createFaultline, type FaultCode, isFaultError, type JournalEvent } from "../../../src/index.ts";
import { createSeededChance } from "../../../src/testing/seeded-chance.ts";
import { askClient, askModel, type Caught, type Question, standIn } from "./columns.ts";
import type { Expected, Place } from "./expected.ts";
import type { GridWorld } from "./grid-world.ts";

/** What the caller has seen in the end. `part`: some of the answer, and then an error. */
export type Sight = "nothing" | "part" | "whole";

/** What the first failed attempt cost: nothing, reported, estimated, or unknown. */
export type Price = "free" | "reported" | "estimated" | "unpriced";

export interface Observed extends Expected {
  /** Requests that met anything but the fault; there are none. */
  readonly strays: number;
  /** Of the failing provider's last answer; null if there was none. */
  readonly lastStatus: number | null;
  /** The error the caller got; null if there was none. */
  readonly error: unknown;
}

const TIMEOUTS = { headersMs: 40_000, firstTokenMs: 45_000, idleMs: 50_000, totalMs: 300_000 };

/** How long the port may be closed after a fault, until everything the call left behind is over. */
const AFTERMATH_MS = 2_000;

/** Parameters for faults that would prove little otherwise: this one lasts longer than the first word may take. */
const TOLD: Readonly<Partial<Record<string, string>>> = { "slow-drip": "slow-drip; wait-ms=4000" };

const QUESTIONS: Readonly<Partial<Record<string, Question>>> = {
  "truncated-tool-call": "tool",
  "invalid-tool-call": "tool",
  "unknown-tool": "tool",
  "schema-invalid": "json",
  "invalid-json-output": "json",
  "prefill-rejected": "prefill",
};

export async function observe(world: GridWorld, place: Place, hasStandIn: boolean): Promise<Observed> {
  const { clock, chaos, healthy } = world;
  const { column, streaming } = place;
  const { id } = place.row;
  chaos.reset();
  healthy.reset();
  const fl = createFaultline({ clock, chance: createSeededChance(1) });
  const { fetch, sent } = world.afflicted(TOLD[id] ?? id);
  const question = QUESTIONS[id] ?? "text";
  const asking =
    column.through === "model"
      ? askModel(
          fl.model([column.model(chaos, fetch), ...(hasStandIn ? [standIn(healthy)] : [])], { timeouts: TIMEOUTS }),
          question,
          streaming,
        )
      : askClient(
          column.ask(chaos, fl.fetch({ provider: column.provider, timeouts: TIMEOUTS, fetch }), question, streaming),
          streaming,
        );
  const caught = await clock.runUntil(asking);
  await clock.advance(AFTERMATH_MS);
  const failures = fl
    .recent()
    .map(({ event }) => event)
    .filter(isFailure);
  const [first] = failures;
  return {
    code: first?.fault.code ?? null,
    decided: failures.map(({ decision }) => decision.recourse),
    requests: sent(),
    price: first?.cost === undefined ? null : priceOf(first.cost),
    sees: sightOf(caught),
    stoodIn: healthy.received().length,
    strays: chaos.received().filter(({ fault, complaint }) => fault !== id || complaint !== null).length,
    lastStatus: chaos.received().at(-1)?.status ?? null,
    error: caught.error,
  };
}

type Failure = Extract<JournalEvent, { readonly type: "call-failed" }>;

function isFailure(event: JournalEvent): event is Failure {
  return event.type === "call-failed";
}

function sightOf({ pieces, error }: Caught): Sight {
  if (pieces === 0) return "nothing";
  return error === null ? "whole" : "part";
}

function priceOf(cost: Cost | null): Price | null {
  if (cost === null) return null;
  return cost.basis === "reported" && cost.microcents === 0 ? "free" : cost.basis;
}

/** The code of an error, or of its cause: SDKs wrap what their fetch throws, or keep the response's headers. */
export function codeIn(error: unknown): FaultCode | null {
  for (let at = error; at instanceof Error; at = at.cause ?? toldInHeaders(at))
    if (isFaultError(at)) return at.fault.code;
  return null;
}

function toldInHeaders(error: Error): unknown {
  const { headers } = error as { readonly headers?: { readonly cause?: unknown } };
  return headers?.cause;
}
