// Verifies the index of failures: it is what the entries give, and the groups are what the index gives.

import type { DatabaseSync } from "node:sqlite";
import { FaultFold } from "../../core/record/fault-index.ts";
import type { VerifyReport } from "../journal.ts";
import { MARKED_TYPES, markIn } from "./fault-index.ts";
import { FAULT, occurrence } from "./fault-reads.ts";

type Bad = NonNullable<VerifyReport["firstBad"]>;

export interface FaultChecks {
  /** Follows the entries of one session; `number` is that of its row. */
  ofSession(number: number, session: string): SessionFaults;
  wrongGroup(): Bad | null;
}

export interface SessionFaults {
  saw(entry: {
    readonly position: number;
    readonly seq: number;
    readonly at: number;
    readonly type: string;
    readonly body: string;
  }): void;
  wrong(): Bad | null;
}

const NEWEST = "SELECT message FROM faults WHERE family = g.number ORDER BY at DESC, position DESC LIMIT 1";

/** Each finds a record that the failures of the index do not give. */
const WRONG_GROUPS = [
  `SELECT fingerprint AS name FROM fault_groups AS g WHERE (count, sessions, first_at, last_at) IS NOT
     (SELECT count(*), count(DISTINCT session), min(at), max(at) FROM faults WHERE family = g.number)
     OR message IS NOT (${NEWEST}) LIMIT 1`,
  `SELECT recourse AS name FROM fault_recourses AS r WHERE (worked, failed) IS NOT
     (SELECT coalesce(sum(worked), 0), coalesce(sum(1 - worked), 0) FROM faults
        WHERE family = r.family AND recourse = r.recourse AND worked IS NOT NULL) LIMIT 1`,
  `SELECT recourse AS name FROM faults AS f WHERE worked IS NOT NULL AND NOT EXISTS
     (SELECT 1 FROM fault_recourses WHERE family = f.family AND recourse = f.recourse) LIMIT 1`,
  "SELECT position AS name FROM faults WHERE session NOT IN (SELECT number FROM sessions) LIMIT 1",
];

export function createFaultChecks(db: DatabaseSync): FaultChecks {
  const indexed = db.prepare(`SELECT ${FAULT} WHERE f.session = ?`);
  const count = db.prepare("SELECT count(*) AS count FROM faults WHERE session = ?");

  return {
    ofSession(number, session) {
      const fold = new FaultFold();
      return {
        saw({ position, seq, at, type, body }) {
          const mark = MARKED_TYPES.includes(type) ? markIn(body) : null;
          if (mark !== null) fold.note(mark, { position, seq, at, session });
        },
        wrong() {
          const found = indexed.all(number).map(occurrence);
          const bySeq = new Map(found.map((row) => [row.seq, row]));
          const bad = fold.rows.find((row) => !isSame(row, bySeq.get(row.seq)));
          const why = "the index of failures does not say what this entry does";
          if (bad !== undefined) return { session, seq: bad.seq, why };
          const extra = Number(count.get(number)?.["count"]) - fold.rows.length;
          return extra === 0
            ? null
            : { session, seq: 0, why: `the index of failures has ${extra} more of this session` };
        },
      };
    },
    wrongGroup() {
      for (const sql of WRONG_GROUPS) {
        const row = db.prepare(sql).get();
        if (row === undefined) continue;
        return {
          session: "",
          seq: 0,
          why: `the groups of failures are not what their failures give: ${String(row["name"])}`,
        };
      }
      return null;
    },
  };
}

function isSame(a: object, b: object | undefined): boolean {
  return b !== undefined && JSON.stringify(sorted(a)) === JSON.stringify(sorted(b));
}

function sorted(row: object): readonly (readonly [string, unknown])[] {
  return Object.entries(row).sort(([a], [b]) => (a < b ? -1 : 1));
}
