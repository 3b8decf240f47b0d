// `faultline journal show`: prints a session as a story, as one JSON document, or entry by entry.

import {
  type Entry,
  type Locale,
  SHAPE_REDACTOR,
  type ToolMetrics,
  type TraceRecord,
  traceOf,
  countEntries,
  metricsOf,
} from "../../core/index.ts";
import type { Journal, SessionSummary } from "../../journal/journal.ts";
import type { Cli } from "../cli.ts";
import { UsageError } from "../io.ts";
import { JOURNAL_WORDS, type JournalWords } from "../render/words/journal-words.ts";
import { commandLine } from "../render/program-name.ts";
import { safeJson } from "../render/safe-text.ts";
import { factLines, tableLines } from "../render/table.ts";
import { sentences } from "../render/words/cli-words.ts";
import { failedIds } from "../explain-id.ts";
import { openQuestions } from "../../journal/open-questions.ts";
import { SESSION_STATUS_STYLES, statusWord } from "./sessions.ts";
import { entryJson, minuteOf, shown, fieldsOf } from "../render/values.ts";
import { momentsOf, printStory } from "./story.ts";
import { lookAtJournal } from "./with-journal.ts";
import { dollars } from "../../core/flow/money.ts";
import { columnsOf } from "../../yaml-file/columns.ts";

export async function showSession(
  file: string,
  session: string,
  { turn = null, events }: { readonly turn?: string | null; readonly events?: true },
  cli: Cli,
): Promise<void> {
  const { json, locale } = cli;
  await lookAtJournal(file, cli, async (journal) => {
    const summary = await findSession(journal, file, session, locale);
    if (events === true) return printEvents(journal, session, turn, cli);
    const story = await readSession(journal, session, turn, locale);
    const ids = failedIds(story.entries);
    if (json) {
      const [shownSession, metrics] = [summary, story.metrics].map(SHAPE_REDACTOR.value);
      const trace = story.trace.map(traceJson);
      return cli.stdout.write(`${safeJson({ session: shownSession, trace, metrics, correlationIds: ids })}\n`);
    }
    await printSession(summary, story, cli);
    for (const [index, id] of ids.entries()) {
      const causes = `${JOURNAL_WORDS[locale].causes}${commandLine("explain", id, "--journal", file)}`;
      await cli.stdout.write(`${index === 0 ? "\n" : ""}${causes}\n`);
    }
    const waits = (await openQuestions(journal)).questions.some((one) => one.session === session && one.by === null);
    if (!waits) return;
    const next = sentences(locale, JOURNAL_WORDS[locale].next, commandLine("journal", "questions", file));
    await cli.stdout.write(`\n${next}\n`);
  });
}

/** Throws when the session does not exist. */
export async function findSession(
  journal: Journal,
  file: string,
  session: string,
  locale: Locale,
): Promise<SessionSummary> {
  const summary = await journal.session(session);
  if (summary !== null) return summary;
  const list = commandLine("journal", "sessions", file);
  throw new UsageError(JOURNAL_WORDS[locale].noSession(shown(session), list));
}

async function printEvents(journal: Journal, session: string, turn: string | null, cli: Cli): Promise<void> {
  const filter = createTurnFilter(turn);
  for await (const entry of journal.read(session)) {
    if (filter.has(entry)) await cli.stdout.write(`${entryJson(entry)}\n`);
  }
  refuseUnknownTurn(turn, session, filter.turns, cli.locale);
}

interface ReadSession {
  readonly entries: readonly Entry[];
  readonly trace: readonly TraceRecord[];
  readonly metrics: Readonly<Record<string, ToolMetrics>>;
}

async function readSession(
  journal: Journal,
  session: string,
  turn: string | null,
  locale: Locale,
): Promise<ReadSession> {
  const filter = createTurnFilter(turn);
  const entries: Entry[] = [];
  for await (const entry of journal.read(session)) if (filter.has(entry)) entries.push(entry);
  refuseUnknownTurn(turn, session, filter.turns, locale);
  return readable(session, locale, () => ({
    entries,
    trace: traceOf(entries, { locale }),
    metrics: toolMetrics(entries),
  }));
}

/** Reports events that cannot be read: an imported file may hold anything. */
function readable<T>(session: string, locale: Locale, make: () => T): T {
  try {
    return make();
  } catch (error) {
    const why = shown(error instanceof Error ? error.message : String(error));
    throw new UsageError(JOURNAL_WORDS[locale].unreadable(shown(session), why), "failed", { cause: error });
  }
}

