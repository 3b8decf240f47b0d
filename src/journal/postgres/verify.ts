// Verifies one snapshot of a journal in PostgreSQL: everything is read in one transaction, which does not block writers.

import type { FaultOccurrence } from "../../core/record/fault-index.ts";
import type { VerifyReport } from "../journal.ts";
import {
  findFirstBad,
  type PlacedRow,
  type SessionRow,
  type StrayQueries,
  VERIFY_PAGE,
  type VerifiedEntry,
  type VerifiedStore,
  type VerifyPlace,
} from "../verify-walk.ts";
import type { Ask, Database } from "./database.ts";
import { FAULT } from "./fault-reads.ts";
import { KEPT_ROW } from "./schema.ts";
import { tagText } from "./write-plan.ts";

export function verifyDatabase(db: Database): Promise<VerifyReport> {
  return db.transaction("ISOLATION LEVEL REPEATABLE READ READ ONLY", async (ask) => {
    const place: VerifyPlace = { session: "", seq: 0, sessions: 0, entries: 0 };
    const firstBad = await findFirstBad(verifiedStore(ask), place);
    return { sessions: place.sessions, entries: place.entries, firstBad };
  });
}

const TAGS = `(SELECT coalesce(json_agg(json_build_array(t.tag, t.at)), '[]')::text FROM @.kept_tags AS t
  WHERE t.kind = k.kind AND t.key = k.key) AS tags`;

function verifiedStore(ask: Ask): VerifiedStore {
  const number = async (sql: string, values: readonly (string | number)[]): Promise<number | undefined> =>
    (await ask<{ readonly number: number }>(sql, values))[0]?.number;
  return {
    sessionsAfter: (session) =>
      ask<SessionRow>(
        `SELECT number, session, status, started_at AS "startedAt", updated_at AS "updatedAt", last_seq AS "lastSeq", last_hash AS "lastHash"
         FROM @.sessions WHERE session > $1 ORDER BY session LIMIT ${VERIFY_PAGE}`,
        [session],
      ),
    entriesAfter: (row, seq) =>
      ask<VerifiedEntry>(
        `SELECT position, seq, at, type, body, hash, seal FROM @.events WHERE session = $1 AND seq > $2 ORDER BY seq LIMIT ${VERIFY_PAGE}`,
        [row.number, seq],
      ),
    keptAfter: (kind, key) =>
      ask<PlacedRow>(
        `SELECT k.kind, k.at, ${TAGS}, ${KEPT_ROW} WHERE (k.kind, k.key) > ($1, $2) ORDER BY k.kind, k.key LIMIT ${VERIFY_PAGE}`,
        [kind, key],
      ),
    keptSeq: (kind, key, session) =>
      number("SELECT seq AS number FROM @.kept WHERE kind = $1 AND key = $2 AND session = $3", [kind, key, session]),
    faultsOf: (row) => ask<FaultOccurrence>(`SELECT ${FAULT} WHERE f.session = $1`, [row.number]),
    countFaults: async (row) =>
      (await number("SELECT count(*) AS number FROM @.faults WHERE session = $1", [row.number])) ?? 0,
    tagText,
    first: async (sql) => (await ask<Readonly<Record<string, unknown>>>(sql))[0],
    strays: STRAYS,
    // Every page is a message to the server: others have their turn anyway.
    rest: () => Promise.resolve(),
  };
}

const NEWEST =
  "SELECT f.message FROM @.faults AS f WHERE f.family = g.number ORDER BY f.at DESC, f.position DESC LIMIT 1";

const STRAYS: StrayQueries = {
  entry: `SELECT e.session::text AS session, e.seq FROM @.events AS e WHERE NOT EXISTS
     (SELECT 1 FROM @.sessions AS s WHERE s.number = e.session) LIMIT 1`,
  groups: [
    `SELECT g.fingerprint AS name FROM @.fault_groups AS g
     LEFT JOIN LATERAL (SELECT count(*) AS count, count(DISTINCT f.session) AS sessions, min(f.at) AS first_at, max(f.at) AS last_at
       FROM @.faults AS f WHERE f.family = g.number) AS c ON true
     WHERE (g.count, g.sessions, g.first_at, g.last_at) IS DISTINCT FROM (c.count, c.sessions, c.first_at, c.last_at)
       OR g.message IS DISTINCT FROM (${NEWEST}) LIMIT 1`,
    `SELECT r.recourse AS name FROM @.fault_recourses AS r
     LEFT JOIN LATERAL (SELECT count(*) FILTER (WHERE f.worked) AS worked, count(*) FILTER (WHERE NOT f.worked) AS failed
       FROM @.faults AS f WHERE f.family = r.family AND f.recourse = r.recourse) AS c ON true
     WHERE (r.worked, r.failed) IS DISTINCT FROM (c.worked, c.failed) LIMIT 1`,
    `SELECT f.recourse AS name FROM @.faults AS f WHERE f.worked IS NOT NULL AND NOT EXISTS
     (SELECT 1 FROM @.fault_recourses AS r WHERE r.family = f.family AND r.recourse = f.recourse) LIMIT 1`,
    `SELECT f.position::text AS name FROM @.faults AS f WHERE NOT EXISTS
     (SELECT 1 FROM @.sessions AS s WHERE s.number = f.session) LIMIT 1`,
  ],
  tag: `SELECT t.kind, t.key FROM @.kept_tags AS t WHERE NOT EXISTS
     (SELECT 1 FROM @.kept AS k WHERE k.kind = t.kind AND k.key = t.key) LIMIT 1`,
};
