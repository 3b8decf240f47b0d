// Calls of the gateway that met a failure, as entries of the journal: the index of failures, its groups and the search have them like
// those of any program. Calls that met none are in the ledger only.
// F1  One session for each hour and process. It counts as ended from its first entry on, so that a gateway that dies leaves nothing open.
// F2  No entry has words of a target: they may repeat a prompt. The code says what happened, the rule and the status say how it was known.

import type { Fault } from "../../core/fault/fault.ts";
import { wordsFor } from "../../core/fault/words/words.ts";
import type { JournalEvent, Manifest } from "../../core/record/event.ts";
import type { Journal, NewEntry } from "../../journal/journal.ts";
import { windowStart } from "../key/key-account.ts";

/** More calls than these are not told of in one write: the groups then count too few, and the ledger has them all. */
const MOST_CALLS = 500;

export class FailedCalls {
  readonly #journal: Journal;
  readonly #owner: string;
  #calls: (readonly NewEntry[])[] = [];
  /** The session that is being written, and how many entries it has. */
  #session = "";
  #written = 0;
  #failures = 0;

  constructor(journal: Journal, owner: string) {
    this.#journal = journal;
    this.#owner = owner;
  }

  /** Everything that happened in a call. */
  add(entries: readonly NewEntry[]): void {
    const hasFailed = entries.some(({ event }) => event.type === "call-failed" || event.type === "call-decided");
    if (hasFailed && this.#calls.length < MOST_CALLS) this.#calls.push(entries);
  }

  async write(now: number): Promise<void> {
    const calls = this.#calls;
    this.#calls = [];
    if (calls.length === 0) return;
    const hour = windowStart("hour", now);
    // After a write that failed it is not known how many entries the session has.
    const session = `gateway.${this.#owner}.${hour}.${this.#failures}`;
    const isNew = session !== this.#session;
    if (isNew) {
      this.#session = session;
      this.#written = 0;
    }
    const told = calls.flat().map(({ at, event }) => ({ at, event: withoutWords(event) }));
    const entries = isNew ? [...this.#opening(session, now), ...told] : told;
    const after = this.#written;
    this.#written += entries.length;
    try {
      await this.#journal.append(session, after, entries);
    } catch (error) {
      this.#failures += 1;
      throw error;
    }
  }

  #opening(sessionId: string, at: number): readonly NewEntry[] {
    const { storeId } = this.#journal;
    const labels = { gateway: "calls" };
    const manifest: Manifest = { sessionId, storeId, contract: 1, mode: "headless", createdAt: at, labels };
    return [
      { at, event: { type: "session-started", manifest } },
      { at, event: { type: "session-ended", status: "done", fault: null } },
    ];
  }
}

function withoutWords(event: JournalEvent): JournalEvent {
  if (!("fault" in event) || event.fault === null) return event;
  return { ...event, fault: plainFault(event.fault) };
}

const KEPT_CONTEXT = ["tool", "attempt", "status", "phase", "limit", "ran", "shownBy"] as const;

function plainFault(seen: Fault): Fault {
  const { cause: _cause, ...own } = seen;
  const { code, context, evidence } = own;
  const { origin, ...named } = evidence;
  const { title } = wordsFor(code, "en");
  const { status } = context;
  const kept = KEPT_CONTEXT.flatMap((name) => (context[name] === undefined ? [] : [[name, context[name]] as const]));
  return {
    ...own,
    message: typeof status === "number" ? `${title} (${status})` : title,
    context: Object.fromEntries(kept),
    evidence: {
      ...named,
      nearly: [],
      excerpt: "",
      ...(origin === undefined ? {} : { origin: { ...origin, thrown: [] } }),
    },
  };
}
