// `faultline journal verify`: checks that no entry was changed, and names the first one that was.

import { SHAPE_REDACTOR } from "../../core/index.ts";
import type { Io } from "../io.ts";
import { paintFor } from "../render/paint.ts";
import { JOURNAL_WORDS } from "../render/words/journal-words.ts";
import type { GlobalOptions } from "../options.ts";
import { oneLine, safeJson } from "../render/safe-text.ts";
import { shown } from "../render/values.ts";
import { said } from "../fault-sentences/sentence.ts";
import { journalRefusal, lookAtJournal } from "./with-journal.ts";
import { shownPlace } from "../../journal/journal-place.ts";

export async function verifyJournal(file: string, io: Io, { json, locale, color }: GlobalOptions): Promise<void> {
  const words = JOURNAL_WORDS[locale];
  const paint = paintFor(io.stdout, io.env, color);
  const report = await lookAtJournal({ file, io, locale }, (journal) => journal.verify());
  const { sessions, entries, firstBad } = report;
  if (firstBad !== null) io.exit("failed");
  if (json) return io.stdout.write(`${safeJson(SHAPE_REDACTOR.value({ ok: firstBad === null, ...report }))}\n`);
  if (firstBad === null) return io.stdout.write(`${paint("green", "✓")} ${words.allWell(sessions, entries)}\n`);
  const { session, seq, why } = firstBad;
  const what =
    session === "" ? words.badFile(said(why, locale)) : words.badEntry(shown(session), seq, said(why, locale));
  await io.stdout.write(`${paint("red", "✗")} ${what}\n`);
  await io.stderr.write(`${words.afterBad}\n`);
}

// `faultline journal copy`: a whole journal to another place, verified afterwards.

export async function copyTo(from: string, to: string, io: Io, shared: GlobalOptions): Promise<void> {
  const { locale, json, color } = shared;
  const place = { file: from, io, locale };
  // Refuses a journal that is not there before the copy makes one.
  await lookAtJournal(place, () => Promise.resolve());
  const { copyJournal } = await import("../../journal/copy/copy-journal.ts");
  const counts = await copyJournal(from, to).catch((error: unknown) => {
    throw journalRefusal(error, place, true);
  });
  if (json) return io.stdout.write(`${safeJson({ to: oneLine(shownPlace(to), 500), ...counts })}\n`);
  const { entries, kept, files } = counts;
  const words = JOURNAL_WORDS[locale];
  await io.stdout.write(`${paintFor(io.stdout, io.env, color)("green", "✓")} ${words.copied(entries, kept, files)}\n`);
  await verifyJournal(to, io, shared);
}
