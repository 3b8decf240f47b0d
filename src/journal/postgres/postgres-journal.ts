// The journal on several machines: a schema of a PostgreSQL database. `journal.ts` says what it promises.

import { systemChance } from "../../host/chance.ts";
import { systemClock, type Clock } from "../../host/clock.ts";
import { checkSession, encodeEntry, encodeKeep, encodeLoose, encodePresent, positioned } from "../encode.ts";
import { createFeed, type FeedSource } from "../feed.ts";
import type { Journal } from "../journal.ts";
import { journalClosed, refusal } from "../journal-faults.ts";
import { createKeptWatch } from "../kept-watch.ts";
import type { JournalOptions } from "../journal-options.ts";
import { resolveOnWarning, type OnWarning } from "../warnings.ts";
import type { BucketFiles } from "../files/bucket-store.ts";
import { readAddress } from "./address.ts";
import { openBucketOf, databaseFiles } from "./files.ts";
import { createChanges } from "./changes.ts";
import { connectTo, type Ask, type Database } from "./database.ts";
import { createPostgresHolds, serverTime, type ServerTime } from "./holds.ts";
import { createKeptChanges } from "./kept-changes.ts";
import { hasTables, openDatabase } from "./open-database.ts";
import { postgresError } from "./postgres-errors.ts";
import { pruneDatabase } from "./prune.ts";
import { createReads, type RemoteReads } from "./reads.ts";
import { verifyDatabase } from "./verify.ts";
import { type Committed, createWrites, loose } from "./writes.ts";

/** Opens the journal at an address such as `postgres://user@host/database`, or makes its schema in that database. */
export async function openPostgresJournal(address: string, options: JournalOptions = {}): Promise<Journal> {
  const { clock = systemClock, chance = systemChance, onWarning, readOnly = false } = options;
  const tell = resolveOnWarning(onWarning);
  const db = connectTo(readAddress(address), tell);
  try {
    const storeId = await openDatabase(db, chance, readOnly);
    const time = await serverTime(db, clock);
    const bucket = await openBucketOf(db, readOnly);
    const settings = { storeId, clock, tell, time, bucket, origin: chance.newId("writer") };
    return createPostgresJournal(db, settings, readOnly);
  } catch (error) {
    await db.close();
    throw postgresError(error, db.address.secrets);
  }
}

/** Whether there is a journal at an address, also one that cannot be read. */
export async function isInPostgres(address: string, onWarning: OnWarning): Promise<boolean> {
  const db = connectTo(readAddress(address), onWarning);
  try {
    return await hasTables(db);
  } catch (error) {
    throw postgresError(error, db.address.secrets);
  } finally {
    await db.close();
  }
}

interface Settings {
  readonly storeId: string;
  readonly clock: Clock;
  readonly tell: OnWarning;
  readonly time: ServerTime;
  /** null: files are in the database. */
  readonly bucket: BucketFiles | null;
  readonly origin: string;
}

