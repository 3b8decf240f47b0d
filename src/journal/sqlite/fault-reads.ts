// Reads from the index of failures. Every list goes through an index that has its order already.

import type { DatabaseSync } from "node:sqlite";
import type { FaultGroup, FaultOccurrence, RecourseTally } from "../../core/record/fault-index.ts";
import { trendBuckets } from "../trend-buckets.ts";
import type { FaultBucket, FaultGroupsQuery, FaultsQuery, FaultTrendQuery } from "../fault-queries.ts";

export interface FaultReads {
  groups(query: FaultGroupsQuery): readonly FaultGroup[];
  group(fingerprint: string): FaultGroup | null;
  faultsOf(fingerprint: string, query: FaultsQuery): readonly FaultOccurrence[];
  trend(fingerprint: string, query: FaultTrendQuery): readonly FaultBucket[];
  recourses(fingerprint: string): readonly RecourseTally[];
}

const GROUP = "fingerprint, code, tool, count, sessions, first_at AS firstAt, last_at AS lastAt, message";
export const FAULT = `f.position, f.at, s.session, f.seq, f.call, g.fingerprint, g.code, g.tool, f.recourse, f.message, f.worked
  FROM faults AS f CROSS JOIN fault_groups AS g ON g.number = f.family CROSS JOIN sessions AS s ON s.number = f.session`;
const FAMILY = "(SELECT number FROM fault_groups WHERE fingerprint = ?1)";

export function createFaultReads(db: DatabaseSync): FaultReads {
  const newestGroups = "(last_at, fingerprint) < (?1, ?2) ORDER BY last_at DESC, fingerprint DESC LIMIT ?3";
  const groupsBy = (which: string) => db.prepare(`SELECT ${GROUP} FROM fault_groups WHERE ${which} ${newestGroups}`);
  const groups = groupsBy("");
  const ofCode = groupsBy("code = ?4 AND");
  const ofTool = groupsBy("tool = ?4 AND");
  const ofBoth = groupsBy("code = ?4 AND +tool = ?5 AND");
  const group = db.prepare(`SELECT ${GROUP} FROM fault_groups WHERE fingerprint = ?`);
  const faults = db.prepare(
    `SELECT ${FAULT} WHERE f.family = ${FAMILY} AND (f.at, f.position) < (?2, ?3)
     ORDER BY f.at DESC, f.position DESC LIMIT ?4`,
  );
  const countBetween = db.prepare(
    `SELECT count(*) AS count FROM faults WHERE family = ${FAMILY} AND at >= ?2 AND at < ?3`,
  );
  const recourses = db.prepare(
    `SELECT recourse, worked, failed FROM fault_recourses WHERE family = ${FAMILY} ORDER BY recourse`,
  );

  return {
    groups({ limit, after, code, tool }) {
      const place = [after?.lastAt ?? Infinity, after?.fingerprint ?? "", Number.isFinite(limit) ? limit : -1] as const;
      if (code !== undefined && tool !== undefined) return ofBoth.all(...place, code, tool).map(groupOf);
      if (code !== undefined) return ofCode.all(...place, code).map(groupOf);
      return (tool === undefined ? groups.all(...place) : ofTool.all(...place, tool)).map(groupOf);
    },
    group(fingerprint) {
      const row = group.get(fingerprint);
      return row === undefined ? null : groupOf(row);
    },
    faultsOf: (fingerprint, { limit, after }) =>
      faults
        .all(fingerprint, after?.at ?? Infinity, after?.position ?? 0, Number.isFinite(limit) ? limit : -1)
        .map(occurrence),
    trend: (fingerprint, query) =>
      trendBuckets(query).map(([at, end]) => ({
        at,
        count: Number(countBetween.get(fingerprint, at, end)?.["count"]),
      })),
    recourses: (fingerprint) => recourses.all(fingerprint).map((row) => ({ ...(row as unknown as RecourseTally) })),
  };
}

/** SQLite's rows have no prototype, which makes them unequal to what other journals give. */
function groupOf(row: object): FaultGroup {
  return { ...(row as FaultGroup) };
}

export function occurrence(row: object): FaultOccurrence {
  const { worked, ...rest } = row as Omit<FaultOccurrence, "worked"> & { readonly worked: number | null };
  return { ...rest, worked: worked === null ? null : worked === 1 };
}
