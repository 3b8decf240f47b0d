// A journal that is only looked at: everything that reads works, also on a file or in a folder that must not be written to;
// everything that writes is refused.

import { dirname } from "node:path";
import type { Clock } from "../../host/clock.ts";
import { createFeed } from "../feed.ts";
import { filesBeside } from "../files/artefacts.ts";
import type { Journal } from "../journal.ts";
import { openReadonlyStore } from "./store.ts";
import { listenToAll, watchChanges } from "../sqlite/change-watcher.ts";
import { createKeptWatch } from "../kept-watch.ts";
import { retryWhileBusy, type BusyRetry } from "../sqlite/busy-retry.ts";
import { journalClosed, refusal } from "../journal-faults.ts";
import { readSide } from "../sqlite/reads.ts";
import { verifyStore } from "../sqlite/verify.ts";
import type { OnWarning } from "../warnings.ts";

/** `path` is absolute. */
export async function openReadonlyJournal(
  path: string,
  clock: Clock,
  warn: OnWarning,
  busyRetry: BusyRetry,
): Promise<Journal> {
  const store = await openReadonlyStore(path);
  let isClosed = false;
  const refuse = (): Promise<never> => Promise.reject(isClosed ? journalClosed() : onlyLooking(path));
  const look: Parameters<typeof readSide>[0] = (read) =>
    isClosed
      ? Promise.reject(journalClosed())
      : retryWhileBusy(busyRetry, "reading the journal", () => store.now(({ reads }) => read(reads)));
  const feed = createFeed(
    {
      lastPosition: () => store.now(({ reads }) => reads.lastPosition()),
      lastSeq: (session) => store.now(({ reads }) => reads.lastSeq(session)),
      seqAt: (...asked) => store.now(({ reads }) => reads.seqAt(...asked)),
      entriesOf: (...asked) => store.now(({ reads }) => reads.entriesOf(...asked)),
      entriesAfter: (...asked) => store.now(({ reads }) => reads.entriesAfter(...asked)),
    },
    clock,
    warn,
  );
  // There may be no log yet, so it is the folder that tells of one.
  const log = { logPath: dirname(path), hasChanged: () => store.hasChanged(), isAwaited: () => !feed.isEmpty() };
  const kept = createKeptWatch(
    {
      checksums: (kind) => store.now(({ reads }) => reads.checksums(kind)),
      kept: (kind, key) => store.now(({ reads }) => reads.kept(kind, key)),
    },
    warn,
  );
  const others = watchChanges(log, clock, warn, () => {
    feed.wake(null);
    kept.wake();
  });
  const listening = listenToAll(feed, kept, others);

  return {
    storeId: store.storeId,
    durable: true,
    path,
    files: filesBeside(path),
    ...readSide(look),
    append: refuse,
    keep: refuse,
    keepFirst: refuse,
    changeKept: refuse,
    hold: refuse,
    release: refuse,
    takeFrom: refuse,
    prune: refuse,
    holds: () =>
      isClosed
        ? Promise.reject(journalClosed())
        : retryWhileBusy(busyRetry, "reading the journal", () => store.now(({ holds }) => holds())),
    subscribe(listener, from = {}) {
      if (isClosed) throw journalClosed();
      return listening.subscribe(listener, from);
    },
    watchKept(kinds, listener) {
      if (isClosed) throw journalClosed();
      return listening.watchKept(kinds, listener);
    },
    async verify() {
      if (isClosed) throw journalClosed();
      return verifyStore(path, clock);
    },
    close() {
      if (isClosed) return Promise.resolve();
      isClosed = true;
      listening.stop();
      store.close();
      return Promise.resolve();
    },
  };
}

function onlyLooking(path: string): Error {
  return refusal(
    "EngineState",
    `${path} was opened read-only, so nothing is written to it. To write to it, open it without readOnly.`,
    { context: { path } },
  );
}