function createPostgresJournal(db: Database, settings: Settings, readOnly: boolean): Journal {
  const { storeId, clock, tell, time, bucket, origin } = settings;
  const channel = `faultline:${db.address.schema}`;
  let closing: Promise<void> | null = null;

  /** RemoteReads wait until watchers of kept values know where they begin: what they read is then no older. */
  const ask: Ask = async (sql, values) => {
    if (closing !== null) throw journalClosed();
    try {
      return await db.ask(sql, values);
    } catch (error) {
      throw postgresError(error, db.address.secrets);
    }
  };
  const reads = createReads(ask);
  const own = createOwnWrites(reads.feed);
  const writes = createWrites(db, { origin, channel, now: () => clock.now(), onCommitted });
  const holds = createPostgresHolds(db, time);
  const changeKept = createKeptChanges(db, reads, writes);
  const feed = createFeed(
    {
      ...own.source,
      // Entries written from now on come after the place where a subscriber begins.
      lastPosition: () => first(reads.feed.lastPosition()),
      lastSeq: (session) => first(reads.feed.lastSeq(session)),
    },
    clock,
    tell,
  );
  const kept = createKeptWatch(
    { checksums: (kind) => reads.checksums(kind), kept: (kind, key) => reads.side.kept(kind, key) },
    tell,
  );
  const changes = createChanges(db, { channel, origin, tell }, (kinds) => {
    feed.wake(null);
    if (kinds === null || kinds.size > 0) kept.wake(kinds);
  });

  function first<T>(look: Promise<T>): Promise<T> {
    writes.holdBack(look);
    return look;
  }

  function onCommitted(committed: Committed): void {
    if (committed.entries.length === 0 || feed.isEmpty()) return;
    own.remember(committed);
    feed.wake(new Set(committed.entries.map(({ session }) => session)));
  }

  function guard(): void {
    if (closing !== null) throw journalClosed();
    if (readOnly) throw onlyLooking(db.address.name);
  }

  function listening(unsubscribe: () => void): () => void {
    changes.start();
    return () => {
      unsubscribe();
      if (feed.isEmpty() && kept.isEmpty()) void changes.stop();
    };
  }

  async function close(): Promise<void> {
    await Promise.all([writes.drained(), holds.drained()]);
    feed.close();
    kept.close();
    await changes.stop();
    await db.close();
  }

  async function looking<T>(work: () => Promise<T>): Promise<T> {
    if (closing !== null) throw journalClosed();
    try {
      return await work();
    } catch (error) {
      throw postgresError(error, db.address.secrets);
    }
  }

  return {
    storeId,
    durable: true,
    path: null,
    files: bucket ?? databaseFiles(ask),

    async append(session, after, entries, keeps = []) {
      guard();
      checkSession(session);
      const encoded = entries.map(encodeEntry);
      const values = keeps.map(entries.length === 0 ? encodeLoose : encodeKeep);
      await writes.add({ append: { session, after, entries: encoded }, keeps: values, onlyOver: null });
    },
    async keep(keeps) {
      guard();
      const values = keeps.map(encodeLoose);
      if (values.length > 0) await writes.add(loose(values));
    },
    async keepFirst(keep) {
      guard();
      return writes.add(loose([encodePresent(keep)], ""));
    },
    async changeKept(kind, key, change) {
      guard();
      return changeKept(kind, key, change);
    },

    async hold(...claim) {
      guard();
      return holds.hold(...claim);
    },
    async release(...claim) {
      guard();
      return holds.release(...claim);
    },
    async takeFrom(...claim) {
      guard();
      return holds.takeFrom(...claim);
    },
    holds: () => looking(() => holds.holds()),

    ...reads.side,
    keptAll: async (kind, under) => {
      await kept.ready();
      return reads.side.keptAll(kind, under);
    },

    subscribe(listener, from = {}) {
      if (closing !== null) throw journalClosed();
      return listening(feed.subscribe(listener, from));
    },
    watchKept(kinds, listener) {
      if (closing !== null) throw journalClosed();
      return listening(kept.add(kinds, listener));
    },

    async prune({ before }) {
      guard();
      return looking(async () => {
        await holds.removeExpired(Math.min(before, clock.now()));
        return pruneDatabase(db, before, async (session, isRemoved) => {
          writes.forget(session);
          if (isRemoved) await bucket?.removeSession(session);
        });
      });
    },
    verify: () => looking(() => verifyDatabase(db)),
    close: () => (closing ??= close()),
  };
}

/**
 * What this process has just written does not have to be read back: a subscriber that stands right before it gets it at once, before the writer's
 * promise resolves. For everything else the server is asked.
 */
function createOwnWrites(remote: RemoteReads["feed"]): {
  readonly source: Omit<FeedSource, "lastPosition" | "lastSeq">;
  remember(committed: Committed): void;
} {
  let newest: Committed | null = null;
  return {
    source: {
      seqAt: remote.seqAt,
      entriesAfter(position, limit) {
        if (newest?.base !== position || newest.entries.length >= limit) return remote.entriesAfter(position, limit);
        return newest.entries.map((entry, index) => positioned({ ...entry, position: position + index + 1 }));
      },
      entriesOf(session, after, limit) {
        const { base, entries } = newest ?? { base: 0, entries: [] };
        const rows = entries.flatMap((entry, index) =>
          entry.session === session && entry.seq > after ? [{ ...entry, position: base + index + 1 }] : [],
        );
        if (rows[0]?.seq !== after + 1 || rows.length >= limit) return remote.entriesOf(session, after, limit);
        return rows.map(positioned);
      },
    },
    remember(committed) {
      newest = committed;
    },
  };
}

function onlyLooking(name: string): Error {
  return refusal(
    "EngineState",
    `${name} was opened read-only, so nothing is written to it. To write to it, open it without readOnly.`,
    { context: { journal: name } },
  );
}
