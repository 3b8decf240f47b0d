// Takes a session out of a journal as lines of text, and puts one in. Nothing is written before everything is checked.

import type { Redactor } from "../../core/fault/redact.ts";
import type { Entry, JournalEvent } from "../../core/record/event.ts";
import { fieldOf, readField } from "../../core/try-read.ts";
import { lazyPart } from "../../host/lazy-part.ts";
import { isUnder, kindsExported, OWNERSHIP, tagOf } from "../keep-kinds.ts";
import { checkSession, jsonOf } from "../encode.ts";
import type { Journal, Keep, NewEntry } from "../journal.ts";
import { mismatch } from "../journal-faults.ts";
import type { SessionFile } from "./session-file.ts";

const sessionFiles = lazyPart(() => import("./session-file.ts"));

export interface ExportOptions {
  /** Takes secrets out of the entries. */
  readonly redactor: Redactor;
  /** Adds results of calls, people's answers and a run's kept values, unredacted: needed to resume the session elsewhere. */
  readonly includeResults?: boolean;
}

/** The lines of a file, without line ends. Entries that come while it is read are not in it. */
export async function* exportSession(
  journal: Journal,
  session: string,
  { redactor, includeResults = false }: ExportOptions,
): AsyncIterable<string> {
  const summary = await journal.session(session);
  if (summary === null) {
    throw mismatch(`There is no session ${session} in store ${journal.storeId}.`, {
      session,
      storeId: journal.storeId,
    });
  }
  const { lastSeq, updatedAt } = summary;
  const { storeId } = journal;
  const { createSessionFileWriter } = await sessionFiles();
  const writer = createSessionFileWriter({ storeId, session, after: 0, entries: lastSeq, at: updatedAt });
  yield writer.header();
  let left = lastSeq;
  for await (const { at, event } of journal.read(session)) {
    if (left === 0) break;
    left--;
    yield writer.entry({ at, event: scrub(event, redactor) });
  }
  if (left > 0) throw mismatch(`Session ${session} was removed while it was exported.`, { session, missing: left });
  // Questions come along so that they can be answered elsewhere; people see them anyway.
  for (const { key, value } of await journal.keptByTime("question", {
    order: "oldest",
    tags: [tagOf("session", session)],
    limit: Infinity,
  })) {
    yield writer.kept({ kind: "question", key, value: redactor.value(value) });
  }
  if (includeResults) {
    for (const kind of kindsExported("exact")) {
      for (const { key, value } of await journal.keptAll(kind, session)) yield writer.kept({ kind, key, value });
    }
  }
  yield writer.footer();
}

/** The redactor would take a session's id for a web session secret; here it is a name. */
function scrub(event: JournalEvent, redactor: Redactor): JournalEvent {
  const safe = redactor.value(event) as JournalEvent;
  if (event.type !== "session-started" || safe.type !== "session-started")
    return { ...safe, type: event.type } as JournalEvent;
  const { sessionId, storeId } = event.manifest;
  return { ...safe, manifest: { ...safe.manifest, sessionId, storeId } };
}

function namesSession(value: unknown, session: string): boolean {
  return typeof value === "object" && value !== null && readField(value, "session") === session;
}

export interface ImportOptions {
  /** Takes over a session that another store wrote: its first entry then names this one. */
  readonly adopt?: boolean;
}

export interface Imported {
  readonly session: string;
  /** Entries that were written. */
  readonly appended: number;
  /** Entries that stood there already, word for word. */
  readonly already: number;
  readonly adopted: boolean;
}

