// Durable memory. What every journal promises, whatever store it uses; `src/testing/journal-suite.ts` tests each of them:
// J1  `append` resolves when the entries are on disk, and not before.
// J2  Entries of a session are numbered from 1 without gaps; an append after a number that is not the last is refused.
// J3  entries and kept values of one append are all written, or none of them.
// J4  a subscriber gets every entry once, in order, and only when it is on disk.
// J5  what cannot be trusted is refused by name, never repaired in silence.
// J6  a key is held by at most one owner at a time, across processes.
// J7  A query by time or by page costs as much as its answer is long, however much the store holds.
// J8  Every entry has a position, a number that grows over all sessions in the order of their commits. A reader that continues
//     after a position misses nothing, unless `position().first` lies after it: then entries between the two were removed.
// J9  Failures are found by their fingerprint. Groups, counts and what helped are written with the entries they follow from, so they
//     always equal a recount of the entries that are there.
// J10 A search finds every failure and every run whose text contains all words of the question, whatever characters they have.
// J11 `changeKept` sees what is kept and replaces it in one step, also when several processes change the same value at once.
// Failures are FaultErrors: StoreUnavailable when trying again may help, EngineState when another writer was first,
// ManifestDrift or ResumeMismatch when a file is not what it should be.

import type { Entry, JournalEvent, SessionStatus } from "../core/record/event.ts";
import type { FaultGroup, FaultOccurrence, RecourseTally } from "../core/record/fault-index.ts";
import type { JournalFiles } from "./files/file-store.ts";

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
  | "pause" //    a wait that a target or an account asked for, key `target/…` or `account/…`
  | "retries" //  the retry budget of a provider, key: the provider
  | "pace" //     when the next call to a target may start while its limit is nearly reached, key: the target
  | "incident" // key: the fingerprint
  | "question" // an open question, key: its id
  | "answer" //   an answer that waits until its session is resumed, key: the question's id
  | "run" //      the summary of a run, key: the run, which is a session of the same name
  | "wake" //     when a run wants to be advanced next, in epoch ms, key: the run
  | "action" //   what an operator did to a run, key `run/idempotency-key`; kept first, so that it is done once
  | "bulk" //     one action on many runs, key: its id; its runs under `id/run/…`
  | "definition" // the text of a workflow, key: its digest
  | "follower" // how far a follower of all entries has come: a position, key: its name
  | "ledger" //   a page of calls through a gateway, key: its time and its process
  | "spend" //    what a gateway's client has spent in a window of time, key `client/window/start`
  | "usage" //    how many calls a gateway's client made to a target on a day, and what they cost, key `day/client/target`
  | "transcript" // what a client asked a gateway and was answered, without secrets, if the gateway keeps it, key: the call
  | "stored" //   the target that has stored a response which later requests continue, key: the response's id
  | "audit" //    what a person or a client did, key: its id; see `audit.ts`
  | "request"; //  the answer to a request, key `actor/route/idempotency-key`, with its time as `at`; kept first, so that it is done once

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

/** Kinds that are listed by time: a wake by when it is due, a run by its start (tags: `status:…`, `workflow:…`, `code:…`, `target:…`, `is:latest`), a
 * question by when it was asked (tag: `session:…`), an incident by the newest thing noted, a
 * request and an audit record by their time (tags of the latter: `by:…`, `on:…`), a bulk action by its start (tag: `status:…`), a page of
 * a gateway's ledger by its first call. */
export type TimedKind =
  | "wake"
  | "run"
  | "question"
  | "incident"
  | "request"
  | "bulk"
  | "audit"
  | "ledger"
  | "transcript";

export interface Timed extends Kept {
  readonly at: number;
}

export interface TimeQuery {
  readonly order: "oldest" | "newest";
  readonly limit: number;
  /** Only those with all of these tags. The first one is looked up, the others are compared: name the rarest first. */
  readonly tags?: readonly string[];
  /** Only those after this one, in the order asked for; the last of a page leads to the next. */
  readonly after?: Pick<Timed, "at" | "key">;
  /** Oldest first: only those that are not later than this. */
  readonly until?: number;
}

