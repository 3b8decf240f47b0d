// Removes ended sessions with all their values and files, one transaction each, and then frees the space in small steps.

import type { DatabaseSync } from "node:sqlite";
import { classify } from "../../core/classify/classify.ts";
import type { Clock } from "../../host/clock.ts";
import { artefactsFolder, removeArtefacts, runsFolder } from "../files/artefacts.ts";
import { isUnderSql, kindsOwned } from "../keep-kinds.ts";
import { createFaultIndex } from "./fault-index.ts";
import { createRunSearch } from "./kept-index.ts";
import type { GroupCommit } from "./group-commit.ts";
import { ENDED } from "../encode.ts";
import type { OnWarning } from "../warnings.ts";

export interface Pruning {
  readonly db: DatabaseSync;
  readonly path: string;
  readonly write: GroupCommit["add"];
  readonly clock: Clock;
  readonly warn: OnWarning;
  /** Called after a session was removed. */
  readonly forget: (session: string) => void;
}

const VACUUM_PAGES = 256;
const listOf = (texts: readonly string[]): string => texts.map((text) => `'${text}'`).join(", ");
const IS_OLD = `status IN (${listOf(ENDED)}) AND updated_at < ?`;

export async function pruneStore(pruning: Pruning, before: number): Promise<number> {
  const { db, write } = pruning;
  const old = db.prepare(`SELECT session FROM sessions WHERE ${IS_OLD}`).all(before);
  const removeAged = db.prepare(`DELETE FROM kept WHERE kind IN (${listOf(kindsOwned("by-age"))}) AND at < ?`);
  await write(() => removeAged.run(before));
  const removeOne = prepareRemoval(pruning, before);
  let removed = 0;
  for (const { session } of old) if (await write(() => removeOne(String(session)))) removed++;
  if (removed > 0) await giveBackSpace(pruning);
  return removed;
}

/** Checks again inside the transaction: the session may have been resumed since. */
function prepareRemoval({ db, path, warn, forget }: Pruning, before: number): (session: string) => boolean {
  const isOld = db.prepare(`SELECT number FROM sessions WHERE session = ? AND ${IS_OLD}`);
  const deleteAnswers = db.prepare(
    `DELETE FROM kept WHERE kind IN (${listOf(kindsOwned("by-question"))}) AND key IN (
       SELECT key FROM kept_tags WHERE kind IN (${listOf(kindsOwned("by-value"))}) AND tag = 'session:' || ?)`,
  );
  const byValue = listOf(kindsOwned("by-value"));
  const deleteQuestions = db.prepare(
    `DELETE FROM kept WHERE kind IN (${byValue}) AND key IN (
       SELECT key FROM kept_tags WHERE kind IN (${byValue}) AND tag = 'session:' || ?)`,
  );
  const deleteQuestionTags = db.prepare(`DELETE FROM kept_tags WHERE kind IN (${byValue}) AND tag = 'session:' || ?`);
  const deleteTags = db.prepare(
    `DELETE FROM kept_tags WHERE kind IN (${listOf(kindsOwned("by-key"))}) AND ${isUnderSql("?1")}`,
  );
  const deleteValues = db.prepare(
    `DELETE FROM kept WHERE kind IN (${listOf(kindsOwned("by-key"))}) AND ${isUnderSql("?1")}`,
  );
  const faults = createFaultIndex(db);
  const search = createRunSearch(db);
  // `position` reads this mark: no entry after it is missing.
  const mark = db.prepare(
    `INSERT INTO meta (name, value) SELECT 'pruned', id FROM events WHERE session = ? AND true ORDER BY seq DESC LIMIT 1
     ON CONFLICT (name) DO UPDATE SET value = max(CAST(value AS INTEGER), CAST(excluded.value AS INTEGER))`,
  );
  // Its entries go with it: they refer to it.
  const deleteSession = db.prepare("DELETE FROM sessions WHERE session = ?");
  return (session) => {
    const row = isOld.get(session, before);
    if (row === undefined) return false;
    // Files first: a session whose files cannot be removed stays whole, for the next time.
    try {
      removeArtefacts(artefactsFolder(path), session);
      removeArtefacts(runsFolder(path), session);
    } catch (error) {
      warn(
        classify({ surface: "store", error }),
        `removing the artefacts of session ${session}; the session is kept for now`,
      );
      return false;
    }
    faults.remove(Number(row["number"]));
    search.remove(session);
    for (const statement of [
      mark,
      deleteAnswers,
      deleteQuestions,
      deleteQuestionTags,
      deleteValues,
      deleteTags,
      deleteSession,
    ])
      statement.run(session);
    forget(session);
    return true;
  };
}

async function giveBackSpace({ db, clock, warn }: Pruning): Promise<void> {
  const freePages = db.prepare("PRAGMA freelist_count");
  const countFree = (): number => Number(freePages.get()?.["freelist_count"]);
  try {
    for (let free = countFree(), before = Infinity; free > 0 && free < before; before = free, free = countFree()) {
      db.exec(`PRAGMA incremental_vacuum(${VACUUM_PAGES})`);
      await new Promise<void>((resolve) => clock.soon(resolve));
    }
    db.exec("PRAGMA wal_checkpoint(PASSIVE)");
  } catch (error) {
    // The sessions are removed anyway; the next prune frees the space.
    warn(classify({ surface: "store", error }), "freeing the space of removed sessions");
  }
}
