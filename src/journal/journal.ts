// Durable memory. What every journal promises, whatever it is made of; `src/testing/journal-suite.ts` holds each to it:
// J1  `append` resolves when the entries are on disk, and not before.
// J2  Entries of a session are numbered from 1 without gaps; an append after a number that is not the last is refused.
// J3  entries and kept values of one append are there together or not at all.
// J4  a subscriber gets every entry once, in order, and only when it is on disk.
// J5  what cannot be trusted is refused by name, never repaired in silence.
// J6  a key is held by at most one owner at a time, across processes.
// J7  A query by time or by page costs as much as its answer is long, however much the store holds.
// Failures are FaultErrors: StoreUnavailable when trying again may help, EngineState when another writer was first,
// ManifestDrift or ResumeMismatch when a file is not what it should be.

import type { Entry, JournalEvent, SessionStatus } from "../core/record/event.ts";

/** An event on its way into the journal. */
export interface NewEntry {
  readonly at: number;
  readonly event: JournalEvent;
}

/** A value beside the events: a result, a breaker, a snapshot. `null` takes it away. */
export interface Keep {
  readonly kind: KeepKind;
  readonly key: string;
  readonly value: unknown;
}

/** The kinds of values that a journal keeps beside its events. */
export type KeepKind =
  | "result" //   what a finished call returned, key `session/call`; exact, so never exported unless asked
  | "input" //    what a person put in place of an input; the inputs of a run
  | "secret" //   the secret inputs of a run, key: the run; no view, event or export ever shows them
  | "snapshot" // a session folded up to a number, key `session`
  | "breaker" //  key: the target
  | "incident" // key: the fingerprint
  | "question" // an open question, key: its id
  | "answer" //   an answer that waits for its session to be taken up, key: the question's id
  | "run" //      the summary of a run, key: the run, which is a session of the same name
  | "wake" //     when a run wants to be advanced next, in epoch ms, key: the run
  | "action" //   what an operator did to a run, key `run/idempotency-key`; kept first, so that it is done once
  | "definition"; // the text of a workflow, key: its digest

/** A session in a list of sessions. */
export interface SessionSummary {
  readonly session: string;
  readonly status: SessionStatus;
  readonly startedAt: number;
  readonly updatedAt: number;
  readonly lastSeq: number;
}

export interface Kept {
  readonly key: string;
  readonly value: unknown;
}

/** The holder of a key after a claim. */
export interface Hold {
  /** Whether it is the one who asked. */
  readonly granted: boolean;
  readonly owner: string;
  /** From this moment on others may take it, in epoch ms. */
  readonly until: number;
}

/** Kinds that are listed by time: a wake by when it is due, a run by its start (tag: its status), a question by when it was asked
 * (tag: its session), an incident by the newest thing noted. */
export type TimedKind = "wake" | "run" | "question" | "incident";

export interface Timed extends Kept {
  readonly at: number;
}

export interface TimeQuery {
  readonly order: "oldest" | "newest";
  readonly limit: number;
  /** Only those with this tag. */
  readonly tag?: string;
  /** Only those behind this one, in the order asked for; the last of a page leads to the next. */
  readonly after?: Pick<Timed, "at" | "key">;
  /** Oldest first: only those that are not later than this. */
  readonly until?: number;
}

export interface SessionsQuery {
  readonly status?: SessionStatus;
  readonly limit?: number;
  /** Only those behind this one; the last of a page leads to the next. */
  readonly after?: Pick<SessionSummary, "session" | "startedAt">;
}

export interface Subscription {
  /** Only entries of this session; all when absent. */
  readonly session?: string;
  /** For one session: only entries behind this number. Otherwise: from now on. */
  readonly after?: number;
}

/** Whether a journal is whole, and where it is not. */
export interface VerifyReport {
  readonly sessions: number;
  readonly entries: number;
  /** The first record that differs from what was written; null when all is well. */
  readonly firstBad: { readonly session: string; readonly seq: number; readonly why: string } | null;
}

/** Where events are kept. `faultline/testing/journal-suite` tests an implementation of your own. */
export interface Journal {
  /** Names this store; sessions remember it. */
  readonly storeId: string;
  /** False for memory: nothing outlives the process. */
  readonly durable: boolean;
  /** Beside what artefacts and rescue files may be put; null for memory. */
  readonly path: string | null;

  /** Appends behind number `after` (0 for a new session), with the values that belong to it. */
  append(session: string, after: number, entries: readonly NewEntry[], keeps?: readonly Keep[]): Promise<void>;
  /** Values that belong to no entry, such as a breaker's state. A result or an input comes with the entry that tells of it: refused here. */
  keep(keeps: readonly Keep[]): Promise<void>;
  /** Keeps a value only if nothing is kept under the key: true when it was kept. First answer wins. */
  keepFirst(keep: Keep): Promise<boolean>;

  /** Takes a key that is free, or whose owner let its time run out, or renews one's own. Asking again does no harm. */
  hold(key: string, owner: string, until: number, now: number): Promise<Hold>;
  /** True when this owner held it. */
  letGo(key: string, owner: string): Promise<boolean>;
  /** Takes a key from an owner that is known to be dead, however long it meant to hold it; refused when a third one has it by now. */
  takeFrom(key: string, from: string, owner: string, until: number): Promise<Hold>;
  /** All that are held, by key; one whose time has run out is there until it is taken, let go or pruned. */
  holds(): Promise<readonly (Hold & { readonly key: string })[]>;

  /** Entries behind `after`, in order, in pages so that a long session needs little memory. */
  read(session: string, after?: number): AsyncIterable<Entry>;
  /** null when nothing is kept under the key. */
  kept(kind: KeepKind, key: string): Promise<unknown>;
  /** All values of a kind, by key; with `under` only those kept under it or under `under/…`. For kinds of which there are few. */
  keptAll(kind: KeepKind, under?: string): Promise<readonly Kept[]>;
  /** Values of a kind by time, a page of them; of the same time, by key. */
  keptByTime(kind: TimedKind, query: TimeQuery): Promise<readonly Timed[]>;
  session(session: string): Promise<SessionSummary | null>;
  /** Last started first. */
  sessions(query?: SessionsQuery): Promise<readonly SessionSummary[]>;

  /** Calls `listener` for every entry, in order, when it is on disk. A listener that throws is reported, and gets the next one all the same. */
  subscribe(listener: (entry: Entry) => void, from?: Subscription): () => void;

  /** Removes ended sessions not touched since `before`, with all that belongs to them, and holds that ran out before it; returns how many sessions. */
  prune(options: { readonly before: number }): Promise<number>;
  verify(): Promise<VerifyReport>;
  close(): Promise<void>;
}
