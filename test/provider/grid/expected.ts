// The expected value of each cell, from three independent sources: the code from the server's fault table, retries and fallbacks
// from the default policy, and what is seen and paid from the fault's position in the answer.

import { CONTENTS } from "../../../src/chaos/faults/contents.ts";
import { forProtocol } from "../../../src/chaos/faults/fault-row.ts";
import { STATUSES } from "../../../src/chaos/faults/statuses.ts";
import { CHAOS_FAULTS, type ChaosFault } from "../../../src/chaos/faults.ts";
import {
  DEFAULT_POLICY,
  type FaultCode,
  type PolicyRow,
  type Recourse,
  rowFor,
  traitsOf,
} from "../../../src/core/index.ts";
import { type Column, COLUMNS } from "./columns.ts";
import { type Exception, exceptionFor } from "./exceptions.ts";
import type { Price, Sight } from "./observe.ts";

export interface Place {
  readonly row: ChaosFault;
  readonly column: Column;
  readonly streaming: boolean;
}

export interface Expected {
  /** Of the first failed attempt; null if none failed. */
  readonly code: FaultCode | null;
  /** The decisions, one word for each failed attempt. */
  readonly decided: readonly string[];
  /** On the wire, to the failing provider. */
  readonly requests: number;
  /** Of the first failed attempt. */
  readonly price: Price | null;
  readonly sees: Sight;
  /** Answers of the fallback. */
  readonly stoodIn: number;
}

export interface Cell {
  readonly alone: Expected;
  /** With a fallback; null where there can be none. */
  readonly inChain: Expected | null;
}

export const PLACES: readonly Place[] = COLUMNS.flatMap((column) =>
  CHAOS_FAULTS.flatMap((row) =>
    [false, true]
      .filter((streaming) => streaming || row.needs === "any")
      .map((streaming) => ({ row, column, streaming })),
  ),
);

export function cellFor(place: Place, exception: Exception | null = exceptionFor(place)): Cell {
  const { row, column, streaming } = place;
  const met: Met = {
    code: exception?.code === undefined ? forProtocol(row.means, column.protocol) : exception.code,
    isOut: exception?.isOut ?? (streaming && row.afterOutput),
    price: exception?.price ?? priceOf(row),
  };
  return { alone: expectedOf(met, false), inChain: column.through === "fetch" ? null : expectedOf(met, true) };
}

/** What every attempt meets. */
interface Met {
  readonly code: FaultCode | null;
  /** The caller has seen part of the answer, so nothing can be hidden from it. */
  readonly isOut: boolean;
  readonly price: Price;
}

function expectedOf({ code, isOut, price }: Met, hasStandIn: boolean): Expected {
  if (code === null) return { code, decided: [], requests: 1, price: null, sees: "whole", stoodIn: 0 };
  const { retry, then } = rowFor(DEFAULT_POLICY, { code }, { surface: "http", provider: "", tool: "", stage: "" });
  const goesOver = hasStandIn && !isOut && isAllowed("fallback", then);
  const retries = isOut || retry === null ? 0 : (goesOver ? attemptsBeforeFallback(code) : retry.maxAttempts) - 1;
  const asksAgain = !isOut && isAllowed("regenerate", then);
  const last = goesOver ? "fallback" : (then.find((each) => LAST_OFFERS.includes(each)) ?? "fail");
  const decided = [...Array.from({ length: retries }, () => "retry"), ...(asksAgain ? ["regenerate"] : []), last];
  const sees = goesOver ? "whole" : isOut ? "part" : "nothing";
  return { code, decided, requests: decided.length, price, sees, stoodIn: goesOver ? 1 : 0 };
}

/** While another target is available, one more try is enough (`retryBeforeFallback` of `fl.model`), and none for a silent one. */
function attemptsBeforeFallback(code: FaultCode): number {
  return traitsOf(code).cause === "timeout" ? 1 : 2;
}

/** What is left without a session, a person, a smaller prompt or a new credential. */
const LAST_OFFERS: readonly Recourse[] = ["surface", "fail"];

/** Before anything that would end the call. */
function isAllowed(recourse: Recourse, then: PolicyRow["then"]): boolean {
  const at = then.indexOf(recourse);
  return at !== -1 && !then.slice(0, at).some((each) => LAST_OFFERS.includes(each));
}

/** A refusal costs nothing; a whole answer, however bad, has a reported price; a broken one has an unknown price. */
function priceOf({ id }: ChaosFault): Price {
  if (REFUSED.has(id)) return "free";
  return ANSWERED.has(id) ? "reported" : "estimated";
}

const REFUSED: ReadonlySet<string> = new Set<string>([
  ...STATUSES.map(({ id }) => id),
  "error-in-body",
  "odd-error-in-body",
  "error-first-event",
]);
const ANSWERED: ReadonlySet<string> = new Set(CONTENTS.map(({ id }) => id));
