// A journal that lives as long as the process: for tests, simulations and programs that need no memory of yesterday.
// Makes the same promises as every journal, except durability. Bounded: the sessions that ended first make room for new ones.

import { systemChance, type Chance } from "../../host/chance.ts";
import { systemClock, type Clock } from "../../host/clock.ts";
import { callable, chanceKind, checkOptions, clockKind, shape, whole } from "../../options/check-options.ts";
import {
  checkPosition,
  checkSession,
  encodeChanged,
  encodeEntry,
  encodeKeep,
  encodeLoose,
  encodePresent,
} from "../encode.ts";
import { createFeed } from "../feed.ts";
import { createHolds, createMemoryHoldTable } from "../holds.ts";
import type { Journal } from "../journal.ts";
import { createMemoryTables } from "./tables.ts";
import { journalClosed } from "../journal-faults.ts";
import { resolveOnWarning, type OnWarning } from "../warnings.ts";

export interface MemoryJournalOptions {
  readonly clock?: Clock;
  readonly chance?: Chance;
  /** From here on ended sessions are dropped, oldest first. Those that have not ended stay, however many there are. */
  readonly maxEntries?: number;
  /** Receives problems that no caller waits for; by default they become Node warnings. */
  readonly onWarning?: OnWarning;
}

const MAX_ENTRIES = 100_000;
const PAGE = 256;

const MEMORY_OPTIONS = shape<MemoryJournalOptions>({
  clock: clockKind,
  chance: chanceKind,
  maxEntries: whole(0),
  onWarning: callable,
});

/** A journal in memory, for tests and for programs that need no memory of their past. */
export function createMemoryJournal(options: MemoryJournalOptions = {}): Journal {
  checkOptions("createMemoryJournal", options, MEMORY_OPTIONS);
  const { clock = systemClock, chance = systemChance, maxEntries = MAX_ENTRIES, onWarning } = options;
  const tables = createMemoryTables(maxEntries);
  const holds = createHolds(createMemoryHoldTable());
  const feed = createFeed(tables, clock, resolveOnWarning(onWarning));
  let isClosed = false;

  /** Everything happens at once; a promise only so that it reads like any other journal. */
  function now<T>(work: () => T): Promise<T> {
    return new Promise((resolve, reject) => {
      if (isClosed) reject(journalClosed());
      else resolve(work());
    });
  }

  async function* pages(session: string, after: number) {
    for (let last = after; ;) {
      const page = await now(() => tables.entriesOf(session, last, PAGE));
      for (const { entry } of page) yield entry;
      if (page.length < PAGE) return;
      last += page.length;
    }
  }

  return {
    storeId: chance.newId("store"),
    durable: false,
    path: null,
    files: null,

    append: (session, after, entries, keeps = []) =>
      now(() => {
        checkSession(session);
        tables.append(
          session,
          after,
          entries.map(encodeEntry),
          keeps.map(entries.length === 0 ? encodeLoose : encodeKeep),
        );
        if (entries.length > 0) feed.wakeSoon(session);
      }),
    keep: (keeps) => now(() => tables.keep(keeps.map(encodeLoose))),
    keepFirst: (keep) => now(() => tables.keepFirst(encodePresent(keep))),
    changeKept: (kind, key, change) =>
      now(() => {
        const { value, encoded } = encodeChanged(kind, key, tables.kept(kind, key), change);
        if (encoded !== null) tables.keep([encoded]);
        return value;
      }),

    hold: (...claim) => now(() => holds.hold(...claim)()),
    release: (...claim) => now(() => holds.release(...claim)()),
    takeFrom: (...claim) => now(() => holds.takeFrom(...claim)()),
    holds: () => now(() => holds.all()),

    read: (session, after = 0) => pages(session, after),
    position: () => now(() => tables.position()),
    readFrom: (position, { limit }) =>
      now(() => {
        checkPosition(position);
        return tables.entriesAfter(position, limit);
      }),
    kept: (kind, key) => now(() => tables.kept(kind, key)),
    keptAll: (kind, under) => now(() => tables.keptAll(kind, under ?? null)),
    keptByTime: (kind, query) => now(() => tables.keptByTime(kind, query)),
    session: (session) => now(() => tables.summary(session)),
    sessions: (query = {}) => now(() => tables.summaries(query)),

    search: (question, query) => now(() => tables.search(question, query)),
    faultGroups: (query) => now(() => tables.faults.groups(query)),
    faultGroup: (fingerprint) => now(() => tables.faults.group(fingerprint)),
    faultRuns: (fingerprint, query) => now(() => tables.faultRuns(fingerprint, query)),
    faultsOf: (fingerprint, query) => now(() => tables.faults.faultsOf(fingerprint, query)),
    faultTrend: (fingerprint, query) => now(() => tables.faults.trend(fingerprint, query)),
    faultRecourses: (fingerprint) => now(() => tables.faults.recourses(fingerprint)),

    subscribe(listener, from = {}) {
      if (isClosed) throw journalClosed();
      return feed.subscribe(listener, from);
    },
    // No other process can write here.
    watchKept: () => () => undefined,

    prune: ({ before }) =>
      now(() => {
        holds.removeExpired(Math.min(before, clock.now()));
        return tables.prune(before);
      }),
    verify: () => now(() => tables.count()),
    close() {
      isClosed = true;
      feed.close();
      return Promise.resolve();
    },
  };
}
