// A result that is there in part: the payload keeps its declared shape and the failures stand beside it, never inside it.

import type { Fault } from "./fault.ts";

/** The fault of one item among many. */
export interface ItemFault {
  /** Which item failed: an index, a URL, a name. */
  readonly item: string | number;
  readonly fault: Fault;
}

/** What came of many items, when some failed. */
export interface PartialResult<T> {
  readonly value: T;
  readonly errors: readonly ItemFault[];
}

/** How one item among many ended. */
export type ItemOutcome<T> =
  | { readonly item: string | number; readonly value: T }
  | { readonly item: string | number; readonly fault: Fault };

/** "Fetched 3 of 5": the values that came, in order, and a typed fault for each that did not. */
export function collectPartial<T>(outcomes: readonly ItemOutcome<T>[]): PartialResult<readonly T[]> {
  const value: T[] = [];
  const errors: ItemFault[] = [];
  for (const outcome of outcomes) {
    if ("fault" in outcome) errors.push({ item: outcome.item, fault: outcome.fault });
    else value.push(outcome.value);
  }
  return { value, errors };
}
