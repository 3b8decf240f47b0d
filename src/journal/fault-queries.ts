// What all journals that are asked about failures need, whatever they are made of.

import { FOLLOWING_CODES } from "../core/fault/catalogue.ts";
import { checkInstant } from "./encode.ts";
import { unfit } from "./journal-faults.ts";
import type { FaultTrendQuery, FaultBucket, FaultGroupsQuery, FaultRunsQuery, FaultsQuery } from "./journal.ts";
import type { FaultGroup, FaultOccurrence, RecourseTally } from "../core/record/fault-index.ts";

/** What is read from the index of failures of a journal on this machine. */
export interface FaultReads {
  groups(query: FaultGroupsQuery): readonly FaultGroup[];
  group(fingerprint: string): FaultGroup | null;
  faultsOf(fingerprint: string, query: FaultsQuery): readonly FaultOccurrence[];
  runsOf(fingerprint: string, query: FaultRunsQuery): readonly string[];
  trend(fingerprint: string | null, query: FaultTrendQuery): readonly FaultBucket[];
  recourses(fingerprint: string): readonly RecourseTally[];
}

/** In SQL, for a group `g`: it is a cause, not a consequence of other failures. */
export const IS_CAUSE = `g.code NOT IN (${FOLLOWING_CODES.map((code) => `'${code}'`).join(", ")})`;

const MAX_BUCKETS = 1000;

/** The beginning and end of each bucket. The last one may be shorter. */
export function trendBuckets({ since, until, bucketMs }: FaultTrendQuery): readonly (readonly [number, number])[] {
  checkInstant(since, "The beginning of a trend");
  checkInstant(until, "The end of a trend");
  if (!(Number.isFinite(bucketMs) && bucketMs > 0))
    throw unfit(`\`bucketMs\` of a trend must be a number above 0, and is ${String(bucketMs)}.`);
  const count = Math.max(0, Math.ceil((until - since) / bucketMs));
  if (count > MAX_BUCKETS)
    throw unfit(
      `A trend has at most ${MAX_BUCKETS} buckets, and this one would have ${count}. Use a larger \`bucketMs\`.`,
    );
  return Array.from({ length: count }, (_, index) => {
    const at = since + index * bucketMs;
    return [at, Math.min(until, at + bucketMs)] as const;
  });
}
