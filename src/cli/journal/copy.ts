// `faultline journal copy`: a whole journal to another place, verified afterwards.

import { shownPlace } from "../../journal/journal-place.ts";
import type { Io } from "../io.ts";
import type { GlobalOptions } from "../options.ts";
import { paintFor } from "../render/paint.ts";
import { oneLine, safeJson } from "../render/safe-text.ts";
import { JOURNAL_WORDS } from "../render/words/journal-words.ts";
import { verifyJournal } from "./verify.ts";
import { inWords, lookAtJournal } from "./with-journal.ts";

export async function copyTo(from: string, to: string, io: Io, shared: GlobalOptions): Promise<void> {
  const { locale, json, color } = shared;
  const place = { file: from, io, locale };
  // Refuses a journal that is not there before the copy makes one.
  await lookAtJournal(place, () => Promise.resolve());
  const { copyJournal } = await import("../../journal/copy/copy-journal.ts");
  const counts = await copyJournal(from, to).catch((error: unknown) => {
    throw inWords(error, place);
  });
  if (json) return io.stdout.write(`${safeJson({ to: oneLine(shownPlace(to), 500), ...counts })}\n`);
  const { entries, kept, files } = counts;
  const words = JOURNAL_WORDS[locale];
  await io.stdout.write(`${paintFor(io.stdout, io.env, color)("green", "✓")} ${words.copied(entries, kept, files)}\n`);
  await verifyJournal(to, io, shared);
}
