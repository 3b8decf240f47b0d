// Opens a journal for one command and closes it afterwards. A refusal by the journal becomes a sentence and an exit code.

import { type FaultCode, isFaultError, wordsFor } from "../../core/index.ts";
import type { Journal } from "../../journal/journal.ts";
import { isPostgresAddress, shownPlace } from "../../journal/journal-place.ts";
import { openJournal } from "../../journal/open-journal.ts";
import type { Cli } from "../cli.ts";
import type { ExitName } from "../exit-codes.ts";
import { refusalOf } from "../fault-sentences/sentence.ts";
import { UsageError } from "../io.ts";
import { warningLines } from "../print-warnings.ts";
import { JOURNAL_WORDS } from "../render/words/journal-words.ts";
import { oneLine } from "../render/safe-text.ts";
import { refusedBySystem } from "../system-refusal.ts";
import { sentences } from "../render/words/cli-words.ts";

/** Never creates a journal, so a mistyped name does not leave an empty file. */
export async function withJournal<T>(file: string, cli: Cli, use: (journal: Journal) => Promise<T>): Promise<T> {
  if (!(await isThere(file, cli))) throw notThere(file, cli);
  return withNewJournal(file, cli, use);
}

/** Opens the journal read-only, which also works in a read-only folder. Never creates it. */
export async function lookAtJournal<T>(file: string, cli: Cli, use: (journal: Journal) => Promise<T>): Promise<T> {
  if (!(await isThere(file, cli))) throw notThere(file, cli);
  return opened(file, cli, true, use);
}

/** Creates the journal if it does not exist. */
export function withNewJournal<T>(file: string, cli: Cli, use: (journal: Journal) => Promise<T>): Promise<T> {
  return opened(file, cli, false, use);
}

function notThere(file: string, { locale }: Cli): UsageError {
  const words = JOURNAL_WORDS[locale];
  return new UsageError(sentences(locale, words.noJournal(shownPlace(file)), words.whoMakesJournals));
}

async function opened<T>(file: string, cli: Cli, readOnly: boolean, use: (journal: Journal) => Promise<T>): Promise<T> {
  try {
    const journal = await openJournal(file, { clock: cli.clock, readOnly, onWarning: warningLines(cli) });
    const [used] = await Promise.allSettled([use(journal)]);
    const [closed] = await Promise.allSettled([journal.close()]);
    // If both failed, the first error says more: a journal that cannot be written cannot be closed either.
    if (used.status === "rejected") throw used.reason;
    if (closed.status === "rejected") throw closed.reason;
    return used.value;
  } catch (error) {
    throw journalRefusal(error, file, cli, readOnly);
  }
}

/** An empty file is not a journal, unless the WAL file beside it holds its contents. */
export async function isThere(file: string, cli: Cli): Promise<boolean> {
  if (isPostgresAddress(file)) return isInDatabase(file, cli);
  const bytes = await cli.fileBytes(file);
  if (bytes === 0) return ((await cli.fileBytes(`${file}-wal`)) ?? 0) > 0;
  return bytes !== null;
}

/** Only its opening tells. A database that does not answer is an error, not a missing journal. */
async function isInDatabase(file: string, cli: Cli): Promise<boolean> {
  try {
    const { isInPostgres } = await import("../../journal/postgres/postgres-journal.ts");
    return await isInPostgres(file, warningLines(cli));
  } catch (error) {
    throw journalRefusal(error, file, cli);
  }
}

/** The exit codes of the journal's refusals; every other fault exits as a failure. */
const EXITS: Readonly<Partial<Record<FaultCode, ExitName>>> = {
  ManifestDrift: "config", // a file of another program, a torn or newer journal, a changed export
  ConfigSchemaViolation: "usage", // an option, or a part of an address, that cannot be one
  NotFound: "usage", //       a question that is not open
  ShapeInvalid: "usage", //   a name or an answer that cannot be one
};

/** Errors without a fault are returned unchanged. `isRead`: the journal is only read. */
export function journalRefusal(error: unknown, file: string, { locale }: Cli, isRead = false): unknown {
  if (!isFaultError(error)) return error;
  const { code, message, evidence, context } = error.fault;
  const exit = EXITS[code] ?? "failed";
  // Refusals already say what to do; system errors do not.
  if (evidence.source === "raised") return refusalOf(error, exit);
  const refused = isPostgresAddress(file) ? null : refusedBySystem(error, file, isRead);
  if (refused !== null) return refused;
  const place = typeof context["path"] === "string" ? context["path"] : file;
  const said = sentences(locale, `${shownPlace(place)}: ${message}.`, wordsFor(code, locale).operator);
  return new UsageError(oneLine(said, 2_000), exit, { cause: error });
}
