// Sessions over time and the events of runs, for readers.

import type { Locale } from "../../core/fault/words/words.ts";
import type { Entry } from "../../core/record/event.ts";
import { createRunStream, type RunStreamEvent } from "../../core/record/run-stream.ts";
import { Timeline } from "../../core/record/timeline.ts";
import type { Journal } from "../../journal/journal.ts";
import { FoldedSessions } from "./folded-sessions.ts";

export class Timelines {
  readonly #lines: FoldedSessions<Timeline>;
  readonly #events: Readonly<Record<Locale, FoldedSessions<RunEvents>>>;

  constructor(journal: Journal) {
    this.#lines = new FoldedSessions(journal, (session) => new Timeline(session));
    const eventsIn = (locale: Locale): FoldedSessions<RunEvents> =>
      new FoldedSessions(journal, (run) => runEvents(run, locale));
    this.#events = { "en": eventsIn("en"), "zh-CN": eventsIn("zh-CN") };
  }

  read(session: string): Promise<Timeline> {
    return this.#lines.read(session);
  }

  async events(run: string, locale: Locale): Promise<readonly RunStreamEvent[]> {
    return (await this.#events[locale].read(run)).all;
  }
}

interface RunEvents {
  readonly all: readonly RunStreamEvent[];
  feed(entry: Entry): void;
}

function runEvents(run: string, locale: Locale): RunEvents {
  const stream = createRunStream(run, { locale });
  const all: RunStreamEvent[] = [];
  return { all, feed: (entry) => void all.push(...stream.feed(entry)) };
}
