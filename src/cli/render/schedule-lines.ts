// A policy row in words: the attempts with their waits, and what follows them.

import { formatMs, type Locale, type PolicyRow, type Retry, schedule } from "../../core/index.ts";
import { recourseStep } from "../../core/decide/explain.ts";
import { CLI_WORDS } from "./words/cli-words.ts";
import { PUNCTUATION } from "../../core/punctuation.ts";

export function scheduleLines({ retry, then }: PolicyRow, locale: Locale): readonly string[] {
  const words = CLI_WORDS[locale];
  const steps = then.map((recourse) => recourseStep(recourse, locale));
  const next = words.then(steps.join(" → "));
  if (retry === null) return [words.once, next];
  const time = (ms: number): string => formatMs(ms, locale);
  const waits = schedule(retry).map(({ attempt, baseMs, minMs, maxMs, totalMaxMs, reachable }) => {
    const range =
      minMs === maxMs ? time(baseMs) : PUNCTUATION[locale].bracketed(time(baseMs), `${time(minMs)} – ${time(maxMs)}`);
    const total = reachable ? `${words.inAll} ≤ ${time(totalMaxMs)}` : words.never;
    return `${words.attempt(attempt, retry.maxAttempts)}  ${words.after} ${range}  ${total}`;
  });
  return [...waits, words.serverWins(time(retry.maxWaitMs)), next];
}

/** A retry in one cell: `6 × 5 s · 10 s · 20 s ±20 %`. */
export function describeWaits(retry: Retry, locale: Locale = "en"): string {
  const waits = schedule(retry).map(({ baseMs }) => formatMs(baseMs, locale));
  return `${retry.maxAttempts} × ${waits.join(" · ")}${retry.jitter === 0 ? "" : ` ±${Math.round(retry.jitter * 100)} %`}`;
}
