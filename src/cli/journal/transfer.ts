// `faultline journal export` and `import`: moves a session between journals as a file. `import` also takes rescue files.

import { SHAPE_REDACTOR } from "../../core/index.ts";
import { readSessionFile } from "../../journal/files/session-file.ts";
import { exportSession, importSession } from "../../journal/files/transfer.ts";
import type { Cli } from "../cli.ts";
import { UsageError } from "../io.ts";
import { JOURNAL_WORDS } from "../render/words/journal-words.ts";
import { printLines, splitLines, withEnds } from "../lines.ts";
import { escapedLines, safeJson } from "../render/safe-text.ts";
import { sentences } from "../render/words/cli-words.ts";
import { findSession } from "./show.ts";
import { shown } from "../render/values.ts";
import { journalRefusal, isThere, lookAtJournal, withNewJournal } from "./with-journal.ts";

export async function exportTo(
  file: string,
  session: string,
  { out, withResults }: { readonly out?: string; readonly withResults?: true },
  cli: Cli,
): Promise<void> {
  const { json, locale, paint } = cli;
  await lookAtJournal(file, cli, async (journal) => {
    await findSession(journal, file, session, locale);
    const exported = exportSession(journal, session, {
      redactor: SHAPE_REDACTOR,
      includeResults: withResults === true,
    });
    const lines = escapedLines(exported);
    if (out === undefined || out === "-") return printLines(lines, cli);
    await cli.writeNewFile(out, withEnds(lines));
    const words = JOURNAL_WORDS[locale];
    const done = `${paint("green", "✓")} ${words.exported(shown(session), out)}`;
    await cli.stdout.write(json ? `${safeJson(SHAPE_REDACTOR.value({ session, file: out }))}\n` : `${done}\n`);
  });
}

/** About the longest string Node can hold. */
const MAX_SESSION_LINE_CHARS = 512 * 1024 * 1024;

export async function importFrom(
  file: string,
  source: string,
  options: { readonly adopt?: true },
  cli: Cli,
): Promise<void> {
  const { json, locale, paint } = cli;
  const words = JOURNAL_WORDS[locale];
  const adopt = options.adopt === true;
  const isNew = !(await isThere(file, cli));
  // A new store has never written a session, so it cannot be the session's origin: only `--adopt` applies.
  if (isNew && !adopt) throw new UsageError(sentences(locale, words.noJournal(file), words.adoptHint));
  const lines = await readLines(source, cli);
  if (isNew) await refuseUntrusted(lines, file, cli);
  const imported = await withNewJournal(file, cli, (journal) => importSession(journal, lines, { adopt }));
  if (json) return cli.stdout.write(`${safeJson(SHAPE_REDACTOR.value(imported))}\n`);
  const { session, appended, already, adopted } = imported;
  await cli.stdout.write(`${paint("green", "✓")} ${words.imported(shown(session), appended, already)}\n`);
  if (adopted) await cli.stdout.write(`${words.adopted}\n`);
}

async function readLines(source: string, cli: Cli): Promise<readonly string[]> {
  const words = JOURNAL_WORDS[cli.locale];
  const lines: string[] = [];
  for await (const line of splitLines(source === "-" ? cli.stdin : cli.openFile(source), MAX_SESSION_LINE_CHARS)) {
    if ("tooLong" in line) throw new UsageError(words.lineTooLong(line.number));
    lines.push(line.text);
  }
  if (lines.length === 0) throw new UsageError(words.nothingIn);
  return lines;
}

/** Runs before a journal is created for the import. */
async function refuseUntrusted(lines: readonly string[], file: string, cli: Cli): Promise<void> {
  try {
    await readSessionFile(lines);
  } catch (error) {
    throw journalRefusal(error, file, cli);
  }
}
