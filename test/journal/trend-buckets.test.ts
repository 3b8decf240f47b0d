// The buckets in which a trend counts: they touch each other, the last one may be shorter, and there are not too many.

import { expect, it } from "vitest";
import { trendBuckets } from "../../src/journal/fault-queries.ts";

it.each([
  { since: 0, until: 30, bucketMs: 10, starts: [0, 10, 20] },
  { since: 5, until: 26, bucketMs: 10, starts: [5, 15, 25] },
  { since: 5, until: 6, bucketMs: 10, starts: [5] },
  { since: 5, until: 5, bucketMs: 10, starts: [] },
  { since: 9, until: 5, bucketMs: 10, starts: [] },
  { since: 0, until: 1, bucketMs: 0.5, starts: [0, 0.5] },
])("from $since to $until in steps of $bucketMs they begin at $starts", ({ starts, ...query }) => {
  const ends = [...starts.slice(1), query.until].slice(0, starts.length);
  expect(trendBuckets(query)).toEqual(starts.map((at, index) => [at, ends[index]]));
});

it.each([
  [{ since: NaN, until: 1, bucketMs: 1 }, "The beginning of a trend"],
  [{ since: 0, until: NaN, bucketMs: 1 }, "The end of a trend"],
  [{ since: 0, until: 1, bucketMs: 0 }, "above 0, and is 0"],
  [{ since: 0, until: 1, bucketMs: -1 }, "above 0, and is -1"],
  [{ since: 0, until: 1, bucketMs: Infinity }, "above 0, and is Infinity"],
  [{ since: 0, until: 1_001, bucketMs: 1 }, "at most 1000 buckets, and this one would have 1001"],
])("%j is refused: %s", (query, says) => {
  expect(() => trendBuckets(query)).toThrow(says);
});

it("may be a thousand", () => {
  expect(trendBuckets({ since: 0, until: 1_000, bucketMs: 1 })).toHaveLength(1_000);
});
