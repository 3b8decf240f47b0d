// Folds runs from their journal. A command asks for the same run at several steps (to show it, to act on it, to advance it), so the run
// that was read last stays folded and the next step reads only the entries that came since.
// RR1  Each entry of a run is folded once, however many steps ask for the run in turn.
// RR2  The session that advances a run folds on with the state read here. Whichever sees an entry first folds it; the other skips it.

import { emptySession, foldEntry, type SessionState } from "../../core/record/replay.ts";
import type { Entry } from "../../core/record/event.ts";
import type { Journal } from "../../journal/journal.ts";
import { readSession } from "../../runtime/session/open-session.ts";

export class RunReader {
  readonly #journal: Journal;
  #last: SessionState | null = null;

  constructor(journal: Journal) {
    this.#journal = journal;
  }

  /** The run as the journal has it now. Later reads fold on in place: copy what you keep. */
  async read(run: string): Promise<SessionState> {
    const known = this.#last;
    if (known?.session !== run) return (this.#last = await this.#fold(run));
    await this.#each(run, known.seq, (entry) => {
      if (entry.seq > known.seq) foldEntry(known, entry);
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
