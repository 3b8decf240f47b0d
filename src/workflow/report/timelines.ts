// Sessions over time and the events of runs, for readers.

import type { Locale } from "../../core/fault/words/words.ts";
import type { Entry } from "../../core/record/event.ts";
import { createRunStream, type RunStreamEvent } from "../../core/record/run-stream.ts";
import { Timeline } from "../../core/record/timeline.ts";
import type { Journal } from "../../journal/journal.ts";
import { KeyedMutex } from "../../host/keyed-mutex.ts";

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

// What readers look at again and again, folded from a session's entries: those that were read last stay folded, and the next read folds only
// what is new.

const MANY = 16;

/** Folded in place, entry by entry. */
export interface Folded {
  feed(entry: Entry): void;
}

export class FoldedSessions<State extends Folded> {
  readonly #journal: Journal;
  readonly #begin: (session: string) => State;
  readonly #known = new Map<string, { readonly state: State; seq: number }>();
  readonly #mutex = new KeyedMutex();

  constructor(journal: Journal, begin: (session: string) => State) {
    this.#journal = journal;
    this.#begin = begin;
  }

  /** The session as the journal has it now. Later reads fold on in place: use it before the next `await`. */
  read(session: string): Promise<State> {
    return this.#mutex.run(session, async () => {
      const known = this.#known.get(session) ?? { state: this.#begin(session), seq: 0 };
      for await (const entry of this.#journal.read(session, known.seq)) {
        known.state.feed(entry);
        known.seq = entry.seq;
      }
      // The one that was read last is dropped last.
      this.#known.delete(session);
      this.#known.set(session, known);
      for (const oldest of [...this.#known.keys()].slice(0, Math.max(0, this.#known.size - MANY)))
        this.#known.delete(oldest);
      return known.state;
    });
  }
}
