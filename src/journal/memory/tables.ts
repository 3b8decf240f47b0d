// The tables of a journal in memory: entries and values as text, so that keeping a reference to an object cannot change them.

import type { SessionStatus } from "../../core/record/event.ts";
import { isUnder, kindsOwned, ownerOf, tagOf } from "../keep-kinds.ts";
import {
  decodeKept,
  type EncodedEntry,
  type EncodedKeep,
  ENDED,
  type EventRow,
  positioned,
  statusAfter,
  compareKeys,
} from "../encode.ts";
import type { LocalFeedSource } from "../feed.ts";
import type {
  Found,
  Kept,
  KeepKind,
  PositionRange,
  SearchQuery,
  SessionsQuery,
  SessionSummary,
  Timed,
  TimedKind,
  TimeQuery,
  VerifyReport,
  FaultRunsQuery,
} from "../journal.ts";
import { trendBuckets, type FaultReads } from "../fault-queries.ts";
import { fenced } from "../journal-faults.ts";
import { contains, wordsOf, textOfFault } from "../search-text.ts";
import { FOLLOWING_CODES } from "../../core/fault/catalogue.ts";
import {
  FaultFold,
  type FaultGroup,
  type FaultOccurrence,
  groupFaults,
  tallyRecourses,
} from "../../core/record/fault-index.ts";

export interface MemoryTables extends LocalFeedSource {
  readonly faults: Omit<FaultReads, "runsOf">;
  faultRuns(fingerprint: string, query: FaultRunsQuery): readonly string[];
  search(question: string, query: SearchQuery): readonly Found[];
  position(): PositionRange;
  append(session: string, after: number, entries: readonly EncodedEntry[], keeps: readonly EncodedKeep[]): void;
  keep(keeps: readonly EncodedKeep[]): void;
  keepFirst(keep: EncodedKeep & { readonly text: string }): boolean;
  kept(kind: KeepKind, key: string): unknown;
  keptAll(kind: KeepKind, under: string | null): readonly Kept[];
  summary(session: string): SessionSummary | null;
  keptByTime(kind: TimedKind, query: TimeQuery): readonly Timed[];
  summaries(query: SessionsQuery): readonly SessionSummary[];
  prune(before: number): number;
  count(): VerifyReport;
}

type Present = Pick<EncodedKeep, "place" | "searched"> & { readonly text: string };

interface Session {
  readonly rows: EventRow[];
  readonly startedAt: number;
  updatedAt: number;
  status: SessionStatus;
}

/** Making room goes down to this share, so that it is not made again for every entry. */
const ROOM = 0.9;

