// All faults, one row each. A fault is chosen by its id, and its row alone defines what happens.

import { BODIES } from "./faults/bodies.ts";
import { STREAMS } from "./faults/streams.ts";
import { CONTENTS } from "./faults/contents.ts";
import type { FaultRow, Parameters } from "./faults/fault-row.ts";
import { STATUSES } from "./faults/statuses.ts";

const ROWS = [...STATUSES, ...CONTENTS, ...BODIES, ...STREAMS] as const;

/** The name of a fault that the chaos provider can play. */
export type ChaosFaultId = (typeof ROWS)[number]["id"];
/** A fault that the chaos provider can play. */
export type ChaosFault = FaultRow<ChaosFaultId>;

/** The faults that the chaos provider can play. */
export const CHAOS_FAULTS: readonly ChaosFault[] = Object.freeze([...ROWS]);
export const CHAOS_FAULT_IDS: readonly ChaosFaultId[] = Object.freeze(ROWS.map(({ id }) => id));

const BY_ID: ReadonlyMap<string, ChaosFault> = new Map(ROWS.map((row) => [row.id, row]));

export function faultRow(id: string): ChaosFault | undefined {
  return BY_ID.get(id);
}

export type ChaosFaultFacts = Omit<ChaosFault, "plan">;

/** The table as plain data, for JSON. */
export function faultTable(): readonly ChaosFaultFacts[] {
  return CHAOS_FAULTS.map(({ id, means, seenIn, needs, afterOutput, params, about }) => ({
    id,
    means,
    seenIn,
    needs,
    afterOutput,
    params,
    about,
  }));
}

/** Values for parameters that a row does not have; they are never read. */
const UNUSED: Parameters = {
  "retry-after": 0,
  "after": 0,
  "for-ms": 0,
  "wait-ms": 0,
  "as": "json",
  "error": "overloaded",
};

export function withDefaults(row: ChaosFault | null, given: Partial<Parameters>): Parameters {
  return { ...UNUSED, ...row?.params, ...given };
}
