// Reads from the index of failures, and searches. Every list goes through an index that has its order already.

import type { FaultGroup, FaultOccurrence, RecourseTally } from "../../core/record/fault-index.ts";
import { IS_CAUSE, trendBuckets } from "../fault-queries.ts";
import type { FaultBucket, Found, Journal, SearchQuery } from "../journal.ts";
import { contains, tsQueryOf, textOfFault, wordsOf } from "../search-text.ts";
import { type KeptRow, keptValue } from "../sealed.ts";
import type { Ask } from "./database.ts";
import { KEPT_ROW } from "./schema.ts";

type FaultSide = Pick<
  Journal,
  "faultGroups" | "faultGroup" | "faultsOf" | "faultRuns" | "faultTrend" | "faultRecourses" | "search"
>;

const GROUP = `fingerprint, code, tool, count, sessions, first_at AS "firstAt", last_at AS "lastAt", message`;
export const FAULT = `f.position, f.at, s.session, f.seq, f.call, g.fingerprint, g.code, g.tool, f.recourse, f.message, f.worked
  FROM @.faults AS f JOIN @.fault_groups AS g ON g.number = f.family JOIN @.sessions AS s ON s.number = f.session`;
const FAMILY = "(SELECT number FROM @.fault_groups WHERE fingerprint = $1)";
const LAST_NUMBER = "9223372036854775807";

/** Goes from session to session in the index, however many failures each of them has. */
const RUNS = `WITH RECURSIVE met (session) AS (
    SELECT max(f.session) FROM @.faults AS f WHERE f.family = ${FAMILY}
      AND f.session < coalesce((SELECT number FROM @.sessions WHERE session = $2), ${LAST_NUMBER})
    UNION ALL
    SELECT (SELECT max(f.session) FROM @.faults AS f WHERE f.family = ${FAMILY} AND f.session < met.session) FROM met
      WHERE met.session IS NOT NULL)
  SELECT s.session FROM met JOIN @.sessions AS s ON s.number = met.session
  WHERE EXISTS (SELECT 1 FROM @.kept WHERE kind = 'run' AND key = s.session) ORDER BY s.number DESC LIMIT $3`;

/** `which` chooses groups: one, or those that have met a failure since a bucket began. */
function trendOf(which: string): string {
  return `SELECT b.at, c.count, c."recoveredByRetry"
    FROM unnest($2::float8[], $3::float8[]) WITH ORDINALITY AS b (at, until, n) CROSS JOIN LATERAL
      (SELECT count(*) AS count, count(*) FILTER (WHERE f.recourse = 'retry' AND f.worked) AS "recoveredByRetry"
       FROM @.fault_groups AS g JOIN @.faults AS f ON f.family = g.number AND f.at >= b.at AND f.at < b.until
       WHERE ${which}) AS c ORDER BY b.n`;
}

const TREND = trendOf("g.fingerprint = $1");
const TREND_OF_ALL = trendOf(`$1::text IS NULL AND g.last_at >= b.at AND ${IS_CAUSE}`);