export function createMemoryTables(maxEntries: number): MemoryTables {
  const sessions = new Map<string, Session>();
  const faults = createMemoryFaults();
  const keptOf = new Map<KeepKind, Map<string, Present>>();
  /** Ended sessions, in the order in which they ended. */
  const ended = new Set<string>();
  /** All entries in the order they came; those of dropped sessions stay until the next clean-up. */
  let log: EventRow[] = [];
  let entryCount = 0;
  let lastPosition = 0;
  /** The last position of what was dropped. */
  let dropped = 0;

  function valuesOf(kind: KeepKind): Map<string, Present> {
    let values = keptOf.get(kind);
    if (values === undefined) keptOf.set(kind, (values = new Map<string, Present>()));
    return values;
  }

  function keep(keeps: readonly EncodedKeep[]): void {
    for (const { kind, key, text, place, searched } of keeps) {
      if (text === null) valuesOf(kind).delete(key);
      else valuesOf(kind).set(key, { text, place, searched });
    }
  }

  function add(name: string, entries: readonly EncodedEntry[], startedAt: number): void {
    let session = sessions.get(name);
    if (session === undefined)
      sessions.set(name, (session = { rows: [], startedAt, updatedAt: startedAt, status: "open" }));
    for (const { at, body, mark, faultMark } of entries) {
      const row: EventRow = { position: ++lastPosition, session: name, seq: session.rows.length + 1, at, body };
      session.rows.push(row);
      log.push(row);
      if (faultMark !== null) faults.note(faultMark, row);
      session.status = statusAfter(session.status, mark);
      if (at > session.updatedAt) session.updatedAt = at;
    }
    entryCount += entries.length;
    if (!ENDED.includes(session.status)) ended.delete(name);
    else ended.add(name);
    if (entryCount > maxEntries) makeRoom(name);
  }

  /** Never drops what has just been written. */
  function makeRoom(newest: string): void {
    const gone = new Set<string>();
    let left = entryCount;
    for (const name of ended) {
      if (left <= maxEntries * ROOM) break;
      if (name === newest) continue;
      left -= sessions.get(name)?.rows.length ?? 0;
      gone.add(name);
    }
    drop(gone);
  }

  function drop(gone: ReadonlySet<string>): void {
    if (gone.size === 0) return;
    for (const name of gone) {
      const rows = sessions.get(name)?.rows ?? [];
      entryCount -= rows.length;
      dropped = Math.max(dropped, rows.at(-1)?.position ?? 0);
      sessions.delete(name);
      ended.delete(name);
    }
    log = log.filter((row) => !gone.has(row.session));
    faults.drop(gone);
    dropKept(gone);
  }

  function dropKept(gone: ReadonlySet<string>): void {
    for (const kind of kindsOwned("by-key")) {
      const values = valuesOf(kind);
      for (const key of values.keys()) if (gone.has(ownerOf(key))) values.delete(key);
    }
    const goneTags = new Set(Array.from(gone, (name) => tagOf("session", name)));
    for (const kind of kindsOwned("by-value")) {
      for (const [key, { place }] of valuesOf(kind)) {
        if (!place.tags.some((tag) => goneTags.has(tag))) continue;
        valuesOf(kind).delete(key);
        for (const other of kindsOwned("by-question")) valuesOf(other).delete(key);
      }
    }
  }

  function summary(name: string): SessionSummary | null {
    const session = sessions.get(name);
    if (session === undefined) return null;
    const { status, startedAt, updatedAt, rows } = session;
    return { session: name, status, startedAt, updatedAt, lastSeq: rows.length };
  }

  /** A run is a session of the same name; without one it has no position. */
  function runsWith(words: readonly string[]): readonly Found[] {
    return Array.from(valuesOf("run")).flatMap(([run, { text, searched }]): readonly Found[] => {
      const position = sessions.get(run)?.rows[0]?.position;
      if (position === undefined || searched === null || !contains(searched, words)) return [];
      return [{ kind: "run", position, run, value: decodeKept("run", run, text) }];
    });
  }

  function search(question: string, { kinds = ["fault", "run"], limit, after }: SearchQuery): readonly Found[] {
    const words = wordsOf(question);
    if (words.length === 0) return [];
    const found: Found[] = [
      ...(kinds.includes("fault") ? faults.search(words) : []).map((fault): Found => ({
        kind: "fault",
        position: fault.position,
        fault,
      })),
      ...(kinds.includes("run") ? runsWith(words) : []),
    ];
    return found
      .filter(({ position }) => position < (after?.position ?? Infinity))
      .sort((a, b) => b.position - a.position)
      .slice(0, limit);
  }

  /** Sessions are in the order in which they were begun. */
  function faultRuns(fingerprint: string, { limit, after }: FaultRunsQuery): readonly string[] {
    const met = new Set(faults.faultsOf(fingerprint, { limit: Infinity }).map(({ session }) => session));
    const names = Array.from(sessions.keys());
    const behind = after === undefined ? -1 : names.indexOf(after);
    return (behind === -1 ? names : names.slice(0, behind))
      .filter((name) => met.has(name) && valuesOf("run").has(name))
      .reverse()
      .slice(0, limit);
  }

  return {
    faults,
    faultRuns,
    search,
    append(name, after, entries, keeps) {
      const lastSeq = sessions.get(name)?.rows.length ?? 0;
      if (lastSeq !== after) throw fenced(name, after, lastSeq);
      keep(keeps);
      const [first] = entries;
      if (first !== undefined) add(name, entries, first.at);
    },
    keep,
    keepFirst({ kind, key, text, place, searched }) {
      if (valuesOf(kind).has(key)) return false;
      valuesOf(kind).set(key, { text, place, searched });
      return true;
    },

    lastPosition: () => lastPosition,
    position: () => ({ first: dropped, last: lastPosition }),
    seqAt: (name, position) => placeAfter(sessions.get(name)?.rows ?? [], position),
    lastSeq: (name) => sessions.get(name)?.rows.length ?? 0,
    entriesOf: (name, after, limit) => (sessions.get(name)?.rows.slice(after, after + limit) ?? []).map(positioned),
    entriesAfter(position, limit) {
      const start = placeAfter(log, position);
      return log.slice(start, start + limit).map(positioned);
    },
    kept(kind, key) {
      const present = valuesOf(kind).get(key);
      return present === undefined ? null : decodeKept(kind, key, present.text);
    },
    keptAll: (kind, under) =>
      Array.from(valuesOf(kind))
        .filter(([key]) => under === null || isUnder(key, under))
        .sort(([a], [b]) => compareKeys(a, b))
        .map(([key, { text }]) => ({ key, value: decodeKept(kind, key, text) })),
    keptByTime(kind, { order, limit, tags = [], after, until = Infinity }) {
      const sign = order === "oldest" ? 1 : -1;
      const found: { readonly key: string; readonly at: number; readonly text: string }[] = [];
      for (const [key, { text, place }] of valuesOf(kind)) {
        const { at } = place;
        if (at === null || at > until || !tags.every((tag) => place.tags.includes(tag))) continue;
        if (after === undefined || compareTimed({ at, key }, after) * sign > 0) found.push({ key, at, text });
      }
      return found
        .sort((a, b) => compareTimed(a, b) * sign)
        .slice(0, limit)
        .map(({ key, at, text }) => ({ key, value: decodeKept(kind, key, text), at }));
    },
    summary,
    summaries({ status, limit = Infinity, after }) {
      const newestFirst = Array.from(sessions.keys(), (name) => summary(name))
        .filter((found) => found !== null)
        .reverse()
        .sort((a, b) => b.startedAt - a.startedAt);
      const place = after === undefined ? -1 : newestFirst.findIndex(({ session }) => session === after.session);
      const behind = (one: SessionSummary, index: number): boolean =>
        after === undefined || (place === -1 ? one.startedAt <= after.startedAt : index > place);
      return newestFirst
        .filter((found, index) => behind(found, index) && (status === undefined || found.status === status))
        .slice(0, limit);
    },
    prune(before) {
      for (const kind of kindsOwned("by-age")) {
        for (const [key, { place }] of valuesOf(kind)) if ((place.at ?? before) < before) valuesOf(kind).delete(key);
      }
      const old = Array.from(ended).filter((name) => (sessions.get(name)?.updatedAt ?? before) < before);
      drop(new Set(old));
      return old.length;
    },
    // No other process can write here, so there is nothing to find.
    count: () => ({ sessions: sessions.size, entries: entryCount, firstBad: null }),
  };
}

