// A node visit on one line (state, attempts, next attempt, time, cost), and the run's footer line.

import { dollars } from "../../core/flow/money.ts";
import { type FaultCode, formatMs, isFaultCode, type Locale, wordsFor } from "../../core/index.ts";
import type { HeldReason } from "../../core/flow/call.ts";
import type { Visit, VisitCall, VisitState } from "../../core/flow/visit.ts";
import { questionTitle } from "../../core/flow/question-title.ts";
import { columnsOf } from "../../yaml-file/columns.ts";
import type { Paint, Style } from "./paint.ts";
import { minuteOf, shown } from "./values.ts";
import { FOLLOW_WORDS } from "./words/follow-words.ts";
import type { RunPicture } from "../workflow/run-picture.ts";
import { PUNCTUATION } from "../../core/punctuation.ts";

export interface LineOptions {
  readonly locale: Locale;
  readonly paint: Paint;
  readonly columns: number;
  readonly now: number;
}

const MARKS: Readonly<Record<VisitState | "asking", { readonly mark: string; readonly style: Style }>> = {
  ready: { mark: "↻", style: "yellow" },
  running: { mark: "●", style: "cyan" },
  paused: { mark: "◷", style: "yellow" },
  asking: { mark: "?", style: "magenta" },
  completed: { mark: "✓", style: "green" },
  failed: { mark: "✗", style: "red" },
  skipped: { mark: "–", style: "dim" },
  cancelled: { mark: "–", style: "dim" },
};

export function markOf(visit: Visit, paint: Paint): string {
  const { mark, style } = MARKS[isAsking(visit) ? "asking" : visit.state];
  return paint(style, mark);
}

function isAsking({ state, pause }: Visit): boolean {
  return state === "paused" && pause !== null && pause.questions.length > 0;
}

export function visitLine(picture: RunPicture, visit: Visit, nameColumns: number, options: LineOptions): string {
  const { locale, paint, columns, now } = options;
  const name = nameOf(visit, locale);
  const padded = name + " ".repeat(Math.max(0, nameColumns - columnsOf(name)));
  const facts = [...factsOf(visit, picture.followersOf(visit), locale, now), ...sumsOf(visit, locale, now)];
  const text = cut(`${padded}  ${facts.join(" · ")}`.trimEnd(), columns - 2);
  const [head, rest] = [text.slice(0, padded.length), text.slice(padded.length)];
  const isOver = visit.endedAt > 0 && visit.state !== "failed";
  return `${markOf(visit, paint)} ${head}${isOver ? paint("dim", rest) : rest}`;
}

export function nameOf({ node, execution }: Pick<Visit, "node" | "execution">, locale: Locale): string {
  const name = shown(node, 40);
  return execution === 1 ? name : `${name} (${FOLLOW_WORDS[locale].round(execution)})`;
}

export function footLine(run: string, picture: RunPicture, hint: string, options: LineOptions): string {
  const { locale, paint, columns, now } = options;
  const words = FOLLOW_WORDS[locale];
  const { run: state, spending } = picture;
  const { status, startedAt, endedAt } = state ?? { status: "running", startedAt: now, endedAt: 0 };
  const facts = [
    shown(run),
    words.statuses[status],
    ...elapsed((endedAt === 0 ? now : endedAt) - startedAt, locale),
    ...(spending.microcents > 0 ? [dollars(spending.microcents)] : []),
    ...(hint === "" ? [] : [hint]),
  ];
  return paint("dim", cut(facts.join(" · "), columns));
}