function refuseUnknownTurn(turn: string | null, session: string, turns: ReadonlySet<string>, locale: Locale): void {
  if (turn === null || turns.has(turn)) return;
  const words = JOURNAL_WORDS[locale];
  const list = Array.from(turns, (one) => shown(one)).join(", ");
  const refusal = words.noTurn(shown(turn), shown(session));
  throw new UsageError(list === "" ? refusal : sentences(locale, refusal, words.itHasTurns(list)));
}

/** Keeps the session id, which the redactor would mistake for a web session's secret. */
function traceJson(record: TraceRecord): object {
  return { ...(SHAPE_REDACTOR.value(record) as object), session_id: record.session_id };
}

async function printSession(
  { session, status, startedAt, updatedAt, lastSeq }: SessionSummary,
  { entries, trace, metrics }: ReadSession,
  cli: Cli,
): Promise<void> {
  const { locale, paint } = cli;
  const words = JOURNAL_WORDS[locale];
  const moments = readable(session, locale, () => momentsOf(entries, trace, locale));
  const style = Object.hasOwn(SESSION_STATUS_STYLES, status) ? SESSION_STATUS_STYLES[status] : "bold";
  const facts = [
    `${words.started} ${minuteOf(startedAt)}`,
    `${words.changed} ${minuteOf(updatedAt)}`,
    words.entryCount(lastSeq),
  ];
  await cli.stdout.write(
    `${words.session} ${paint("bold", shown(session))}  ${paint(style, statusWord(status, words))}\n`,
  );
  for (const line of factLines(facts, cli.stdout.columns)) await cli.stdout.write(`${paint("dim", line)}\n`);
  await printStory(moments, cli);
  if (Object.keys(metrics).length === 0) return;
  const lines = metricsLines(metrics, words, cli.stdout.columns);
  await cli.stdout.write(`\n${paint("bold", words.perTool)}\n${lines.join("\n")}\n`);
}

/** Picks the entries of one turn: its own, its calls', and those of shared resources while it was open. null: all entries. */
function createTurnFilter(turn: string | null) {
  const turns = new Set<string>();
  const calls = new Set<string>();
  let isOpen = false;
  return {
    /** Every turn seen so far. */
    turns,
    /** Must be called with the entries in order. */
    has({ event }: Entry): boolean {
      const { turn: of, call } = fieldsOf(event) ?? {};
      if (event.type === "turn-started") turns.add(event.turn);
      if (turn === null) return true;
      if (of === turn) {
        if (event.type === "turn-started") isOpen = true;
        if (event.type === "turn-ended") isOpen = false;
        if (event.type === "call-started") calls.add(event.call);
        return true;
      }
      if (of !== undefined) return false;
      return typeof call === "string" ? calls.has(call) : isOpen;
    },
  };
}

// A session's metrics per tool, as text.

function toolMetrics(entries: readonly Entry[]): Readonly<Record<string, ToolMetrics>> {
  return Object.fromEntries(Array.from(countEntries(entries), ([tool, counters]) => [tool, metricsOf(counters)]));
}

const ALWAYS_SHOWN: ReadonlySet<string> = new Set(["call_count", "success_count", "error_count"]);

/** A table without all-zero columns, or a list where the table does not fit. */
function metricsLines(
  metrics: Readonly<Record<string, ToolMetrics>>,
  words: JournalWords,
  columns: number,
): readonly string[] {
  const tools = Object.entries(metrics);
  const names = (Object.keys(words.counts) as (keyof ToolMetrics)[]).filter(
    (name) => ALWAYS_SHOWN.has(name) || tools.some(([, counted]) => isAny(counted[name])),
  );
  const lines = tableLines(
    [{ title: words.tool }, ...names.map((name) => ({ title: words.counts[name], right: true as const }))],
    tools.map(([tool, counted]) => [shown(tool, 60), ...names.map((name) => cellOf(name, counted))]),
  );
  if (lines.every((line) => columnsOf(line) <= columns)) return lines;
  return tools.flatMap(([tool, counted]) => {
    const some = names.filter((name) => ALWAYS_SHOWN.has(name) || isAny(counted[name]));
    const facts = some.map((name) => `${words.counts[name]} ${cellOf(name, counted)}`);
    return [shown(tool, 60), ...factLines(facts, columns - 2).map((line) => `  ${line}`)];
  });
}

function isAny(value: number | null): boolean {
  return value !== null && value !== 0;
}

function cellOf(name: keyof ToolMetrics, counted: ToolMetrics): string {
  const value = counted[name];
  if (value === null) return "–";
  return CELLS[name]?.(value) ?? String(value);
}

const CELLS: Readonly<Partial<Record<keyof ToolMetrics, (value: number) => string>>> = {
  retry_success_rate: (rate) => `${Math.round(rate * 100)} %`,
  cost_microcents: dollars,
};
