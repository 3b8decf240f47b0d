// How long a model may take. What a program sets holds; the rest follows from what is known of the model, because one that
// thinks says nothing for minutes, and one that does not is broken long before that.

import { group, positive, shape } from "../../options/kind.ts";
import type { ModelFacts } from "../model-facts/facts-for.ts";

/** How long to wait for a model, in milliseconds. */
export interface Timeouts {
  /** Until the response begins. An answer as a whole begins when it is there. */
  readonly headersMs: number;
  /** From the start until the first content. */
  readonly firstTokenMs: number;
  /** Between two parts that bring the answer forward; keep-alives do not count. */
  readonly idleMs: number;
  /** The same while the model thinks. */
  readonly thinkingMs: number;
  /** The whole attempt. */
  readonly totalMs: number;
}

export interface ModelTimeouts {
  readonly stream: Timeouts;
  /** For an answer that comes as a whole: nothing of it can be seen before all of it is there. */
  readonly whole: Timeouts;
}

const IDLE_MS = 60_000;
const TOTAL_MS = 600_000;
/** So long `fetch` itself waits for headers. */
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