/** Checks the whole file, then writes all of it or nothing. Importing the same file twice does no harm. */
export async function importSession(
  journal: Journal,
  lines: AsyncIterable<string> | Iterable<string>,
  { adopt = false }: ImportOptions = {},
): Promise<Imported> {
  const { readSessionFile } = await sessionFiles();
  const file = await readSessionFile(lines);
  const { session } = file;
  checkSession(session);
  const asked = await questionsOf(journal, file);
  const isForeign = file.storeId !== journal.storeId;
  if (isForeign && !adopt) throw otherStore(file, journal.storeId);
  const entries = isForeign ? file.content.map((entry) => adopted(entry, journal.storeId)) : file.content;
  const keeps = file.keeps.filter((keep) => goesWith(keep, session, isForeign, asked));
  refuseOtherManifest(file);

  const already = await countAlready(journal, file, entries);
  const fresh = entries.slice(already);
  // What stands there already came with its values, and they may have changed since.
  const isOld = fresh.length === 0 && entries.length > 0;
  if (!isOld) await journal.append(session, file.after + already, fresh, keeps);
  return { session, appended: fresh.length, already, adopted: isForeign };
}

function otherStore({ session, storeId: theirs }: SessionFile, ours: string): Error {
  return mismatch(
    `Session ${session} was written by store ${theirs}, and this is store ${ours}. To take it over, import it with \`adopt\`, ` +
      `and do not continue it in ${theirs}.`,
    { session, theirs, ours },
  );
}

function adopted({ at, event }: NewEntry, storeId: string): NewEntry {
  return {
    at,
    event: event.type === "session-started" ? { ...event, manifest: { ...event.manifest, storeId } } : event,
  };
}

/** Values that belong to the store stay with it; a snapshot names its store, so another store makes its own. */
function goesWith(
  { kind, key, value }: Keep,
  session: string,
  isForeign: boolean,
  asked: ReadonlySet<string>,
): boolean {
  switch (OWNERSHIP[kind]) {
    case "by-key":
      return isUnder(key, session) && !(isForeign && kind === "snapshot");
    case "by-value":
      return asked.has(key) && (value === null || namesSession(value, session));
    case "by-question":
      return asked.has(key);
    case "by-age":
    case "shared":
      return false;
  }
}

/** The questions this session asked: a file may not answer, or take away, those of another. */
async function questionsOf(journal: Journal, { session, content, keeps }: SessionFile): Promise<ReadonlySet<string>> {
  const asked = new Set(content.flatMap(({ event }) => (event.type === "question-asked" ? [event.question.id] : [])));
  for (const { kind, key, value } of keeps) {
    if (OWNERSHIP[kind] === "by-value" && namesSession(value, session)) asked.add(key);
  }
  for (const key of asked) {
    const there = await journal.kept("question", key);
    if (there !== null && !namesSession(there, session)) asked.delete(key);
  }
  return asked;
}

function refuseOtherManifest({ session, content }: SessionFile): void {
  for (const { event } of content) {
    if (event.type !== "session-started") continue;
    const manifest: unknown = event.manifest;
    const named = fieldOf(manifest, "sessionId");
    if (named !== session)
      throw mismatch(`The file is of session ${session}, and its manifest of ${String(named)}.`, { session });
  }
}

/** How many entries of the file the journal already has. Throws when the rest would not continue it exactly. */
async function countAlready(journal: Journal, file: SessionFile, entries: readonly NewEntry[]): Promise<number> {
  const { session, after } = file;
  const lastSeq = (await journal.session(session))?.lastSeq ?? 0;
  if (lastSeq < after) {
    throw mismatch(
      `The file continues session ${session} behind entry ${after}, and this store has ${lastSeq} entries of it. Import what is missing first.`,
      { session, after, lastSeq },
    );
  }
  let already = 0;
  for await (const there of journal.read(session, after)) {
    const mine = entries[already];
    if (mine === undefined) return already;
    if (!isSame(there, mine)) {
      throw mismatch(
        `Session ${session} continued differently in this store: its entry ${there.seq} is not the one in the file. Nothing was imported.`,
        { session, seq: there.seq },
      );
    }
    already++;
  }
  return already;
}

function isSame(there: Entry, mine: NewEntry): boolean {
  const what = `Entry ${there.seq}`;
  return there.at === mine.at && jsonOf(there.event, what) === jsonOf(mine.event, what);
}
