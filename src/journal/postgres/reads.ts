// RemoteReads from the tables, and what a feed asks. Each is one statement, so each sees one moment of the journal.

import type { Entry } from "../../core/record/event.ts";
import { checkPosition, type EventRow, positioned } from "../encode.ts";
import { chainedPage, type ChainedRow, checkedEntries, entriesWithoutGap, type KeptRow, keptValue } from "../sealed.ts";
import type { FeedSource } from "../feed.ts";
import type { Journal, KeepKind, SessionSummary, Timed, TimeQuery } from "../journal.ts";
import type { Ask, Value } from "./database.ts";
import { faultSide, limitOf } from "./fault-reads.ts";
import { KEPT_ROW, TAGGED_ROW } from "./schema.ts";
import { tagText } from "./write-plan.ts";
import { LAST_POSITION } from "./write-functions.ts";

type ReadSide = Pick<
  Journal,
  "read" | "position" | "readFrom" | "kept" | "keptAll" | "keptByTime" | "session" | "sessions"
> &
  ReturnType<typeof faultSide>;

type Promised<T> = {
  readonly [Name in keyof T]: T[Name] extends (...args: infer A) => infer R
    ? (...args: A) => Promise<Awaited<R>>
    : never;
};

export interface RemoteReads {
  readonly side: ReadSide;
  readonly feed: Promised<FeedSource>;
  /** A value with its checksum; null when nothing is kept under the key. */
  keptWithHash(kind: KeepKind, key: string): Promise<{ readonly value: unknown; readonly hash: string } | null>;
  checksums(kind: KeepKind): Promise<readonly { readonly key: string; readonly hash: string }[]>;
}

const PAGE = 256;
const EVENT = "e.position, s.session, e.seq, e.at, e.body";
const SUMMARY = `session, status, started_at AS "startedAt", updated_at AS "updatedAt", last_seq AS "lastSeq"`;
const POSITION = `SELECT coalesce((SELECT value::bigint FROM @.meta WHERE name = 'pruned'), 0) AS first, (${LAST_POSITION}) AS last`;
// A session pruned meanwhile counts as the last of its millisecond.
const BEHIND_ONE =
  "(started_at, number) < ($1, coalesce((SELECT number FROM @.sessions WHERE session = $2), 9223372036854775807))";
const CHAINED = `SELECT s.last_seq AS "lastSeq", s.last_hash AS "lastHash", e.seq, e.at, e.type, e.body, e.hash, e.seal
  FROM @.sessions AS s LEFT JOIN LATERAL (
    SELECT * FROM @.events WHERE session = s.number AND seq >= $2 ORDER BY seq LIMIT $3) AS e ON true
  WHERE s.session = $1 ORDER BY e.seq`;

export function createReads(ask: Ask): RemoteReads {
  const feed = feedReads(ask);

  async function keptRow(kind: KeepKind, key: string): Promise<KeptRow | undefined> {
    const [row] = await ask<KeptRow>(`SELECT ${KEPT_ROW} WHERE k.kind = $1 AND k.key = $2`, [kind, key]);
    return row;
  }

  async function session(name: string): Promise<SessionSummary | null> {
    const [row] = await ask<SessionSummary>(`SELECT ${SUMMARY} FROM @.sessions WHERE session = $1`, [name]);
    return row ?? null;
  }

  return {
    feed,
    side: {
      ...faultSide(ask),
      read: (name, after = 0) => pages(ask, name, after),
      async position() {
        const [range] = await ask<{ readonly first: number; readonly last: number }>(POSITION);
        return range ?? { first: 0, last: 0 };
      },
      async readFrom(position, { limit }) {
        checkPosition(position);
        return feed.entriesAfter(position, limit);
      },
      async kept(kind, key) {
        const row = await keptRow(kind, key);
        return row === undefined ? null : keptValue(kind, row);
      },
      async keptAll(kind, under) {
        const rows =
          under === undefined
            ? await ask<KeptRow>(`SELECT ${KEPT_ROW} WHERE k.kind = $1 ORDER BY k.key`, [kind])
            : await ask<KeptRow>(UNDER, [kind, under]);
        return rows.map((row) => ({ key: row.key, value: keptValue(kind, row) }));
      },
      keptByTime: (kind, query) => byTime(ask, kind, query),
      session,
      sessions: ({ status, limit = Infinity, after } = {}) =>
        ask<SessionSummary>(
          `SELECT ${SUMMARY} FROM @.sessions WHERE ${BEHIND_ONE}${status === undefined ? "" : " AND status = $4"}
           ORDER BY started_at DESC, number DESC LIMIT $3`,
          [
            after?.startedAt ?? Infinity,
            after?.session ?? "",
            limitOf(limit),
            ...(status === undefined ? [] : [status]),
          ],
        ),
    },
    async keptWithHash(kind, key) {
      const row = await keptRow(kind, key);
      return row === undefined ? null : { value: keptValue(kind, row), hash: row.hash };
    },
    checksums: (kind) => ask("SELECT key, hash FROM @.kept WHERE kind = $1", [kind]),
  };
}

