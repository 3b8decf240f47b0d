// The index of failures of a journal in memory: a list of failures; groups are counted when they are asked for.

import { FOLLOWING_CODES } from "../../core/fault/catalogue.ts";
import {
  FaultFold,
  type FaultGroup,
  type FaultOccurrence,
  groupFaults,
  type RecourseTally,
  tallyRecourses,
} from "../../core/record/fault-index.ts";
import type { FaultBucket, FaultGroupsQuery, FaultsQuery, FaultTrendQuery } from "../fault-queries.ts";
import { compareKeys } from "../key-order.ts";
import { contains, textOfFault } from "../search-text.ts";
import { trendBuckets } from "../trend-buckets.ts";

export interface MemoryFaults extends Pick<FaultFold, "note" | "drop"> {
  /** In no order. */
  search(words: readonly string[]): readonly FaultOccurrence[];
  groups(query: FaultGroupsQuery): readonly FaultGroup[];
  group(fingerprint: string): FaultGroup | null;
  faultsOf(fingerprint: string, query: FaultsQuery): readonly FaultOccurrence[];
  trend(fingerprint: string | null, query: FaultTrendQuery): readonly FaultBucket[];
  recourses(fingerprint: string): readonly RecourseTally[];
}

export function createMemoryFaults(): MemoryFaults {
  const fold = new FaultFold();

  function ofFamily(fingerprint: string): FaultOccurrence[] {
    return fold.rows.filter((row) => row.fingerprint === fingerprint);
  }

  return {
    note: (mark, entry) => fold.note(mark, entry),
    drop: (sessions) => fold.drop(sessions),
    search: (words) => fold.rows.filter((row) => contains(textOfFault(row), words)).map((row) => ({ ...row })),
    groups: ({ limit, after, code, tool }) =>
      groupFaults(fold.rows.filter((row) => (code ?? row.code) === row.code && (tool ?? row.tool) === row.tool))
        .filter((group) => after === undefined || compareGroups(group, after) < 0)
        .sort((a, b) => compareGroups(b, a))
        .slice(0, limit),
    group: (fingerprint) => groupFaults(ofFamily(fingerprint))[0] ?? null,
    faultsOf: (fingerprint, { limit, after }) =>
      ofFamily(fingerprint)
        .filter((row) => after === undefined || compareRows(row, after) < 0)
        .sort((a, b) => compareRows(b, a))
        .slice(0, limit)
        .map((row) => ({ ...row })),
    trend(fingerprint, query) {
      const family = fingerprint === null ? fold.rows.filter(isCause) : ofFamily(fingerprint);
      return trendBuckets(query).map(([at, end]) => {
        const rows = family.filter((row) => row.at >= at && row.at < end);
        const recoveredByRetry = rows.filter(({ recourse, worked }) => recourse === "retry" && worked === true).length;
        return { at, count: rows.length, recoveredByRetry };
      });
    },
    recourses: (fingerprint) => tallyRecourses(ofFamily(fingerprint)),
  };
}

function isCause({ code }: FaultOccurrence): boolean {
  return !(FOLLOWING_CODES as readonly string[]).includes(code);
}

type Newest = Pick<FaultGroup, "lastAt" | "fingerprint">;

function compareGroups(a: Newest, b: Newest): number {
  return a.lastAt - b.lastAt || compareKeys(a.fingerprint, b.fingerprint);
}

function compareRows(a: Pick<FaultOccurrence, "at" | "position">, b: Pick<FaultOccurrence, "at" | "position">): number {
  return a.at - b.at || a.position - b.position;
}