function factsOf(visit: Visit, goesTo: readonly string[], locale: Locale, now: number): readonly string[] {
  const words = FOLLOW_WORDS[locale];
  const { state, fault, pause, skipped } = visit;
  const attempts = attemptFacts(visit, locale);
  const code = fault?.code ?? null;
  switch (state) {
    case "running": {
      const call = retriedCall(visit);
      if (call === null) return attempts;
      const why = call.held === null ? titleOf(call.code, locale).join("") : words.callReasons[call.held];
      const again = words.callAgain(shown(call.target, 60), why, call.attempt, call.of);
      return [...attempts, `${again} ${timeTo(call.nextAt, now, locale)}`.trimEnd()];
    }
    case "ready":
    case "paused": {
      if (isAsking(visit))
        return [...attempts, words.asks(shown(questionTitle(pause?.questions[0]?.payload.prompt ?? ""), 120))];
      const what = state === "ready" ? [] : [words.pauses.parked];
      return [...attempts, ...what, ...waitFacts(visit, now, locale), ...titleOf(code, locale)];
    }
    case "failed":
      return [
        ...attempts,
        ...titleOf(code, locale),
        ...(goesTo.length > 0 ? [words.goesTo(goesTo.join(PUNCTUATION[locale].comma))] : []),
      ];
    case "skipped":
      return skipped === null ? [] : [words.skipped[skipped], ...titleOf(code, locale)];
    case "completed":
      return attempts;
    case "cancelled":
      return [];
  }
}

/** A call of the visit that waits or has failed before: the one that continues first. */
function retriedCall({ calls = {} }: Visit): VisitCall | null {
  const all = Object.values(calls).filter(({ code, nextAt }) => code !== null || nextAt !== null);
  return all.toSorted((one, other) => (one.nextAt ?? Infinity) - (other.nextAt ?? Infinity))[0] ?? null;
}

export function attemptFacts({ attempt, of }: Visit, locale: Locale): readonly string[] {
  return attempt > 1 || of > 1 ? [FOLLOW_WORDS[locale].attempt(attempt, of)] : [];
}

/** When a visit continues that waits. */
export function waitFacts(visit: Visit, now: number, locale: Locale): readonly string[] {
  return [timeTo(nextAtOf(visit), now, locale)].filter((text) => text !== "");
}

export function nextAtOf({ state, pause, notBefore }: Visit): number | null {
  return pause?.wakeAt ?? (state === "ready" ? notBefore : null);
}

function sumsOf(visit: Visit, locale: Locale, now: number): readonly string[] {
  const { callAttempts, startedAt, endedAt } = visit;
  return [
    ...(callAttempts > 1 ? [FOLLOW_WORDS[locale].calls(callAttempts)] : []),
    ...(endedAt === 0 ? elapsed(now - startedAt, locale) : [formatMs(endedAt - startedAt, locale)]),
    ...costFacts(visit),
  ];
}

export function costFacts({ spentMicrocents }: Visit): readonly string[] {
  return spentMicrocents > 0 ? [dollars(spentMicrocents)] : [];
}

export function reasonText(reason: FaultCode | HeldReason, locale: Locale): string {
  return reason === "paused" || reason === "paced"
    ? FOLLOW_WORDS[locale].callReasons[reason]
    : (titleOf(reason, locale)[0] ?? "");
}

export function titleOf(code: FaultCode | null, locale: Locale): readonly string[] {
  // A newer program may write unknown codes.
  return code === null ? [] : [isFaultCode(code) ? wordsFor(code, locale).title : shown(code)];
}

const MINUTE_MS = 60_000;

/** The time left, plus the time of day for longer waits. */
export function timeTo(nextAt: number | null, now: number, locale: Locale): string {
  if (nextAt === null || nextAt <= now) return "";
  const left = FOLLOW_WORDS[locale].inTime(formatMs(Math.ceil((nextAt - now) / 1_000) * 1_000, locale));
  return nextAt - now > MINUTE_MS ? PUNCTUATION[locale].bracketed(left, `${minuteOf(nextAt)} UTC`) : left;
}

/** In whole seconds, so that a line changes at most once a second; empty during the first. */
function elapsed(ms: number, locale: Locale): readonly string[] {
  return ms < 1_000 ? [] : [formatMs(Math.floor(ms / 1_000) * 1_000, locale)];
}

/** Cuts the text at the terminal's width, so that it stays on one line. */
export function cut(text: string, columns: number): string {
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
