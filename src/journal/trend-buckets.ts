// The buckets in which a trend counts.

import { checkInstant } from "./encode.ts";
import type { FaultTrendQuery } from "./fault-queries.ts";
import { unfit } from "./journal-faults.ts";

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
