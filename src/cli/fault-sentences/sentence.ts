// What a fault says, in the language of the person at the terminal. Faults keep their English message, in the journal, too. Commands translate
// it where they print it, by tables with one row per sentence: so the faults of runs that an older version recorded appear in Chinese as well.

import { type Fault, type FaultError, type Locale, wordsFor } from "../../core/index.ts";
import { createSentences, type SentenceRow } from "../../yaml-file/diagnostic.ts";
import type { ExitName } from "../exit-codes.ts";
import { UsageError } from "../io.ts";
import { oneLine } from "../render/safe-text.ts";
import { shown } from "../render/values.ts";
import { JOURNAL_WORDS } from "../render/words/journal-words.ts";
import { AGENT_SENTENCES } from "./agents.ts";
import { CALL_SENTENCES } from "./calls.ts";
import { JOURNAL_SENTENCES } from "./journal.ts";
import { RUN_SENTENCES } from "./runs.ts";
import { SERVER_SENTENCES } from "./servers.ts";
import { PUNCTUATION } from "../../core/punctuation.ts";

const fixedChars = ([english]: SentenceRow): number => english.replaceAll("{}", "").length;

/** The row that says most comes first: `the tool {} {}` also fits what other rows say better. */
export const FAULT_SENTENCES: readonly SentenceRow[] = [
  JOURNAL_SENTENCES,
  RUN_SENTENCES,
  AGENT_SENTENCES,
  CALL_SENTENCES,
  SERVER_SENTENCES,
]
  .flat()
  .toSorted((a, b) => fixedChars(b) - fixedChars(a));

const inChinese = createSentences(FAULT_SENTENCES);

/** Longer messages are not ours. */
const MAX_CHARS = 4_000;
/** `while this: while that: what happened` */
const MAX_PREFIXES = 3;

/** `Sandbox/SandboxFailed: what happened`, as an error with a fault says it. */
const NAMED = /^([A-Z]\w+\/[A-Z]\w+): ([^]+)$/;

/** A message of Faultline's own in the user's language. What a provider, a process or the system said stays as it is. */
export function messageIn(locale: Locale, message: string): string {
  if (locale === "en" || message.length > MAX_CHARS) return message;
  const [, name, rest] = NAMED.exec(message) ?? [];
  if (name !== undefined && rest !== undefined) return `${name}${PUNCTUATION[locale].colon}${messageIn(locale, rest)}`;
  const whole = inChinese(message);
  if (whole !== message) return whole;
  let at = message.indexOf(": ");
  for (let tried = 0; at !== -1 && tried < MAX_PREFIXES; tried++) {
    const before = message.slice(0, at);
    const translated = inChinese(before);
    if (translated !== before) return `${translated}：${messageIn(locale, message.slice(at + 2))}`;
    at = message.indexOf(": ", at + 1);
  }
  return message;
}

/** A refusal as a sentence of its own. A message without a translation follows what its code means. */
export function faultSentence({ code, message }: Pick<Fault, "code" | "message">, locale: Locale): string {
  const told = messageIn(locale, message);
  if (locale === "en") return /[.?!…]$/u.test(told) ? told : `${told}.`;
  const whole = told === message ? `${wordsFor(code, locale).title}：${message}` : told;
  return /[。？！….?!`]$/u.test(whole) ? whole : `${whole}。`;
}

/** A fault that ends a command: a sentence in each language, and the exit code. */
export function refusalOf(error: FaultError, exit: ExitName): UsageError {
  const said = (locale: Locale): string => oneLine(faultSentence(error.fault, locale), 2_000);
  return new UsageError({ "en": said("en"), "zh-CN": said("zh-CN") }, exit, { cause: error });
}

/** A recorded message, safe to print. */
export function said(message: string, locale: Locale, maxChars?: number): string {
  return shown(messageIn(locale, message), maxChars);
}

/** What was being done, and what happened. */
export function troubleLine({ message }: Pick<Fault, "message">, what: string, locale: Locale): string {
  return JOURNAL_WORDS[locale].trouble(messageIn(locale, what), oneLine(messageIn(locale, message)));
}