function compareTimed(a: Pick<Timed, "at" | "key">, b: Pick<Timed, "at" | "key">): number {
  return a.at - b.at || compareKeys(a.key, b.key);
}

/** The place of the first row after `position`. */
function placeAfter(log: readonly EventRow[], position: number): number {
  let low = 0;
  let high = log.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((log[middle]?.position ?? Infinity) > position) high = middle;
    else low = middle + 1;
  }
  return low;
}

// The index of failures of a journal in memory: a list of failures; groups are counted when they are asked for.

interface MemoryFaults extends Omit<FaultReads, "runsOf">, Pick<FaultFold, "note" | "drop"> {
  /** In no order. */
  search(words: readonly string[]): readonly FaultOccurrence[];
}

function createMemoryFaults(): MemoryFaults {
  const fold = new FaultFold();

  function ofFamily(fingerprint: string): FaultOccurrence[] {
    return fold.rows.filter((row) => row.fingerprint === fingerprint);
  }

  return {
    note: (mark, entry) => fold.note(mark, entry),
    drop: (sessions) => fold.drop(sessions),
    search: (words) => fold.rows.filter((row) => contains(textOfFault(row), words)).map((row) => ({ ...row })),
    groups: ({ limit, after, code, tool }) =>
      groupFaults(fold.rows.filter((row) => (code ?? row.code) === row.code && (tool ?? row.tool) === row.tool))
        .filter((group) => after === undefined || compareGroups(group, after) < 0)
        .sort((a, b) => compareGroups(b, a))
        .slice(0, limit),
    group: (fingerprint) => groupFaults(ofFamily(fingerprint))[0] ?? null,
    faultsOf: (fingerprint, { limit, after }) =>
      ofFamily(fingerprint)
        .filter((row) => after === undefined || compareRows(row, after) < 0)
        .sort((a, b) => compareRows(b, a))
        .slice(0, limit)
        .map((row) => ({ ...row })),
    trend(fingerprint, query) {
      const family = fingerprint === null ? fold.rows.filter(isCause) : ofFamily(fingerprint);
      return trendBuckets(query).map(([at, end]) => {
        const rows = family.filter((row) => row.at >= at && row.at < end);
        const recoveredByRetry = rows.filter(({ recourse, worked }) => recourse === "retry" && worked === true).length;
        return { at, count: rows.length, recoveredByRetry };
      });
    },
    recourses: (fingerprint) => tallyRecourses(ofFamily(fingerprint)),
  };
}

function isCause({ code }: FaultOccurrence): boolean {
  return !(FOLLOWING_CODES as readonly string[]).includes(code);
}

type Newest = Pick<FaultGroup, "lastAt" | "fingerprint">;

function compareGroups(a: Newest, b: Newest): number {
  return a.lastAt - b.lastAt || compareKeys(a.fingerprint, b.fingerprint);
}

function compareRows(a: Pick<FaultOccurrence, "at" | "position">, b: Pick<FaultOccurrence, "at" | "position">): number {
  return a.at - b.at || a.position - b.position;
}
