// Writes one session's events, in order, each before it counts. When the store does not answer, the policy says how often
// to try; when it never does, the session ends and everything that was not written goes into a rescue file.
// P1  One append is under way at a time; what comes meanwhile goes together with the next.
// P2  An append that failed is tried again as it was: the store refuses it if it had been written after all, and then it counts.
// P3  Once dead, every write is refused with the same fault.
// P4  A write that no store could take, such as a value without a JSON form, is refused alone; the session continues.
// P5  Values that follow from the entries are derived once for each append, from all of its entries, and written with it.
// P6  A note causes no append: it is written with the next one, before everything that was recorded after it.

import { classify } from "../../core/classify/classify.ts";
import { traitsOf } from "../../core/fault/catalogue.ts";
import { fault, type Fault, FaultError, withContext } from "../../core/fault/fault.ts";
import type { LearningRedactor, Redactor } from "../../core/fault/redact.ts";
import type { Policy } from "../../core/policy/policy.ts";
import type { JournalEvent, SessionStatus } from "../../core/record/event.ts";
import { tryRead } from "../../core/try-read.ts";
import type { Clock } from "../../host/clock.ts";
import type { Journal, Keep, NewEntry } from "../../journal/journal.ts";
import { type Recorder, scrubEvent, withRetries } from "../recorder.ts";

export interface SessionRecorderOptions {
  readonly session: string;
  readonly journal: Journal;
  readonly clock: Clock;
  readonly policy: Policy;
  readonly redactor: LearningRedactor;
  readonly roll: () => number;
  /** The last number that is in the journal. */
  readonly seq: number;
  /** Saves what could not be written; returns where, or null when there is no place. */
  readonly rescue: (after: number, entries: readonly NewEntry[], keeps: readonly Keep[]) => Promise<string | null>;
  /** The session cannot continue. */
  readonly died: (fault: Fault) => void;
  /** Each entry, once it is on disk. */
  readonly written: (entry: NewEntry, seq: number) => void;
}

/** A value that follows from the state after an append, such as a run's line in lists. */
export interface DerivedKeep extends Keep {
  /** What it says. It is written again when this changes. */
  readonly says: string;
}

export type DeriveKeeps = (entries: readonly NewEntry[]) => readonly DerivedKeep[];

interface Write {
  readonly entries: readonly NewEntry[];
  readonly keeps: readonly Keep[];
  readonly resolve: () => void;
  readonly reject: (error: FaultError) => void;
  /** Makes the events of a note when they are written; null for a write that a caller waits for. */
  readonly note: (() => readonly JournalEvent[]) | null;
}

/** Writes that go to the journal together. */
interface Batch {
  readonly writes: Write[];
  derived: readonly DerivedKeep[];
  isOnDisk: boolean;
}

export class SessionRecorder implements Recorder {
  readonly quiet = null;
  readonly isSession = true;
  readonly session: string;
  readonly redactor: LearningRedactor;
  readonly #options: SessionRecorderOptions;
  #seq: number;
  #queue: Write[] = [];
  #busy = false;
  #dead: FaultError | null = null;
  #closedAs: SessionStatus | null = null;
  #derive: DeriveKeeps = () => [];
  /** What the derived values on disk say, by kind. */
  readonly #derived = new Map<Keep["kind"], string>();

  constructor(options: SessionRecorderOptions) {
    this.session = options.session;
    this.redactor = options.redactor;
    this.#options = options;
    this.#seq = options.seq;
  }

  /** Why nothing can be written any more; null while it can. */
  get deadFault(): Fault | null {
    return this.#dead?.fault ?? null;
  }

