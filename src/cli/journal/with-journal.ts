// Opens a journal for one command and closes it again. What the journal refuses becomes a sentence and an exit code.

import { type FaultCode, isFaultError, type Locale, wordsFor } from "../../core/index.ts";
import type { Journal } from "../../journal/journal.ts";
import { openJournal } from "../../journal/open-journal.ts";
import type { ExitName } from "../exit-codes.ts";
import { type Io, UsageError } from "../io.ts";
import { JOURNAL_WORDS } from "../render/words/journal-words.ts";
import { oneLine } from "../render/safe-text.ts";
import { sentences } from "../render/words/cli-words.ts";

export interface JournalPlace {
  readonly file: string;
  readonly io: Io;
  readonly locale: Locale;
}

/** Never makes a journal: whoever mistypes a name gets no empty file. */
export async function withJournal<T>(place: JournalPlace, use: (journal: Journal) => Promise<T>): Promise<T> {
  if (!(await isThere(place))) throw notThere(place);
  return withNewJournal(place, use);
}

/** For commands that only look: the journal is neither made nor written to, and may stand where nobody may write. */
export async function lookAtJournal<T>(place: JournalPlace, use: (journal: Journal) => Promise<T>): Promise<T> {
  if (!(await isThere(place))) throw notThere(place);
  return opened(place, true, use);
}

/** Makes the journal when it is not there. */
export function withNewJournal<T>(place: JournalPlace, use: (journal: Journal) => Promise<T>): Promise<T> {
  return opened(place, false, use);
}

function notThere({ file, locale }: JournalPlace): UsageError {
  const words = JOURNAL_WORDS[locale];
  return new UsageError(sentences(locale, words.noJournal(file), words.whoMakesJournals));
}

async function opened<T>(place: JournalPlace, readOnly: boolean, use: (journal: Journal) => Promise<T>): Promise<T> {
  const { file, io, locale } = place;
  const words = JOURNAL_WORDS[locale];
  try {
    const journal = await openJournal(file, {
      clock: io.clock,
      readOnly,
      onWarning: ({ message }, what) => void io.stderr.write(`faultline: ${words.trouble(what, oneLine(message))}\n`),
    });
    try {
      return await use(journal);
    } finally {
      await journal.close();
    }
  } catch (error) {
    throw inWords(error, place);
  }
}

/** An empty file is no journal yet, unless the log beside it says that it was one. */
export async function isThere({ file, io }: JournalPlace): Promise<boolean> {
  const bytes = await io.fileBytes(file);
  if (bytes === 0) return ((await io.fileBytes(`${file}-wal`)) ?? 0) > 0;
  return bytes !== null;
}

/** Which exit code a refusal of the journal ends with; all others are failures like any other. */
const EXITS: Readonly<Partial<Record<FaultCode, ExitName>>> = {
  ManifestDrift: "config", // the file of another program, a torn one, a newer one, a changed export
  NotFound: "usage", //       a question that is not open
  ShapeInvalid: "usage", //   a name or an answer that cannot be one
};

/** What is no fault of the journal stays what it is. */
export function inWords(error: unknown, { file, locale }: JournalPlace): unknown {
  if (!isFaultError(error)) return error;
  const { code, message, evidence } = error.fault;
  // Refusals say themselves what to do; what the machine said does not.
  const said = evidence.source === "raised" ? message : `${file}: ${message}. ${wordsFor(code, locale).operator}`;
  const told = locale === "en" ? said : `${wordsFor(code, locale).title}：${said}`;
  return new UsageError(oneLine(told, 2_000), EXITS[code] ?? "failed", { cause: error });
}
