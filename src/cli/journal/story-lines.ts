// Turns a trace record into a line of the story: a table with one row per record type.

import { dollars } from "../../core/flow/money.ts";
import { type Cost, formatMs, type Locale, RECOURSES, type TraceRecord, whyNot } from "../../core/index.ts";
import type { Style } from "../render/paint.ts";
import { JOURNAL_WORDS, type JournalWords } from "../render/words/journal-words.ts";
import { costText, shown } from "../render/values.ts";
import { said } from "../fault-sentences/sentence.ts";

export interface StoryLine {
  readonly mark: string;
  readonly style: Style;
  /** The tool or step it concerns; empty if none. */
  readonly who: string;
  readonly title: string;
  /** Short facts, shown after the title. */
  readonly facts: readonly string[];
  /** Longer texts, each on its own lines. */
  readonly more: readonly string[];
}

export interface Telling {
  readonly locale: Locale;
  readonly words: JournalWords;
  /** Reasons not worth printing: they reject options that were never possible here. */
  readonly hollow: ReadonlySet<string>;
}

export function createTelling(locale: Locale): Telling {
  const hollow = [...RECOURSES, "retry" as const].map((recourse) =>
    whyNot({ recourse, refused: "not-offered" }, locale),
  );
  return { locale, words: JOURNAL_WORDS[locale], hollow: new Set(hollow) };
}

export function tell(record: TraceRecord, telling: Telling): StoryLine {
  const row = TELLERS[record.event_type] as (record: TraceRecord, telling: Telling) => Partial<StoryLine>;
  const { who = whoOf(record), mark = "·", style = "dim", title = "", facts = [], more = [] } = row(record, telling);
  const isThere = (text: string): boolean => text !== "";
  return { mark, style, who: shown(who, 80), title, facts: facts.filter(isThere), more: more.filter(isThere) };
}

/** The tool, and the step it works for if that has another name. */
function whoOf({ tool_id, call_id, turn_id }: TraceRecord): string {
  const tool = tool_id ?? "";
  if (call_id === null || turn_id === null) return tool;
  const step = call_id.slice(turn_id.length + 1).replace(/^1\//, "");
  return step === tool ? tool : `${tool} (${step})`;
}

type RecordOf<Type extends TraceRecord["event_type"]> = Extract<TraceRecord, { event_type: Type }>;
type Tellers = {
  readonly [Type in TraceRecord["event_type"]]: (record: RecordOf<Type>, telling: Telling) => Partial<StoryLine>;
};

const TELLERS: Tellers = {
  ToolError(record, { locale, words, hollow }) {
    const { code, error, attempt, attempted, because, duration_ms, cost, decision } = record;
    const [what = "", ...why] = because;
    return {
      mark: "✗",
      style: decision === "retry" ? "yellow" : "red",
      title: shown(code),
      facts: attempted
        ? [words.attempt(attempt), durationText(duration_ms, locale), priceText(cost, words)]
        : [words.notAttempted],
      more: [
        said(error, locale),
        `→ ${shown(what)}`,
        ...why.filter((reason) => !hollow.has(reason)).map((reason) => `  ${shown(reason)}`),
      ],
    };
  },
  ToolSucceeded: ({ attempt, duration_ms, cost, item_errors }, { locale, words }) => ({
    mark: "✓",
    style: "green",
    title: words.succeeded,
    facts: [words.attempt(attempt), durationText(duration_ms, locale), priceText(cost, words)],
    more: item_errors === 0 ? [] : [words.itemsFailed(item_errors)],
  }),
  ToolCancelled: ({ code, error }, { locale, words }) => ({
    title: words.cancelled,
    facts: [shown(code)],
    more: [said(error, locale)],
  }),
  LateResult: ({ ok, attempt, duration_ms, cost, error }, { locale, words }) => ({
    title: words.late,
    facts: [
      ok ? words.lateOk : words.lateFailed,
      words.attempt(attempt),
      durationText(duration_ms, locale),
      priceText(cost, words),
    ],
    more: error === null ? [] : [said(error, locale)],
  }),
  CascadeSkip: (record, telling) => unrun(record, "skipped", telling),
  CascadeDefault: (record, telling) => unrun(record, "defaulted", telling),
  CascadeFail: (record, telling) => unrun(record, "failed", telling),
  NodeSkipped: (record, telling) => unrun(record, "skipped", telling),
  NodeDefaulted: (record, telling) => unrun(record, "defaulted", telling),
  NodeFailed: (record, telling) => unrun(record, "failed", telling),
  QuestionAsked: ({ kind, question_id, expires_at, prompt }, { words }) => ({
    mark: "?",
    style: "cyan",
    title: words.asks(shown(kind)),
    facts: [shown(question_id), words.until(shown(expires_at))],
    more: [shown(prompt)],
  }),
  QuestionAnswered: ({ answer, by, question_id }, { words }) => ({
    mark: "?",
    style: "cyan",
    title: Object.hasOwn(words.answered, answer)
      ? words.answered[answer as keyof typeof words.answered]
      : shown(answer),
    facts: [shown(question_id), words.by(shown(by))],
  }),
  BreakerChanged: ({ from, to }, { words }) => ({ style: "yellow", title: words.breaker(shown(from), shown(to)) }),
  RequestAdapted: ({ changes }, { words }) => ({
    style: "yellow",
    title: words.adapted,
    more: changes.map((change) => shown(change)),
  }),
  CallHeld: ({ reason, until }, { words }) => ({
    style: "yellow",
    title: words.held(reason === "paced"),
    facts: [words.until(shown(until))],
  }),
  TargetPaused: ({ target, until }, { words }) => ({
    who: "",
    style: "yellow",
    title: words.paused(shown(target)),
    facts: [words.until(shown(until))],
  }),
  BudgetWarned: ({ spent_microcents, max_cost_microcents }, { words }) => ({
    mark: "$",
    style: "yellow",
    title: words.budgetWarned(dollars(spent_microcents), dollars(max_cost_microcents)),
  }),
  BudgetExceeded: ({ spent_microcents, max_cost_microcents, estimate_microcents }, { words }) => ({
    mark: "$",
    style: "red",
    title: words.budgetExceeded(dollars(spent_microcents), dollars(max_cost_microcents)),
    facts: [words.wouldCost(dollars(estimate_microcents))],
  }),
  FaultSuppressed: ({ code, error, reason }, { locale, words }) => ({
    title: words.ignored,
    facts: [shown(code)],
    more: [said(error, locale), said(reason, locale)],
  }),
  TurnEnded: ({ status, error }, { locale, words }) => ({
    mark: "■",
    style: status === "done" ? "green" : "yellow",
    title: words.turnEnded(Object.hasOwn(words.turnStatuses, status) ? words.turnStatuses[status] : shown(status)),
    more: error === null ? [] : [said(error, locale)],
  }),
};

function unrun(
  { node, needs, code, error }: Omit<RecordOf<"CascadeSkip">, "event_type">,
  status: keyof JournalWords["unrun"],
  { locale, words }: Telling,
): Partial<StoryLine> {
  return {
    mark: "○",
    style: status === "failed" ? "red" : "dim",
    who: node,
    title: words.unrun[status],
    facts: [needs === null ? "" : words.needs(shown(needs)), shown(code)],
    more: [said(error, locale)],
  };
}

function durationText(durationMs: number | null, locale: Locale): string {
  return durationMs === null ? "" : formatMs(durationMs, locale);
}

function priceText(cost: Cost | null, words: JournalWords): string {
  return cost === null ? "" : costText(cost, words);
}