  record(events: readonly JournalEvent[], keeps: readonly Keep[], at: number): Promise<void> {
    if (this.#dead !== null) return Promise.reject(this.#dead);
    if (this.#closedAs !== null && events.some(({ type }) => type !== "call-late"))
      return Promise.reject(new FaultError(endedFault(this.session, this.#closedAs)));
    const entries = events.map((event) => ({ at, event: safe(event, this.redactor) }));
    return new Promise((resolve, reject) => {
      this.#queue.push({ entries, keeps, resolve, reject, note: null });
      if (!this.#busy) {
        this.#busy = true;
        void this.#pump();
      }
    });
  }

  /**
   * Events that may be lost in a crash because they follow from others. `make` runs when they are written, so that one note can
   * stand for everything of its kind until then.
   */
  note(make: () => readonly JournalEvent[]): void {
    this.#queue.push({ entries: [], keeps: [], resolve: ignore, reject: ignore, note: make });
  }

  /** Writes the notes that wait. */
  async flush(): Promise<void> {
    if (!this.#busy) await this.record([], [], 0);
  }

  deriveKeeps(derive: DeriveKeeps): void {
    this.#derive = derive;
  }

  /** The status in which this process has ended or left the session; null while it can be used. */
  get closedAs(): SessionStatus | null {
    return this.#closedAs;
  }

  /** Another process takes over: from here on this one writes nothing, as if it had crashed. */
  abandon(why: Fault, status: SessionStatus): void {
    this.#dead ??= new FaultError(why);
    this.#closedAs ??= status;
  }

  /** The session has ended, or the program leaves it: only what comes late is still written. */
  close(status: SessionStatus): void {
    this.#closedAs ??= status;
  }

  /** Resolves when everything recorded so far is written or refused. */
  async settled(): Promise<void> {
    if (this.#busy || this.#queue.length > 0) await this.record([], [], 0);
  }

  async #pump(): Promise<void> {
    /** So many are written one by one, because one of them cannot be written at all. */
    let alone = 0;
    while (this.#isAwaited() && this.#dead === null) {
      const writes = this.#queue.splice(0, alone > 0 ? 1 : this.#queue.length);
      const batch: Batch = { writes, derived: [], isOnDisk: false };
      alone = Math.max(0, alone - 1);
      const failed = await this.#write(batch);
      if (failed === null) for (const { resolve } of writes) resolve();
      else if (failed.class !== "Validation" || batch.isOnDisk) await this.#die(failed, batch);
      else if (writes.length === 1) writes[0]?.reject(new FaultError(failed));
      else {
        this.#queue = [...writes, ...this.#queue];
        alone = writes.length;
      }
    }
    // Writes queued while it was abandoned are refused, too.
    if (this.#dead !== null) for (const { reject } of this.#queue.splice(0)) reject(this.#dead);
    // Synchronous with the last look at the queue, so that no write slips in between.
    this.#busy = false;
  }

  /** null when written. An error in code that it calls, such as a note, counts as a failed write, so that every caller gets an answer. */
  async #write(batch: Batch): Promise<Fault | null> {
    const { writes } = batch;
    try {
      for (const [index, write] of writes.entries()) writes[index] = this.#made(write);
      const entries = writes.flatMap((write) => write.entries);
      batch.derived = this.#derive(entries).filter(({ kind, says }) => this.#derived.get(kind) !== says);
      const failed = await this.#append(entries, [...writes.flatMap((write) => write.keeps), ...batch.derived]);
      if (failed !== null) return failed;
      batch.isOnDisk = true;
      for (const { kind, says } of batch.derived) this.#derived.set(kind, says);
      const before = this.#seq;
      this.#seq += entries.length;
      for (const [index, entry] of entries.entries()) this.#options.written(entry, before + index + 1);
      return null;
    } catch (error) {
      return classify({ surface: "store", error });
    }
  }

  #isAwaited(): boolean {
    return this.#queue.some(({ note }) => note === null);
  }

  #made(write: Write): Write {
    if (write.note === null) return write;
    const at = this.#options.clock.now();
    return { ...write, entries: write.note().map((event) => ({ at, event: safe(event, this.redactor) })), note: null };
  }

  /** null when written. */
  async #append(entries: readonly NewEntry[], keeps: readonly Keep[]): Promise<Fault | null> {
    const { journal } = this.#options;
    try {
      await withRetries(this.#options, async (attempt) => {
        try {
          if (entries.length > 0) await journal.append(this.session, this.#seq, entries, keeps);
          else if (keeps.length > 0) await journal.keep(keeps);
        } catch (error) {
          if (!(await this.#wentThrough(error, attempt, entries))) throw error;
        }
      });
      return null;
    } catch (error) {
      const seen = classify({ surface: "store", error });
      // A refusal that no retry can cure means that another writer owns the session, even if it wrote the same entries. After failures
      // that a retry can cure, our own last append may have gone through: look.
      return traitsOf(seen.code).retryable && (await this.#isThere(entries)) ? null : seen;
    }
  }

  /** A repeated write that is refused may have been written before. If reading it back fails, the store's fault stands. */
  async #wentThrough(error: unknown, attempt: number, entries: readonly NewEntry[]): Promise<boolean> {
    if (attempt === 1 || traitsOf(classify({ surface: "store", error }).code).retryable) return false;
    return this.#wasWritten(entries);
  }

  /** Before the session gives up: the last append may have gone through. If the store cannot be read either, the failed append is reported. */
  async #isThere(entries: readonly NewEntry[]): Promise<boolean> {
    if (entries.length === 0) return false;
    const [read] = await Promise.allSettled([this.#wasWritten(entries)]);
    return read.status === "fulfilled" && read.value;
  }

  /** A commit that seemed to fail may have gone through: then the entries stand there, word for word. */
  async #wasWritten(entries: readonly NewEntry[]): Promise<boolean> {
    const { journal } = this.#options;
    let index = 0;
    for await (const { at, event } of journal.read(this.session, this.#seq)) {
      const mine = entries[index++];
      if (mine === undefined) return false;
      if (mine.at !== at || JSON.stringify(mine.event) !== JSON.stringify(event)) return false;
    }
    return index === entries.length;
  }

  async #die(failed: Fault, { writes, derived, isOnDisk }: Batch): Promise<void> {
    const { rescue, died } = this.#options;
    const refused = [...writes, ...this.#queue];
    this.#queue = [];
    // A note that cannot be made is left out: it follows from other events.
    const unwritten = refused
      .slice(isOnDisk ? writes.length : 0)
      .map((write) => tryRead(() => this.#made(write), write));
    const entries = unwritten.flatMap((write) => write.entries);
    const keeps = [...unwritten.flatMap((write) => write.keeps), ...(isOnDisk ? [] : derived)];
    // Another writer, or a closed journal, is not a failing store: there is nothing to rescue.
    const isLost = traitsOf(failed.code).retryable && entries.some(({ event }) => event.type !== "call-late");
    const place = isLost ? await rescue(this.#seq, entries, keeps) : null;
    const reported = place === null ? failed : withContext(failed, { rescue: place });
    const dead = new FaultError(reported);
    this.#dead = dead;
    for (const { reject } of [...refused, ...this.#queue]) reject(dead);
    this.#queue = [];
    died(reported);
  }
}

/** `status` is open or waiting when the program has left the session without ending it. */
export function endedFault(session: string, status: SessionStatus): Fault {
  const isLeft = status === "open" || status === "waiting";
  const message = isLeft
    ? `session ${session} was left; open it again to continue it`
    : `session ${session} has ended (${status}), and an id is used once; begin a new session with another id, or with none to get a new one`;
  return fault("EngineState", { message, context: { session } });
}

function ignore(): void {
  // The write that takes a note along is awaited, and reports a store that is gone.
}

/** The names in a manifest are our own; the redactor would take a session's id for a secret of the web. */
function safe(event: JournalEvent, redactor: Redactor): JournalEvent {
  if (event.type !== "session-started") return scrubEvent(event, redactor);
  const { manifest } = event;
  return { ...event, manifest: { ...manifest, labels: redactor.value(manifest.labels) as typeof manifest.labels } };
}