export function faultSide(ask: Ask): FaultSide {
  const search = createSearch(ask);
  return {
    faultGroups({ limit, after, code, tool }) {
      const filters = [code, tool].filter((value) => value !== undefined);
      const named = (name: string, place: number): string => ` AND ${name} = $${place}`;
      const where =
        (code === undefined ? "" : named("code", 4)) +
        (tool === undefined ? "" : named("tool", code === undefined ? 4 : 5));
      return ask<FaultGroup>(
        `SELECT ${GROUP} FROM @.fault_groups WHERE (last_at, fingerprint) < ($1, $2)${where}
         ORDER BY last_at DESC, fingerprint DESC LIMIT $3`,
        [after?.lastAt ?? Infinity, after?.fingerprint ?? "", limitOf(limit), ...filters],
      );
    },
    async faultGroup(fingerprint) {
      const [group] = await ask<FaultGroup>(`SELECT ${GROUP} FROM @.fault_groups WHERE fingerprint = $1`, [
        fingerprint,
      ]);
      return group ?? null;
    },
    faultsOf: (fingerprint, { limit, after }) =>
      ask<FaultOccurrence>(
        `SELECT ${FAULT} WHERE f.family = ${FAMILY} AND (f.at, f.position) < ($2, $3)
         ORDER BY f.at DESC, f.position DESC LIMIT $4`,
        [fingerprint, after?.at ?? Infinity, after?.position ?? 0, limitOf(limit)],
      ),
    async faultRuns(fingerprint, { limit, after }) {
      const rows = await ask<{ readonly session: string }>(RUNS, [fingerprint, after ?? null, limitOf(limit)]);
      return rows.map(({ session }) => session);
    },
    async faultTrend(fingerprint, query) {
      const buckets = trendBuckets(query);
      const [starts, ends] = [buckets.map(([at]) => at), buckets.map(([, end]) => end)];
      return ask<FaultBucket>(fingerprint === null ? TREND_OF_ALL : TREND, [fingerprint, starts, ends]);
    },
    faultRecourses: (fingerprint) =>
      ask<RecourseTally>(
        `SELECT recourse, worked, failed FROM @.fault_recourses WHERE family = ${FAMILY} ORDER BY recourse`,
        [fingerprint],
      ),
    search,
  };
}

/** PostgreSQL's LIMIT for "all rows". */
export function limitOf(limit: number): number | null {
  return Number.isFinite(limit) ? limit : null;
}

interface RunRow extends KeptRow {
  readonly position: number;
  readonly text: string;
}

const PAGE = 100;

/** The index finds texts that have all pairs of characters; whether they stand side by side shows in the text itself. */
function createSearch(ask: Ask): Journal["search"] {
  const sources = {
    async fault(match: string, before: number, words: readonly string[]): Promise<Page> {
      const rows = await ask<FaultOccurrence>(
        `SELECT ${FAULT} WHERE f.pairs @@ $1::tsquery AND f.position < $2 ORDER BY f.position DESC LIMIT ${PAGE}`,
        [match, before],
      );
      const found = rows.filter((fault) => contains(textOfFault(fault), words));
      return pageOf(
        rows,
        found.map((fault): Found => ({ kind: "fault", position: fault.position, fault })),
      );
    },
    async run(match: string, before: number, words: readonly string[]): Promise<Page> {
      const rows = await ask<RunRow>(
        `SELECT r.position, r.text, ${KEPT_ROW} JOIN @.searched_runs AS r ON r.run = k.key
         WHERE k.kind = 'run' AND r.pairs @@ $1::tsquery AND r.position < $2 ORDER BY r.position DESC LIMIT ${PAGE}`,
        [match, before],
      );
      const found = rows.filter(({ text }) => contains(text, words));
      const runs = found.map((row): Found => ({
        kind: "run",
        position: row.position,
        run: row.key,
        value: keptValue("run", row),
      }));
      return pageOf(rows, runs);
    },
  };

  async function find(kind: Found["kind"], words: readonly string[], { limit, after }: SearchQuery): Promise<Found[]> {
    const found: Found[] = [];
    const match = tsQueryOf(words);
    for (
      let before: number | null = after?.position ?? Number.MAX_SAFE_INTEGER;
      before !== null && found.length < limit;
    ) {
      const page: Page = await sources[kind](match, before, words);
      found.push(...page.found);
      before = page.next;
    }
    return found;
  }

  return async (question, query) => {
    const words = wordsOf(question);
    if (words.length === 0) return [];
    const kinds = Array.from(new Set(query.kinds ?? (["fault", "run"] as const)));
    const found = await Promise.all(kinds.map((kind) => find(kind, words, query)));
    return found
      .flat()
      .sort((a, b) => b.position - a.position)
      .slice(0, query.limit);
  };
}

interface Page {
  readonly found: readonly Found[];
  /** The place after which the next page begins; null when this was the last page. */
  readonly next: number | null;
}

function pageOf(rows: readonly { readonly position: number }[], found: readonly Found[]): Page {
  return { found, next: rows.length < PAGE ? null : (rows.at(-1)?.position ?? null) };
}
