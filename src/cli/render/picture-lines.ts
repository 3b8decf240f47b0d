// A node visit on one line (state, attempts, next attempt, time, cost), and the run's footer line.

import { type FaultCode, formatMs, isFaultCode, type Locale, wordsFor } from "../../core/index.ts";
import { columnsOf } from "../../yaml-file/columns.ts";
import type { Paint, Style } from "./paint.ts";
import { dollars, minuteOf, shown } from "./values.ts";
import { FOLLOW_WORDS, type FollowWords } from "./words/follow-words.ts";
import type { RunPicture, SeenState, SeenVisit } from "../workflow/run-picture.ts";

export interface LineOptions {
  readonly locale: Locale;
  readonly paint: Paint;
  readonly columns: number;
  readonly now: number;
}

const MARKS: Readonly<Record<SeenState, { readonly mark: string; readonly style: Style }>> = {
  running: { mark: "●", style: "cyan" },
  retrying: { mark: "↻", style: "yellow" },
  waiting: { mark: "◷", style: "yellow" },
  asking: { mark: "?", style: "magenta" },
  completed: { mark: "✓", style: "green" },
  failed: { mark: "✗", style: "red" },
  skipped: { mark: "–", style: "dim" },
};

export function visitLine(visit: SeenVisit, nameColumns: number, options: LineOptions): string {
  const { locale, paint, columns, now } = options;
  const words = FOLLOW_WORDS[locale];
  const { mark, style } = MARKS[visit.state];
  const name = nameOf(visit, words);
  const padded = name + " ".repeat(Math.max(0, nameColumns - columnsOf(name)));
  const facts = [...factsOf(visit, words, locale, now), ...sumsOf(visit, words, locale, now)];
  const text = fitted(`${padded}  ${facts.join(" · ")}`.trimEnd(), columns - 2);
  const [head, rest] = [text.slice(0, padded.length), text.slice(padded.length)];
  const isOver = visit.endedAt !== null && visit.state !== "failed";
  return `${paint(style, mark)} ${head}${isOver ? paint("dim", rest) : rest}`;
}

export function nameOf({ node, execution }: Pick<SeenVisit, "node" | "execution">, words: FollowWords): string {
  const name = shown(node, 40);
  return execution === 1 ? name : `${name} (${words.round(execution)})`;
}

export function footLine(run: string, picture: RunPicture, hint: string, options: LineOptions): string {
  const { locale, paint, columns, now } = options;
  const words = FOLLOW_WORDS[locale];
  const { startedAt, endedAt, spending } = picture;
  const facts = [
    shown(run),
    words.statuses[picture.status],
    ...elapsed((endedAt ?? now) - (startedAt ?? now), locale),
    ...(spending.microcents > 0 ? [dollars(spending.microcents)] : []),
    ...(hint === "" ? [] : [hint]),
  ];
  return paint("dim", fitted(facts.join(" · "), columns));
}

function factsOf(visit: SeenVisit, words: FollowWords, locale: Locale, now: number): readonly string[] {
  const { attempt, of, state, code, nextAt, call, questions, goesTo } = visit;
  const attempts = attempt > 1 || of > 1 ? [words.attempt(attempt, of)] : [];
  switch (state) {
    case "running": {
      if (call === null) return attempts;
      const again = words.callAgain(
        shown(call.target, 60),
        reasonText(call.reason, words, locale),
        call.attempt,
        call.of,
      );
      return [...attempts, `${again} ${timeTo(nextAt, now, words, locale)}`.trimEnd()];
    }
    case "retrying":
    case "waiting": {
      const what = state === "retrying" ? [] : [words.pauses.parked];
      const when = timeTo(nextAt, now, words, locale);
      return [...attempts, ...what, ...(when === "" ? [] : [when]), ...titleOf(code, locale)];
    }
    case "asking":
      return [...attempts, words.asks(shown(questions[0]?.prompt ?? "", 120))];
    case "completed":
      return attempts;
    case "failed":
      return [...attempts, ...titleOf(code, locale), ...(goesTo.length > 0 ? [words.goesTo(goesTo.join(", "))] : [])];
    case "skipped":
      return visit.skipped === null ? [] : [words.skipped[visit.skipped], ...titleOf(code, locale)];
  }
}

function sumsOf(visit: SeenVisit, words: FollowWords, locale: Locale, now: number): readonly string[] {
  const { callAttempts, callRetries, startedAt, endedAt, spentMicrocents } = visit;
  const calls = Math.max(callAttempts, callRetries === 0 ? 0 : callRetries + 1);
  return [
    ...(calls > 1 ? [words.calls(calls)] : []),
    ...(endedAt === null ? elapsed(now - startedAt, locale) : [formatMs(endedAt - startedAt, locale)]),
    ...(spentMicrocents > 0 ? [dollars(spentMicrocents)] : []),
  ];
}

export function reasonText(reason: FaultCode | "paused" | "paced", words: FollowWords, locale: Locale): string {
  return reason === "paused" || reason === "paced" ? words.callReasons[reason] : (titleOf(reason, locale)[0] ?? "");
}

export function titleOf(code: FaultCode | null, locale: Locale): readonly string[] {
  // A newer program may write unknown codes.
  return code === null ? [] : [isFaultCode(code) ? wordsFor(code, locale).title : shown(code)];
}

const MINUTE_MS = 60_000;

/** The time left, plus the time of day for longer waits. */
export function timeTo(nextAt: number | null, now: number, words: FollowWords, locale: Locale): string {
  if (nextAt === null || nextAt <= now) return "";
  const left = words.inTime(formatMs(Math.ceil((nextAt - now) / 1_000) * 1_000, locale));
  return nextAt - now > MINUTE_MS ? `${left} (${minuteOf(nextAt)} UTC)` : left;
}

/** In whole seconds, so that a line changes at most once a second; empty during the first. */
function elapsed(ms: number, locale: Locale): readonly string[] {
  return ms < 1_000 ? [] : [formatMs(Math.floor(ms / 1_000) * 1_000, locale)];
}

/** Cuts the text at the terminal's width, so that it stays on one line. */
export function fitted(text: string, columns: number): string {
  if (columnsOf(text) <= columns) return text;
  let kept = "";
  let used = 0;
  for (const char of text) {
    const width = columnsOf(char);
    if (used + width > columns - 1) break;
    kept += char;
    used += width;
  }
  return `${kept}…`;
}
