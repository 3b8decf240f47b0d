// Folds runs from their journal. A command asks for the same run at several steps (to show it, to act on it, to advance it), so the run
// that was read last stays folded and the next step reads only the entries that came since.
// RR1  Each entry of a run is folded once, however many steps ask for the run in turn.
// RR2  A state has one owner: `take` hands it to the session that advances the run, and `put` brings it back when that session is over.

import { emptySession, foldEntry, type SessionState } from "../../core/record/replay.ts";
import type { Entry } from "../../core/record/event.ts";
import type { Journal } from "../../journal/journal.ts";
import { readSession } from "../../runtime/session/open-session.ts";

export class RunReader {
  readonly #journal: Journal;
  #last: SessionState | null = null;
  /** Owned by sessions. */
  readonly #taken = new WeakSet<SessionState>();

  constructor(journal: Journal) {
    this.#journal = journal;
  }

  /** The run as the journal has it now. Later reads fold on in place: copy what you keep. */
  async read(run: string): Promise<SessionState> {
    const known = this.#last;
    if (known?.session !== run) return (this.#last = await this.#fold(run));
    await this.#each(run, known.seq, (entry) => {
      // Meanwhile another step may have read the entry, or a session may have taken the state: it folds its entries itself.
      if (entry.seq > known.seq && !this.#taken.has(known)) foldEntry(known, entry);
    });
    return known;
  }

  /** Reads the run from its first entry and passes every entry on, for readers that need the history as well as the state. */
  async readAll(run: string, take: (entry: Entry) => void): Promise<void> {
    const state = emptySession(run);
    await this.#each(run, 0, (entry) => {
      foldEntry(state, entry);
      take(entry);
    });
    this.#last = state;
  }

  /** The run for a session that folds on with it. */
  async take(run: string): Promise<SessionState> {
    const state = await this.read(run);
    if (this.#last === state) this.#last = null;
    this.#taken.add(state);
    return state;
  }

  /** The state of a session that writes no more. */
  put(state: SessionState): void {
    this.#taken.delete(state);
    this.#last = state;
  }

  #fold(run: string): Promise<SessionState> {
    return readSession(
      {
        kept: (kind, key) => this.#journal.kept(kind, key),
        each: (session, after, take) => this.#each(session, after, take),
      },
      run,
    );
  }

  async #each(run: string, after: number, take: (entry: Entry) => void): Promise<void> {
    for await (const entry of this.#journal.read(run, after)) take(entry);
  }
}
