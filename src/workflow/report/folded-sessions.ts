// What readers look at again and again, folded from a session's entries: those that were read last stay folded, and the next read folds only
// what is new.

import type { Entry } from "../../core/record/event.ts";
import type { Journal } from "../../journal/journal.ts";
import { KeyedMutex } from "../../host/keyed-mutex.ts";

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