export interface SessionsQuery {
  readonly status?: SessionStatus;
  readonly limit?: number;
  /** Only those after this one; the last of a page leads to the next. */
  readonly after?: Pick<SessionSummary, "session" | "startedAt">;
}

/** Where a subscription begins: from now on, unless `after` or `position` names a place before. */
export interface Subscription {
  /** Only entries of this session; all when absent. */
  readonly session?: string;
  /** For one session: only entries after this number. */
  readonly after?: number;
  /** Only entries after this position. */
  readonly position?: number;
}

/** Called with every entry and its position among the entries of all sessions. */
export type EntryListener = (entry: Entry, position: number) => void;

export type KeptListener = (kind: KeepKind, key: string, value: unknown) => void;

/** An entry with its position among the entries of all sessions. */
export interface Positioned {
  readonly position: number;
  readonly entry: Entry;
}

/** The range of positions that a journal can still serve without a gap. */
export interface PositionRange {
  /** The oldest position after which nothing was removed; 0 until sessions are pruned. */
  readonly first: number;
  /** The newest position; 0 when nothing was ever written. */
  readonly last: number;
}

/** A failure or a run that a search found. */
export type Found =
  | { readonly kind: "fault"; readonly position: number; readonly fault: FaultOccurrence }
  /** `position`: of the run's first entry. `value`: the run as it is kept. */
  | { readonly kind: "run"; readonly position: number; readonly run: string; readonly value: unknown };

export interface SearchQuery {
  /** All kinds when left out. */
  readonly kinds?: readonly Found["kind"][];
  readonly limit: number;
  /** Only those after this one; the last of a page leads to the next. */
  readonly after?: Pick<Found, "position">;
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
  /** Its file, beside which rescue files may be put; null for memory and for a database. */
  readonly path: string | null;
  /** Where large outputs and files about runs are kept, for every process of this journal; null for memory. */
  readonly files: JournalFiles | null;

  /** Appends after number `after` (0 for a new session), with the values that belong to it. */
  append(session: string, after: number, entries: readonly NewEntry[], keeps?: readonly Keep[]): Promise<void>;
  /** Values that belong to no entry, such as a breaker's state. A result or an input comes with the entry that tells of it: refused here. */
  keep(keeps: readonly Keep[]): Promise<void>;
  /** Keeps a value only if nothing is kept under the key: true when it was kept. First answer wins. */
  keepFirst(keep: Keep): Promise<boolean>;
  /**
   * Replaces a value with what `change` makes of it, and returns the result. null stands for no value, in both directions; nothing is
   * written when `change` returns what it got. It may run more than once, so it must not do anything else.
   */
  changeKept(kind: KeepKind, key: string, change: (present: unknown) => unknown): Promise<unknown>;

  /** Takes a key that is free, or whose owner let its time run out, or renews one's own. Asking again does no harm. */
  hold(key: string, owner: string, until: number, now: number): Promise<Hold>;
  /** True when this owner held it. */
  release(key: string, owner: string): Promise<boolean>;
  /** Takes a key from an owner that is known to be dead, however long it meant to hold it; refused when a third one has it by now. */
  takeFrom(key: string, from: string, owner: string, until: number): Promise<Hold>;
  /** All holds, by key. A hold that has expired stays in the list until it is taken, released or pruned. */
  holds(): Promise<readonly (Hold & { readonly key: string })[]>;

