// A journal that is opened with its first use: for programs that name a file where an open journal is expected.
// L1  making one touches no disk; a program that never uses it leaves no file.
// L2  the first read or write waits until the file is open. If opening fails, that use fails, and the next one tries again.
// L3  a listener from before the opening hears of everything written after it.

import { resolve } from "node:path";
import { filesBeside } from "./files/artefacts.ts";
import type { FileStore, JournalFiles } from "./files/file-store.ts";
import { journalClosed } from "./journal-faults.ts";
import type { Journal } from "./journal.ts";
import { openJournal } from "./open-journal.ts";
import { isPostgresAddress } from "./journal-place.ts";
import type { JournalOptions } from "./journal-options.ts";
import type { Entry } from "../core/record/event.ts";

interface Waiting {
  /** Begins to listen; returns what ends it. */
  readonly listen: (journal: Journal) => () => void;
  leave: () => void;
}

export function openLater(path: string, options: JournalOptions): Journal {
  let opening: Promise<Journal> | null = null;
  let journal: Journal | null = null;
  let isClosed = false;
  const waiting = new Set<Waiting>();

  async function open(): Promise<Journal> {
    const opened = await openJournal(path, options);
    for (const one of waiting) one.leave = one.listen(opened);
    waiting.clear();
    journal = opened;
    return opened;
  }

  function use<T>(work: (journal: Journal) => Promise<T>): Promise<T> {
    if (journal !== null) return work(journal);
    if (isClosed) return Promise.reject(journalClosed());
    opening ??= open().catch((error: unknown) => {
      opening = null;
      throw error;
    });
    return opening.then(work);
  }

  function listenLater(listen: Waiting["listen"]): () => void {
    if (journal !== null) return listen(journal);
    const one: Waiting = { listen, leave: () => waiting.delete(one) };
    waiting.add(one);
    return () => one.leave();
  }

  async function* read(session: string, after?: number): AsyncGenerator<Entry> {
    yield* await use((opened) => Promise.resolve(opened.read(session, after)));
  }

  return {
    /** Empty until it is open: sessions, which remember it, are read first. */
    get storeId() {
      return journal?.storeId ?? "";
    },
    durable: true,
    path: isPostgresAddress(path) ? null : resolve(path),
    files: isPostgresAddress(path)
      ? filesLater(() => use((opened) => Promise.resolve(opened)))
      : filesBeside(resolve(path)),
    append: (...args) => use((opened) => opened.append(...args)),
    keep: (...args) => use((opened) => opened.keep(...args)),
    keepFirst: (...args) => use((opened) => opened.keepFirst(...args)),
    changeKept: (...args) => use((opened) => opened.changeKept(...args)),
    hold: (...args) => use((opened) => opened.hold(...args)),
    release: (...args) => use((opened) => opened.release(...args)),
    takeFrom: (...args) => use((opened) => opened.takeFrom(...args)),
    holds: () => use((opened) => opened.holds()),
    read,
    position: () => use((opened) => opened.position()),
    readFrom: (...args) => use((opened) => opened.readFrom(...args)),
    kept: (...args) => use((opened) => opened.kept(...args)),
    keptAll: (...args) => use((opened) => opened.keptAll(...args)),
    keptByTime: (...args) => use((opened) => opened.keptByTime(...args)),
    session: (...args) => use((opened) => opened.session(...args)),
    sessions: (...args) => use((opened) => opened.sessions(...args)),
    search: (...args) => use((opened) => opened.search(...args)),
    faultGroups: (...args) => use((opened) => opened.faultGroups(...args)),
    faultGroup: (...args) => use((opened) => opened.faultGroup(...args)),
    faultRuns: (...args) => use((opened) => opened.faultRuns(...args)),
    faultsOf: (...args) => use((opened) => opened.faultsOf(...args)),
    faultTrend: (...args) => use((opened) => opened.faultTrend(...args)),
    faultRecourses: (...args) => use((opened) => opened.faultRecourses(...args)),
    subscribe: (listener, from) => listenLater((opened) => opened.subscribe(listener, from)),
    watchKept: (kinds, listener) => listenLater((opened) => opened.watchKept(kinds, listener)),
    prune: (...args) => use((opened) => opened.prune(...args)),
    verify: () => use((opened) => opened.verify()),
    async close() {
      isClosed = true;
      // The operation that needed the file got the error; here it only means that nothing is open.
      await opening?.then(
        (opened) => opened.close(),
        () => undefined,
      );
    },
  };
}

/** The files of a database, which is opened with the first of them. */
function filesLater(open: () => Promise<Journal>): JournalFiles {
  const storeIn = (find: (files: JournalFiles) => FileStore): FileStore => {
    const store = async (): Promise<FileStore> => {
      const { files } = await open();
      if (files === null) throw journalClosed();
      return find(files);
    };
    return {
      folder: null,
      writeNew: async (...asked) => (await store()).writeNew(...asked),
      replace: async (...asked) => (await store()).replace(...asked),
      read: async (path) => (await store()).read(path),
      list: async () => (await store()).list(),
      within: (folder) => storeIn((files) => find(files).within(folder)),
    };
  };
  return { artefacts: storeIn((files) => files.artefacts), runs: storeIn((files) => files.runs) };
}
