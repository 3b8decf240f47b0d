// Prints a session as a story: its events in order, grouped by day and turn.

import type { Entry, Locale, TraceRecord } from "../../core/index.ts";
import { columnsOf } from "../../yaml-file/columns.ts";
import type { Cli } from "../cli.ts";
import type { Paint } from "../render/paint.ts";
import { JOURNAL_WORDS, type JournalWords } from "../render/words/journal-words.ts";
import { factLines, wrapped } from "../render/table.ts";
import { statusWord } from "./sessions.ts";
import { dayOf, shown, timeOfDay } from "../render/values.ts";
import { createTelling, type StoryLine, tell } from "./story-lines.ts";

export interface StoryMoment {
  readonly at: number;
  readonly seq: number;
  readonly turn: string | null;
  readonly line: StoryLine;
}

export async function printStory(moments: readonly StoryMoment[], { stdout, locale, paint }: Cli): Promise<void> {
  const words = JOURNAL_WORDS[locale];
  let day = "";
  let turn: string | null = null;
  for (const moment of moments) {
    if (dayOf(moment.at) !== day) {
      day = dayOf(moment.at);
      await stdout.write(`\n${paint("dim", `${day} (UTC)`)}\n`);
    }
    if (moment.turn !== null && moment.turn !== turn) {
      turn = moment.turn;
      await stdout.write(`${paint("bold", words.turn(shown(turn)))}\n`);
    }
    for (const line of linesOf(moment, stdout.columns, paint)) await stdout.write(`${line}\n`);
  }
}

/** The trace's records, plus the session's starts and ends, which the trace leaves out. */
export function momentsOf(
  entries: readonly Entry[],
  trace: readonly TraceRecord[],
  locale: Locale,
): readonly StoryMoment[] {
  const telling = createTelling(locale);
  const timeOf = new Map(entries.map(({ seq, at }) => [seq, at]));
  const records = trace.map((record) => ({
    at: timeOf.get(record.seq) ?? 0,
    seq: record.seq,
    turn: record.turn_id,
    line: tell(record, telling),
  }));
  const lived = entries.flatMap((entry): StoryMoment[] => {
    const line = sessionLine(entry, telling.words);
    return line === null ? [] : [{ at: entry.at, seq: entry.seq, turn: null, line }];
  });
  return [...records, ...lived].toSorted((a, b) => a.seq - b.seq);
}

function sessionLine({ event }: Entry, words: JournalWords): StoryLine | null {
  const line = (mark: string, title: string, facts: readonly string[]): StoryLine => {
    return { mark, style: "bold", who: "", title, facts, more: [] };
  };
  switch (event.type) {
    case "session-started": {
      const { mode, labels } = event.manifest;
      const named = Object.entries(labels).map(([name, value]) => shown(`${name}=${value}`, 80));
      return line("▶", words.begun, [Object.hasOwn(words.mode, mode) ? words.mode[mode] : shown(mode), ...named]);
    }
    case "session-resumed": {
      const inFlight = event.interrupted.map((call) => shown(call)).join(", ");
      return line("▶", words.resumed, inFlight === "" ? [] : [words.inFlight(inFlight)]);
    }
    case "session-ended":
      return line("■", words.ended(statusWord(event.status, words)), []);
    default:
      return null;
  }
}

const TIME_COLUMNS = 12;
const INDENT = " ".repeat(TIME_COLUMNS + 4);

/** The time, a mark, the tool and the title. Longer texts go below the mark, and so do facts that do not fit on the line. */
function linesOf({ at, line }: StoryMoment, columns: number, paint: Paint): readonly string[] {
  const { mark, style, who, title, facts, more } = line;
  const room = columns - INDENT.length;
  const head = [who, paint(style, title)].filter((part) => part !== "").join("  ");
  const headColumns = columnsOf([who, title].filter((part) => part !== "").join("  "));
  const factsText = facts.join(" · ");
  const fits = factsText === "" || headColumns + 2 + columnsOf(factsText) <= room;
  const beside = fits && factsText !== "" ? `  ${paint("dim", factsText)}` : "";
  const below = fits ? [] : factLines(facts, room).map((text) => paint("dim", text));
  return [
    `${paint("dim", timeOfDay(at))}  ${paint(style, mark)} ${head}${beside}`,
    ...[...below, ...more.flatMap((text) => underLines(text, room, paint))].map((text) => `${INDENT}${text}`),
  ];
}

/** A decision starts with an arrow; its reasons follow below, dimmed. */
function underLines(text: string, room: number, paint: Paint): readonly string[] {
  const lead = /^(?:→ | {2})/.exec(text)?.[0] ?? "";
  const lines = wrapped(text.slice(lead.length), room - lead.length).map(
    (line, index) => (index === 0 ? lead : " ".repeat(lead.length)) + line,
  );
  return lead === "  " ? lines.map((line) => paint("dim", line)) : lines;
}
