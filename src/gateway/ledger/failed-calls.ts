// Calls of the gateway that met a failure, as entries of the journal: the index of failures, its groups and the search have them like
// those of any program. Calls that met none are in the ledger only.
// F1  One session for each hour and process. Its first write also ends it, so that a gateway that dies leaves no open session.
// F2  Entries that could not be written are written again, after the same number of the same session: the journal has them once.
// F3  No entry contains text from a target: it may repeat a prompt. The code says what happened; the rule and the status say how we know. Of a
//     broken connection it has what this machine saw.

import { type Fault, isFaultError } from "../../core/fault/fault.ts";
import { wordsFor } from "../../core/fault/words/words.ts";
import type { JournalEvent, Manifest } from "../../core/record/event.ts";
import type { Journal, NewEntry } from "../../journal/journal.ts";
import { windowStart } from "../key/key-account.ts";
import { isOwnFinding, operatorWords } from "./operator-words.ts";

/** One write takes at most this many calls, and as many wait for it. Beyond that, the groups count too few failures; the ledger still has every call. */
const MOST_CALLS = 500;

/** Entries that are written together, or again. */
interface Batch {
  readonly session: string;
  readonly after: number;
  readonly entries: readonly NewEntry[];
  /** How many calls they are about. */
  readonly calls: number;
}

export class FailedCalls {
  readonly #journal: Journal;
  readonly #owner: string;
  readonly #scrub: (text: string) => string;
  #calls: (readonly NewEntry[])[] = [];
  /** Entries that are being written, or have to be written again. */
  #batch: Batch | null = null;
  /** The session that is being written, and how many entries it has. */
  #session = "";
  #written = 0;
  #refusals = 0;

  constructor(journal: Journal, owner: string, scrub: (text: string) => string) {
    this.#journal = journal;
    this.#owner = owner;
    this.#scrub = scrub;
  }

  /** `entries`: everything that happened in a call. A call without a failure is ignored. */
  add(entries: readonly NewEntry[]): void {
    const hasFailed = entries.some(({ event }) => event.type === "call-failed" || event.type === "call-decided");
    if (hasFailed && this.#calls.length < MOST_CALLS) this.#calls.push(entries);
  }

  /** How many calls are not written. */
  get waiting(): number {
    return this.#calls.length + (this.#batch?.calls ?? 0);
  }

  async write(now: number): Promise<void> {
    if (this.#batch !== null) await this.#writeBatch(this.#batch);
    if (this.#calls.length > 0) await this.#writeBatch((this.#batch = this.#nextBatch(now)));
  }

  /** The journal refuses these entries for good. We do not know how many entries the session has, so a new one begins. */
  giveUp(): void {
    this.#batch = null;
    this.#refusals += 1;
  }

  async #writeBatch(batch: Batch): Promise<void> {
    const { session, after, entries } = batch;
    try {
      await this.#journal.append(session, after, entries);
    } catch (error) {
      // An earlier attempt had written them, and only its answer was lost: no other process writes to this session.
      if (!isFaultError(error) || error.fault.context["lastSeq"] !== after + entries.length) throw error;
    }
    this.#written = after + entries.length;
    this.#batch = null;
  }

  #nextBatch(now: number): Batch {
    const calls = this.#calls;
    this.#calls = [];
    const session = `gateway.${this.#owner}.${windowStart("hour", now)}.${this.#refusals}`;
    const isNew = session !== this.#session;
    if (isNew) this.#written = 0;
    this.#session = session;
    const ofCalls = calls.flat().map(({ at, event }) => ({ at, event: withoutWords(event, this.#scrub) }));
    const begun = isNew ? gatewaySession(this.#journal, session, { gateway: "calls" }, now) : [];
    return { session, after: this.#written, entries: [...begun, ...ofCalls], calls: calls.length };
  }
}

/** A whole session: it begins, has these events, and ends. */
export function gatewaySession(
  { storeId }: Journal,
  sessionId: string,
  labels: Manifest["labels"],
  at: number,
  events: readonly JournalEvent[] = [],
): readonly NewEntry[] {
  const manifest: Manifest = { sessionId, storeId, contract: 1, mode: "headless", createdAt: at, labels };
  const all: readonly JournalEvent[] = [
    { type: "session-started", manifest },
    ...events,
    { type: "session-ended", status: "done", fault: null },
  ];
  return all.map((event) => ({ at, event }));
}

function withoutWords(event: JournalEvent, scrub: (text: string) => string): JournalEvent {
  if (!("fault" in event) || event.fault === null) return event;
  const plain = plainFault(event.fault);
  return { ...event, fault: { ...plain, message: operatorWords(event.fault, scrub) ?? plain.message } };
}

const KEPT_CONTEXT = ["tool", "attempt", "status", "phase", "limit", "ran", "sent", "shownBy"] as const;

/** A fault without the words of a target. */
export function plainFault(seen: Fault): Fault {
  const { cause: _cause, ...own } = seen;
  const { code, context, evidence } = own;
  const { origin, ...named } = evidence;
  const { title } = wordsFor(code, "en");
  const { status } = context;
  const kept = KEPT_CONTEXT.flatMap((name) => (context[name] === undefined ? [] : [[name, context[name]] as const]));
  // A stack would show only the gateway's own code.
  const known = origin === undefined ? {} : { origin: { ...origin, thrown: [] } };
  if (isOwnFinding(seen)) return { ...own, context: Object.fromEntries(kept), evidence: { ...named, ...known } };
  return {
    ...own,
    message: typeof status === "number" ? `${title} (${status})` : title,
    context: Object.fromEntries(kept),
    evidence: { ...named, nearly: [], excerpt: "", ...known },
  };
}
