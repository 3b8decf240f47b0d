// What can be asked about failures, whatever the journal is made of.

import { FOLLOWING_CODES } from "../core/fault/catalogue.ts";
import type { FaultGroup, FaultOccurrence } from "../core/record/fault-index.ts";

/** In SQL, for a group `g`: it is a cause, not a consequence of other failures. */
export const IS_CAUSE = `g.code NOT IN (${FOLLOWING_CODES.map((code) => `'${code}'`).join(", ")})`;

/** Groups of failures, the one with the newest failure first. */
export interface FaultGroupsQuery {
  readonly limit: number;
  /** Only those after this one; the last of a page leads to the next. */
  readonly after?: Pick<FaultGroup, "lastAt" | "fingerprint">;
  readonly code?: string;
  readonly tool?: string;
}

/** Failures of one group, newest first. */
export interface FaultsQuery {
  readonly limit: number;
  /** Only those after this one; the last of a page leads to the next. */
  readonly after?: Pick<FaultOccurrence, "at" | "position">;
}

/** Runs that met a failure of one group, the one that was begun last first. */
export interface FaultRunsQuery {
  readonly limit: number;
  /** Only those after this run; the last of a page leads to the next. */
  readonly after?: string;
}

/** From `since` up to `until`, which is not included, in epoch ms. */
export interface FaultTrendQuery {
  readonly since: number;
  readonly until: number;
  readonly bucketMs: number;
}

/** How many failures happened from `at` until the next bucket begins. */
export interface FaultBucket {
  readonly at: number;
  readonly count: number;
  /** How many of them an automatic retry recovered from. */
  readonly recoveredByRetry: number;
}