  /** Entries after number `after`, in order, in pages so that a long session needs little memory. */
  read(session: string, after?: number): AsyncIterable<Entry>;
  position(): Promise<PositionRange>;
  /** Entries of all sessions after a position, in order, at most `limit`. */
  readFrom(position: number, options: { readonly limit: number }): Promise<readonly Positioned[]>;
  /** null when nothing is kept under the key. */
  kept(kind: KeepKind, key: string): Promise<unknown>;
  /** All values of a kind, by key; with `under` only those kept under it or under `under/…`. For kinds of which there are few. */
  keptAll(kind: KeepKind, under?: string): Promise<readonly Kept[]>;
  /** Values of a kind by time, a page of them; of the same time, by key. */
  keptByTime(kind: TimedKind, query: TimeQuery): Promise<readonly Timed[]>;
  session(session: string): Promise<SessionSummary | null>;
  /** Last started first. */
  sessions(query?: SessionsQuery): Promise<readonly SessionSummary[]>;

  /** Groups of failures by fingerprint, the one with the newest failure first. */
  faultGroups(query: FaultGroupsQuery): Promise<readonly FaultGroup[]>;
  /** null when no failure has this fingerprint. */
  faultGroup(fingerprint: string): Promise<FaultGroup | null>;
  /** Failures with this fingerprint, newest first. */
  faultsOf(fingerprint: string, query: FaultsQuery): Promise<readonly FaultOccurrence[]>;
  /** Runs that met a failure with this fingerprint, the one that was begun last first; each once. */
  faultRuns(fingerprint: string, query: FaultRunsQuery): Promise<readonly string[]>;
  /**
   * How many failures with this fingerprint happened when; null: of all groups but those of refused calls, which follow from other failures.
   * One bucket after the other, at most 1,000.
   */
  faultTrend(fingerprint: string | null, query: FaultTrendQuery): Promise<readonly FaultBucket[]>;
  /** What helped against failures with this fingerprint: how often each recourse worked, and how often it did not. */
  faultRecourses(fingerprint: string): Promise<readonly RecourseTally[]>;

  /**
   * Failures and runs, the newest first, whose text contains every word of the question: of a failure its message, code, tool and session;
   * of a run its id, workflow, code and the nodes where it stands or failed. Case does not matter; nothing in the question is syntax.
   */
  search(question: string, query: SearchQuery): Promise<readonly Found[]>;

  /** Calls `listener` for every entry, in order, when it is on disk. A listener that throws is reported, and gets the next one all the same. */
  subscribe(listener: EntryListener, from?: Subscription): () => void;
  /**
   * Calls `listener` for values of these kinds that other processes write from now on; of several writes of one value, perhaps only for
   * the last. Values that are taken away are not reported. Does not keep the process alive.
   */
  watchKept(kinds: readonly KeepKind[], listener: KeptListener): () => void;

  /** Removes ended sessions not touched since `before`, with all that belongs to them, and requests and holds from before it; returns how many sessions. */
  prune(options: { readonly before: number }): Promise<number>;
  verify(): Promise<VerifyReport>;
  close(): Promise<void>;
}

/** Groups of failures, the one with the newest failure first. */
export interface FaultGroupsQuery {
  readonly limit: number;
  /** Only those after this one; the last of a page leads to the next. */
  readonly after?: Pick<FaultGroup, "lastAt" | "fingerprint">;
  readonly code?: string;
  readonly tool?: string;
}

/** Failures of one group, newest first. */
export interface FaultsQuery {
  readonly limit: number;
  /** Only those after this one; the last of a page leads to the next. */
  readonly after?: Pick<FaultOccurrence, "at" | "position">;
}

/** Runs that met a failure of one group, the one that was begun last first. */
export interface FaultRunsQuery {
  readonly limit: number;
  /** Only those after this run; the last of a page leads to the next. */
  readonly after?: string;
}

/** From `since` up to `until`, which is not included, in epoch ms. */
export interface FaultTrendQuery {
  readonly since: number;
  readonly until: number;
  readonly bucketMs: number;
}

/** How many failures happened from `at` until the next bucket begins. */
export interface FaultBucket {
  readonly at: number;
  readonly count: number;
  /** How many of them an automatic retry recovered from. */
  readonly recoveredByRetry: number;
}
