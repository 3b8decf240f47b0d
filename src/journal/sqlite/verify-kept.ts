// Verifies kept values: each is unchanged, is listed where its content says, and the last value that an entry sealed exists.

import type { DatabaseSync } from "node:sqlite";
import { parseJson } from "../../core/try-read.ts";
import { isKeepKind, ownerOf, placeOf } from "../keep-kinds.ts";
import type { VerifyReport } from "../journal.ts";
import { KEPT_ROW, type KeptRow, wrongWithKept } from "../sealed.ts";

type Bad = NonNullable<VerifyReport["firstBad"]>;

export interface KeptChecks {
  /** Follows the seals of one session's entries. */
  ofSession(session: string): SessionSeals;
  /** Looks at every kept value; `rest` lets others have a turn in between. */
  walk(rest: () => Promise<void>): Promise<Bad | null>;
}

export interface SessionSeals {
  saw(seq: number, seal: string): void;
  /** A value that an entry sealed last, and that is gone or older than that. */
  findMissing(): Bad | null;
}

interface PlacedRow extends KeptRow {
  readonly kind: string;
  readonly at: number | null;
  /** JSON of `[tag, at]` each. */
  readonly tags: string;
}

const PAGE = 500;

export function createKeptChecks(db: DatabaseSync): KeptChecks {
  const next = db.prepare(
    `SELECT k.kind, k.at, ${TAGS}, ${KEPT_ROW} WHERE (k.kind, k.key) > (?, ?) ORDER BY k.kind, k.key LIMIT ${PAGE}`,
  );
  const orphan = db.prepare(
    "SELECT kind, key FROM kept_tags WHERE (kind, key) NOT IN (SELECT kind, key FROM kept) LIMIT 1",
  );
  const seqOf = db.prepare("SELECT seq FROM kept WHERE kind = ? AND key = ? AND session = ?");

  function wrongTag(): Bad | null {
    const row = orphan.get();
    if (row === undefined) return null;
    const why = `the ${String(row["kind"])} kept under ${String(row["key"])} is listed, and is not there`;
    return { session: ownerOf(String(row["key"])), seq: 0, why };
  }

  return {
    ofSession(session) {
      const last = new Map<string, { readonly kind: string; readonly key: string; readonly seq: number }>();
      return {
        saw(seq, seal) {
          if (seal === "") return;
          for (const [kind, key, digest] of itemsOf(seal)) {
            if (digest === "") last.delete(`${kind} ${key}`);
            else last.set(`${kind} ${key}`, { kind, key, seq });
          }
        },
        findMissing() {
          for (const { kind, key, seq } of last.values()) {
            const found = seqOf.get(kind, key, session)?.["seq"];
            if (found !== seq)
              return { session, seq, why: `the ${kind} kept under ${key}, which came with it, is missing` };
          }
          return null;
        },
      };
    },
    async walk(rest) {
      let [kind, key] = ["", ""];
      for (;;) {
        const page = next.all(kind, key) as unknown as readonly PlacedRow[];
        for (const row of page) {
          const why = wrongWithKept(row.kind, row) ?? wrongWithPlace(row);
          if (why !== null) {
            const session = row.session ?? ownerOf(row.key);
            return { session, seq: row.seq, why: `the ${row.kind} kept under ${row.key}: ${why}` };
          }
          ({ kind, key } = row);
        }
        if (page.length < PAGE) return wrongTag();
        await rest();
      }
    },
  };
}

/** A seal is covered by its entry's hash, so an unreadable seal was written that way. */
function itemsOf(seal: string): readonly (readonly [string, string, string])[] {
  const items = parseJson(seal);
  return Array.isArray(items) ? (items as readonly (readonly [string, string, string])[]) : [];
}

const TAGS = `(SELECT json_group_array(json_array(tag, at)) FROM kept_tags WHERE kind = k.kind AND key = k.key) AS tags`;

function wrongWithPlace({ kind, value, at, tags }: PlacedRow): string | null {
  if (!isKeepKind(kind)) return "there is no such kind of kept value";
  const place = placeOf(kind, parseJson(String(value)));
  const listed = JSON.parse(tags) as readonly (readonly [string, number])[];
  const isListed =
    listed.length === place.tags.length && listed.every(([tag, when]) => place.tags.includes(tag) && when === at);
  return place.at === at && isListed ? null : "it is not listed where its content says";
}
