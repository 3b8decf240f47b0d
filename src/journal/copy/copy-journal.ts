// Copies a journal into another store with its hashes. Invariants:
// Y1  Before a row is written, an entry is checked against its hash, and a kept value against its checksum. The first row that does not
//     match ends the copy, and the error names it.
// Y2  An interrupted copy continues: it compares the rows that are already there and skips them.
// Y3  The copy has the id of its source, so sessions resume in it. A target with other content is refused.

import { parseJson } from "../../core/try-read.ts";
import type { JournalEvent } from "../../core/record/event.ts";
import { encodeEntry, encodeKeep, type EncodedKeep } from "../encode.ts";
import type { FileStore } from "../files/file-store.ts";
import type { KeepKind } from "../journal.ts";
import { drift, unfit } from "../journal-faults.ts";
import { isPostgresAddress, shownPlace } from "../journal-place.ts";
import { isKeepKind } from "../keep-kinds.ts";
import { wrongWithKept } from "../sealed.ts";
import type { CopiedEntry, CopiedKept, CopySource, CopyTarget } from "./copied-rows.ts";

export interface CopyCounts {
  /** Written by this call, not by an earlier one that was interrupted. */
  entries: number;
  readonly kept: number;
  readonly files: number;
}

const PAGE = 500;
/** The copy numbers its positions from the start, so the position that a follower remembers would be wrong there. */
const NOT_COPIED: ReadonlySet<string> = new Set<KeepKind>(["follower"]);

/** `from` and `to` are files or addresses. No process may write to either of them meanwhile. */
export async function copyJournal(
  from: string,
  to: string,
  onEntries: (count: number) => void = () => undefined,
): Promise<CopyCounts> {
  if (from === to) throw unfit("A journal cannot be copied to itself. Name another place for the copy.");
  const source = await openSource(from);
  try {
    const target = await openTarget(to);
    try {
      await requireEmptyOrSame(source, target, to);
      await target.become(source.storeId);
      const counts = { entries: 0, kept: 0, files: 0 };
      await copyEntries(source, target, (count) => onEntries((counts.entries += count)));
      counts.kept = await copyKept(source, target);
      counts.files =
        (await copyFiles(source.files.artefacts, target.files.artefacts)) +
        (await copyFiles(source.files.runs, target.files.runs));
      return counts;
    } finally {
      await target.close();
    }
  } finally {
    await source.close();
  }
}

async function openSource(place: string): Promise<CopySource> {
  if (isPostgresAddress(place)) return (await import("../postgres/copy-rows.ts")).openPostgresSource(place);
  return (await import("../sqlite/copy-rows.ts")).openSqliteSource(place);
}

async function openTarget(place: string): Promise<CopyTarget> {
  if (isPostgresAddress(place)) return (await import("../postgres/copy-rows.ts")).openPostgresTarget(place);
  return (await import("../sqlite/copy-rows.ts")).openSqliteTarget(place);
}

async function requireEmptyOrSame(source: CopySource, target: CopyTarget, to: string): Promise<void> {
  if ((await target.isEmpty()) || (await target.copyOf()) === source.storeId) return;
  throw unfit(
    `${shownPlace(to)} holds sessions or values of its own. Copy into a journal that is new, or continue a copy of the same one.`,
  );
}

async function copyEntries(source: CopySource, target: CopyTarget, onEntries: (count: number) => void): Promise<void> {
  for (let position = 0; ;) {
    const page = await source.entriesAfter(position, PAGE);
    const heads = await target.heads(Array.from(new Set(page.map(({ session }) => session))));
    const missing = page.filter((entry) => {
      const head = heads.get(entry.session);
      if (entry.seq === head?.lastSeq && entry.hash !== head.lastHash) throw changed(entry);
      return entry.seq > (head?.lastSeq ?? 0);
    });
    await target.append(missing.map((entry) => ({ ...entry, encoded: encoded(entry) })));
    onEntries(missing.length);
    position = page.at(-1)?.position ?? position;
    if (page.length < PAGE) return;
  }
}

/** Copies the text unchanged, and derives from it only the columns that lists are read from. */
function encoded({ session, seq, at, type, body, hash, seal }: CopiedEntry): ReturnType<typeof encodeEntry> {
  const event = parseJson(body);
  if (typeof event !== "object" || event === null) throw changed({ session, seq });
  return { ...encodeEntry({ at, event: event as JournalEvent }), type, body, restored: { hash, seal } };
}

async function copyKept(source: CopySource, target: CopyTarget): Promise<number> {
  let [kind, key] = ["", ""];
  for (let count = 0; ;) {
    const page = await source.keptAfter(kind, key, PAGE);
    const values = page.filter((row) => !NOT_COPIED.has(row.kind)).map(encodedKept);
    await target.keep(values);
    count += values.length;
    ({ kind, key } = page.at(-1) ?? { kind, key });
    if (page.length < PAGE) return count;
  }
}

function encodedKept(row: CopiedKept): EncodedKeep {
  const { kind, key, hash, session, seq } = row;
  const why = isKeepKind(kind) ? wrongWithKept(kind, row) : "there is no such kind of kept value";
  if (why !== null || !isKeepKind(kind))
    throw drift(
      `The ${kind} kept under ${key} is not what was written: ${String(why)}. Run a verification of the journal it comes from.`,
      {
        context: { kind, key },
      },
    );
  const text = String(row.value);
  return { ...encodeKeep({ kind, key, value: parseJson(text) }), text, restored: { hash, session, seq } };
}

async function copyFiles(from: FileStore, to: FileStore): Promise<number> {
  const paths = await from.list();
  for (const path of paths) {
    const bytes = await from.read(path);
    if (bytes !== null) await to.replace(path, bytes);
  }
  return paths.length;
}

function changed({ session, seq }: Pick<CopiedEntry, "session" | "seq">): Error {
  return drift(
    `Entry ${seq} of session ${session} is not what was written: its hash is that of another one. Run a verification of the journal it comes from.`,
    { context: { session, seq } },
  );
}
