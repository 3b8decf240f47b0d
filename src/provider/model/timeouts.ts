// How long a model may take. The program's settings win. The other limits depend on the model: a reasoning model may be silent for
// minutes, while any other model is broken long before that.

import { group, positive, shape } from "../../options/kind.ts";
import type { ModelFacts } from "../model-facts/facts-for.ts";

/** How long to wait for a model, in milliseconds. */
export interface Timeouts {
  /** Until the response begins. Without streaming, that is when the whole answer is ready. */
  readonly headersMs: number;
  /** From the start until the first content. */
  readonly firstTokenMs: number;
  /** Between two pieces of content; keep-alives do not count. */
  readonly idleMs: number;
  /** The same while the model is reasoning. */
  readonly thinkingMs: number;
  /** The whole attempt. */
  readonly totalMs: number;
}

export interface ModelTimeouts {
  readonly stream: Timeouts;
  /** For an answer that is not streamed: nothing is visible before all of it has arrived. */
  readonly whole: Timeouts;
}

const IDLE_MS = 60_000;
const TOTAL_MS = 600_000;
/** The time Node's `fetch` itself waits for headers. */
const WHOLE_MS = 300_000;

export function modelTimeouts(given: Partial<Timeouts>, { quietMs }: Pick<ModelFacts, "quietMs">): ModelTimeouts {
  const { headersMs = quietMs, firstTokenMs = quietMs, idleMs = IDLE_MS } = given;
  const thinkingMs = given.thinkingMs ?? given.idleMs ?? quietMs;
  const totalMs = given.totalMs ?? Math.max(TOTAL_MS, 2 * quietMs);
  const isSet = given.headersMs !== undefined || given.firstTokenMs !== undefined;
  const wholeMs = isSet
    ? Math.min(given.headersMs ?? Infinity, given.firstTokenMs ?? Infinity)
    : Math.max(WHOLE_MS, quietMs);
  return {
    stream: { headersMs, firstTokenMs, idleMs, thinkingMs, totalMs },
    whole: { headersMs: wholeMs, firstTokenMs: wholeMs, idleMs, thinkingMs, totalMs },
  };
}

export const timeoutsKind = group(
  shape<Timeouts>({
    headersMs: positive,
    firstTokenMs: positive,
    idleMs: positive,
    thinkingMs: positive,
    totalMs: positive,
  }),
);