const UNDER = `SELECT ${KEPT_ROW} WHERE k.kind = $1 AND (k.key = $2::text OR (k.key >= $2::text || '/' AND k.key < $2::text || '0')) ORDER BY k.key`;

function feedReads(ask: Ask): RemoteReads["feed"] {
  const one = async (sql: string, values: readonly Value[] = []): Promise<number> => {
    const [row] = await ask<{ readonly number: number | null }>(sql, values);
    return row?.number ?? 0;
  };
  const OF_SESSION = "FROM @.events AS e JOIN @.sessions AS s ON s.number = e.session WHERE s.session = $1";
  return {
    lastPosition: () => one(`SELECT (${LAST_POSITION}) AS number`),
    lastSeq: (name) => one("SELECT last_seq AS number FROM @.sessions WHERE session = $1", [name]),
    seqAt: (name, position) =>
      one(`SELECT e.seq AS number ${OF_SESSION} AND e.position <= $2 ORDER BY e.seq DESC LIMIT 1`, [name, position]),
    async entriesOf(name, after, limit) {
      const rows = await ask<EventRow>(`SELECT ${EVENT} ${OF_SESSION} AND e.seq > $2 ORDER BY e.seq LIMIT $3`, [
        ...[name, after, limit],
      ]);
      return entriesWithoutGap(name, after, rows);
    },
    async entriesAfter(position, limit) {
      const rows = await ask<EventRow>(
        `SELECT ${EVENT} FROM @.events AS e JOIN @.sessions AS s ON s.number = e.session
         WHERE e.position > $1 ORDER BY e.position LIMIT $2`,
        [position, limitOf(limit)],
      );
      return rows.map(positioned);
    },
  };
}

type HeadedRow = { readonly lastSeq: number; readonly lastHash: string } & (ChainedRow | { readonly seq: null });

async function* pages(ask: Ask, name: string, after: number): AsyncGenerator<Entry> {
  for (let last = after; ;) {
    const { from, count } = chainedPage(last, PAGE);
    const rows = await ask<HeadedRow>(CHAINED, [name, from, count]);
    const chained = rows.filter((row): row is HeadedRow & ChainedRow => row.seq !== null);
    const page = checkedEntries(name, { after: last, limit: PAGE }, rows[0], chained);
    yield* page;
    if (page.length < PAGE) return;
    last += page.length;
  }
}

async function byTime(
  ask: Ask,
  kind: KeepKind,
  { order, limit, tags = [], after, until = Infinity }: TimeQuery,
): Promise<readonly Timed[]> {
  const [comparison, direction] = order === "oldest" ? [">", "ASC"] : ["<", "DESC"];
  const start = after ?? { at: order === "newest" ? Infinity : -Infinity, key: "" };
  // A driver asks for the first one each second. PostgreSQL keeps a plan for this limit in the text, and would plan again each time for a parameter.
  const [most, counts] = limit === 1 ? [() => "1", []] : [(number: number) => `$${number}`, [limitOf(limit)]];
  const page = (of: string, number: number): string =>
    `(${of}.at, ${of}.key) ${comparison} ($2, $3) AND ${of}.at <= $4 ORDER BY ${of}.at ${direction}, ${of}.key ${direction} LIMIT ${most(number)}`;
  const asked = [kind, start.at, start.key, until];
  const [first, ...others] = tags.map(tagText);
  const rows =
    first === undefined
      ? await ask<TimedRow>(`SELECT k.at, ${KEPT_ROW} WHERE k.kind = $1 AND k.at IS NOT NULL AND ${page("k", 5)}`, [
          ...asked,
          ...counts,
        ])
      : await ask<TimedRow>(
          `SELECT t.at, ${TAGGED_ROW} WHERE t.kind = $1 AND t.tag = $5 AND ${ALL_OTHERS} AND ${page("t", 7)}`,
          [...asked, first, others, ...counts],
        );
  return rows.map((row) => ({ key: row.key, value: keptValue(kind, row), at: row.at }));
}

type TimedRow = KeptRow & { readonly at: number };

const ALL_OTHERS = `NOT EXISTS (SELECT 1 FROM unnest($6::text[]) AS other (tag) WHERE NOT EXISTS (
  SELECT 1 FROM @.kept_tags AS o WHERE o.kind = $1 AND o.tag = other.tag AND o.at = t.at AND o.key = t.key))`;
