// The journal on one machine: a SQLite file that several processes may share. Write-ahead log, every commit synced,
// the writes of one turn in one transaction. `journal.ts` says what it promises.

import { resolve } from "node:path";
import { systemChance } from "../../host/chance.ts";
import { systemClock, type Clock } from "../../host/clock.ts";
import { checkSession, encodeChanged, encodeEntry, encodeKeep, encodeLoose, encodePresent } from "../encode.ts";
import { createFeed } from "../feed.ts";
import { filesBeside } from "../files/artefacts.ts";
import { createGroupCommit, type Transaction } from "./group-commit.ts";
import { createHolds } from "../holds.ts";
import type { Journal } from "../journal.ts";
import type { JournalOptions } from "../journal-options.ts";
import { createLogMark, watchOwnFiles } from "./log-mark.ts";
import { openReadonlyJournal } from "../readonly/readonly-journal.ts";
import { openStore, type Store } from "./open-store.ts";
import { listenToAll, watchChanges } from "./change-watcher.ts";
import { createKeptWatch } from "../kept-watch.ts";
import { createBusyRetry, retryWhileBusy, type BusyRetry } from "./busy-retry.ts";
import { journalClosed, unfit } from "../journal-faults.ts";
import { createSqliteHoldTable } from "./holds.ts";
import { pruneStore } from "./prune.ts";
import { createReads, readSide } from "./reads.ts";
import { verifyStore } from "./verify.ts";
import { createWrites } from "./writes.ts";
import { storeError } from "../store-errors.ts";
import { resolveOnWarning, type OnWarning } from "../warnings.ts";

/** Opens the file, or creates it and its folder for the owner alone. Refuses a file that is not a journal and leaves it untouched. */
export async function openSqliteJournal(path: string, options: JournalOptions = {}): Promise<Journal> {
  if (typeof path !== "string" || path === "" || path === ":memory:") {
    throw unfit("A journal needs the name of a file. For one that only lives in memory use createMemoryJournal.");
  }
  const { clock = systemClock, chance = systemChance, onWarning, readOnly = false } = options;
  const place = resolve(path);
  const warn = resolveOnWarning(onWarning);
  const busyRetry = createBusyRetry(clock, warn);
  if (readOnly) return openReadonlyJournal(place, clock, warn, busyRetry);
  return createSqliteJournal(place, await openStore(place, clock, chance, busyRetry), clock, warn, busyRetry);
}

function createSqliteJournal(
  path: string,
  { db, storeId }: Store,
  clock: Clock,
  warn: OnWarning,
  busyRetry: BusyRetry,
): Journal {
  const reads = createReads(db);
  const writes = createWrites(db, () => clock.now());
  const mark = createLogMark(db, path, warn);
  const files = watchOwnFiles(path);
  const holds = createHolds(createSqliteHoldTable(db));
  const feed = createFeed(reads, clock, warn);
  const kept = createKeptWatch(reads, warn);
  const log = { logPath: `${path}-wal`, hasChanged: () => reads.hasChanged(), isAwaited: () => !feed.isEmpty() };
  const others = watchChanges(log, clock, warn, () => {
    feed.wake(null);
    kept.wake();
  });
  const listening = listenToAll(feed, kept, others);
  const transaction: Transaction = {
    begin() {
      files.refuseGone();
      writes.begin();
      mark.set();
    },
    commit() {
      writes.commit();
      mark.settle();
      // A commit to a file that was deleted or replaced is lost when this process ends.
      files.refuseGone();
    },
    rollback: () => writes.rollback(),
  };
  const group = createGroupCommit(clock, busyRetry, transaction, () => {
    const touched = writes.takeTouched();
    if (feed.isEmpty() || touched.size === 0) return;
    feed.wake(touched);
    if (!feed.isEmpty()) others.lookClosely();
  });
  let closing: Promise<void> | null = null;

  function write<T>(apply: () => T): Promise<T> {
    return closing === null ? group.add(apply) : Promise.reject(journalClosed());
  }

  function look<T>(read: () => T): Promise<T> {
    return closing === null ? retryWhileBusy(busyRetry, "reading the journal", read) : Promise.reject(journalClosed());
  }

  async function close(): Promise<void> {
    await group.drained();
    listening.stop();
    try {
      mark.close();
    } catch (error) {
      throw storeError(error);
    }
  }

  return {
    storeId,
    durable: true,
    path,
    files: filesBeside(path),

    async append(session, after, entries, keeps = []) {
      checkSession(session);
      const encoded = entries.map(encodeEntry);
      const values = keeps.map(entries.length === 0 ? encodeLoose : encodeKeep);
      await write(() => writes.append(session, after, encoded, values));
    },
    async keep(keeps) {
      const values = keeps.map(encodeLoose);
      await write(() => writes.keep(values, clock.now()));
    },
    async keepFirst(keep) {
      const value = encodePresent(keep);
      return write(() => writes.keepFirst(value, clock.now()));
    },
    async changeKept(kind, key, change) {
      return write(() => {
        const { value, encoded } = encodeChanged(kind, key, reads.kept(kind, key), change);
        if (encoded !== null) writes.keep([encoded], clock.now());
        return value;
      });
    },

    hold: async (...claim) => write(holds.hold(...claim)),
    release: async (...claim) => write(holds.release(...claim)),
    takeFrom: async (...claim) => write(holds.takeFrom(...claim)),
    holds: () => look(() => holds.all()),

    ...readSide((read) => look(() => read(reads))),

    subscribe(listener, from = {}) {
      if (closing !== null) throw journalClosed();
      return listening.subscribe(listener, from);
    },
    watchKept(kinds, listener) {
      if (closing !== null) throw journalClosed();
      return listening.watchKept(kinds, listener);
    },

    async prune({ before }) {
      if (closing !== null) throw journalClosed();
      try {
        await write(() => holds.removeExpired(Math.min(before, clock.now())));
        return await pruneStore({ db, path, write, clock, warn, forget: (session) => writes.forget(session) }, before);
      } catch (error) {
        throw storeError(error);
      }
    },
    async verify() {
      if (closing !== null) throw journalClosed();
      return verifyStore(path, clock);
    },
    close: () => (closing ??= close()),
  };
}
