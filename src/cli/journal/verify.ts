// `faultline journal verify`: checks that no entry was changed, and names the first one that was.

import { SHAPE_REDACTOR } from "../../core/index.ts";
import type { Cli } from "../cli.ts";
import { JOURNAL_WORDS } from "../render/words/journal-words.ts";
import { oneLine, safeJson } from "../render/safe-text.ts";
import { shown } from "../render/values.ts";
import { said } from "../fault-sentences/sentence.ts";
import { journalRefusal, lookAtJournal } from "./with-journal.ts";
import { shownPlace } from "../../journal/journal-place.ts";

export async function verifyJournal(file: string, cli: Cli): Promise<void> {
  const { json, locale, paint } = cli;
  const words = JOURNAL_WORDS[locale];
  const report = await lookAtJournal(file, cli, (journal) => journal.verify());
  const { sessions, entries, firstBad } = report;
  if (firstBad !== null) cli.exit("failed");
  if (json) return cli.stdout.write(`${safeJson(SHAPE_REDACTOR.value({ ok: firstBad === null, ...report }))}\n`);
  if (firstBad === null) return cli.stdout.write(`${paint("green", "✓")} ${words.allWell(sessions, entries)}\n`);
  const { session, seq, why } = firstBad;
  const what =
    session === "" ? words.badFile(said(why, locale)) : words.badEntry(shown(session), seq, said(why, locale));
  await cli.stdout.write(`${paint("red", "✗")} ${what}\n`);
  await cli.stderr.write(`${words.afterBad}\n`);
}

// `faultline journal copy`: a whole journal to another place, verified afterwards.

export async function copyTo(from: string, to: string, cli: Cli): Promise<void> {
  const { locale, json, paint } = cli;
  // Refuses a journal that is not there before the copy makes one.
  await lookAtJournal(from, cli, () => Promise.resolve());
  const { copyJournal } = await import("../../journal/copy/copy-journal.ts");
  const counts = await copyJournal(from, to).catch((error: unknown) => {
    throw journalRefusal(error, from, cli, true);
  });
  if (json) return cli.stdout.write(`${safeJson({ to: oneLine(shownPlace(to), 500), ...counts })}\n`);
  const { entries, kept, files } = counts;
  const words = JOURNAL_WORDS[locale];
  await cli.stdout.write(`${paint("green", "✓")} ${words.copied(entries, kept, files)}\n`);
  await verifyJournal(to, cli);
}
