// Reads from the index of failures. Every list is read from an SQL index in its order, so nothing is sorted.

import type { DatabaseSync } from "node:sqlite";
import type { FaultGroup, FaultOccurrence, RecourseTally } from "../../core/record/fault-index.ts";
import { trendBuckets, IS_CAUSE, type FaultReads } from "../fault-queries.ts";

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
  // Jumps from session to session in the index, so that many failures of one session cost nothing.
  const runs = db.prepare(
    `WITH RECURSIVE met (session) AS (
       SELECT max(session) FROM faults WHERE family = ${FAMILY}
         AND session < coalesce((SELECT number FROM sessions WHERE session = ?2), 9e18)
       UNION ALL
       SELECT (SELECT max(session) FROM faults WHERE family = ${FAMILY} AND session < met.session) FROM met
         WHERE met.session IS NOT NULL)
     SELECT s.session FROM met CROSS JOIN sessions AS s ON s.number = met.session
     WHERE EXISTS (SELECT 1 FROM kept WHERE kind = 'run' AND key = s.session) LIMIT ?3`,
  );
  const counts = "count(*) AS count, count(*) FILTER (WHERE recourse = 'retry' AND worked = 1) AS recoveredByRetry";
  const countBetween = db.prepare(`SELECT ${counts} FROM faults WHERE family = ${FAMILY} AND at >= ?2 AND at < ?3`);
  // Reads only groups that had a failure since then, each through the index.
  const countAll = db.prepare(
    `SELECT ${counts} FROM fault_groups AS g CROSS JOIN faults AS f ON f.family = g.number AND f.at >= ?1 AND f.at < ?2
     WHERE g.last_at >= ?1 AND ${IS_CAUSE}`,
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
    runsOf: (fingerprint, { limit, after }) =>
      runs.all(fingerprint, after ?? null, Number.isFinite(limit) ? limit : -1).map((row) => String(row["session"])),
    trend: (fingerprint, query) =>
      trendBuckets(query).map(([at, end]) => {
        const row = fingerprint === null ? countAll.get(at, end) : countBetween.get(fingerprint, at, end);
        return { at, count: Number(row?.["count"]), recoveredByRetry: Number(row?.["recoveredByRetry"]) };
      }),
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
