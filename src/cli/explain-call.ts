// What `faultline explain` shows of a call of a gateway: its line of the ledger, and what was decided about each attempt.

import { dollars } from "../core/flow/money.ts";
import { formatMs, isFaultCode, type Locale, wordsFor } from "../core/index.ts";
import { PUNCTUATION } from "../core/punctuation.ts";
import { CALL_WORDS, endingWords, stateOf, stateWord } from "../gateway/ledger/call-ending.ts";
import { decisionId, type LedgerDecision, type LedgerLine } from "../gateway/ledger/ledger-line.ts";
import { gatewayRecourse } from "../gateway/ledger/recourse-word.ts";
import type { Cli } from "./cli.ts";
import { dayOf, shown, timeOfDay } from "./render/values.ts";
import { CALL_LINE_WORDS } from "./render/words/call-line-words.ts";

/** A call of a gateway, and which of its decisions was asked about. */
export interface FoundCall {
  readonly line: LedgerLine;
  /** From 1; null: the whole call. */
  readonly only: number | null;
}

/** Who asked for what, which target answered, and what it took and cost. */
export function callLines({ line }: FoundCall, { locale, paint }: Cli): string[] {
  const { at, call, key, route, model, dialect, target, attempts, tookMs, omitted } = line;
  const words = CALL_LINE_WORDS[locale];
  const color = { completed: "green", failed: "red", cancelled: "yellow" } as const;
  const state = paint(["bold", color[stateOf(line)]], stateWord(line, locale));
  const answered = target === null ? [] : [words.answeredBy(shown(target, 300))];
  const facts = [...answered, words.attempts(attempts), formatMs(tookMs, locale), costOf(line, locale)];
  return [
    `${paint("dim", `${dayOf(at)} ${timeOfDay(at)}`)}  ${state}  ${endingWords(line, locale)}  ${paint("dim", shown(call))}`,
    `  ${facts.join(" · ")}`,
    `  ${words.asked(shown(key, 200), shown(route, 300), shown(model, 300), dialect)}`,
    ...(omitted.length === 0 ? [] : [`  ${words.leftOut(omitted.map((one) => shown(one, 300)))}`]),
    "",
  ];
}

function costOf({ microcents, isExact, isUnpriced }: LedgerLine, locale: Locale): string {
  if (isUnpriced === true) return CALL_LINE_WORDS[locale].noPrice;
  const cost = dollars(microcents);
  return isExact ? cost : CALL_LINE_WORDS[locale].about(cost);
}

/** What was decided, in order; only the one that was asked about, if one was. */
export function decisionLines({ line, only }: FoundCall, locale: Locale): readonly string[] {
  return line.decisions.flatMap((decision, index) =>
    (only ?? index + 1) === index + 1 ? [`#${index + 1}  ${decisionText(decision, locale)}`] : [],
  );
}

/** `one/gpt-5, attempt 2: Too many requests (RateLimited) → retried` */
export function decisionText({ target, attempt, code, recourse }: LedgerDecision, locale: Locale): string {
  const { colon, bracketed } = PUNCTUATION[locale];
  const { silent, hedged } = CALL_WORDS[locale];
  const what =
    code === null ? silent : isFaultCode(code) ? bracketed(wordsFor(code, locale).title, code) : shown(code, 100);
  const done = code === null ? hedged : gatewayRecourse(recourse, locale);
  return `${CALL_LINE_WORDS[locale].at(shown(target, 300), attempt)}${colon}${what} → ${done}`;
}

export function callJson({ line, only }: FoundCall): object {
  const decisions = line.decisions.map((decision, index) => ({ id: decisionId(line.call, index), ...decision }));
  return { ...line, decisions: decisions.filter((_one, index) => (only ?? index + 1) === index + 1) };
}
