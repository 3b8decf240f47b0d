// Answers searches from the full-text indexes, the newest first.

import type { DatabaseSync } from "node:sqlite";
import type { Found, SearchQuery } from "../journal.ts";
import { contains, matchOf, textOfFault, wordsOf } from "../search-text.ts";
import { UNFILLED } from "./fault-index.ts";
import { FAULT, occurrence } from "./fault-reads.ts";

export type Search = (question: string, query: SearchQuery) => readonly Found[];

/** `keptRun` gives a run as it is kept; null when it is not. */
export function createSearch(db: DatabaseSync, keptRun: (run: string) => unknown): Search {
  const matching = (table: string) =>
    db.prepare(
      `SELECT rowid AS position FROM ${table} WHERE ${table} MATCH ?1 AND rowid < ?2 ORDER BY rowid DESC LIMIT ?3`,
    );
  const unfilled = db.prepare(`SELECT ${FAULT} WHERE ${UNFILLED} AND f.position < ? ORDER BY f.position DESC`);
  const faultAt = db.prepare(`SELECT ${FAULT} WHERE f.position = ?`);
  const runAt = db.prepare("SELECT run FROM searched_runs WHERE position = ?");
  const indexes = {
    fault: {
      matching: matching("fault_text"),
      at: (position: number): Found[] =>
        faultAt.all(position).map((row) => ({ kind: "fault", position, fault: occurrence(row) })),
    },
    run: {
      matching: matching("run_text"),
      at: (position: number): Found[] =>
        runAt.all(position).map((row) => {
          const run = String(row["run"]);
          return { kind: "run", position, run, value: keptRun(run) };
        }),
    },
  };
  return (question, { kinds = ["fault", "run"], limit, after }) => {
    const words = wordsOf(question);
    if (words.length === 0) return [];
    const from = after?.position ?? Number.MAX_SAFE_INTEGER;
    const asked = [matchOf(words), from, Number.isFinite(limit) ? limit : -1] as const;
    // The newest failures are not in the index yet, so they are scanned.
    const unindexed = kinds.includes("fault") ? unfilled.all(from).map(occurrence) : [];
    const scanned = unindexed.filter((fault) => contains(textOfFault(fault), words));
    return Array.from(new Set(kinds))
      .map((kind) => indexes[kind])
      .flatMap((index) => index.matching.all(...asked).flatMap((row) => index.at(Number(row["position"]))))
      .concat(scanned.map((fault) => ({ kind: "fault", position: fault.position, fault })))
      .sort((a, b) => b.position - a.position)
      .slice(0, limit);
  };
}
