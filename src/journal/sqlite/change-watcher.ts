// Notices writes of other processes while something listens. Invariants:
// W1  while other processes write, the store is polled every few milliseconds.
// W2  Once it is quiet, the operating system reports the next write instead, which does not keep the process alive: a program that
//     is done but still subscribed ends about a second later. Listeners to kept values alone do not keep it alive at all.
// W3  nothing written between the last poll and the first report is missed.

import { watch, type FSWatcher } from "node:fs";
import { classify } from "../../core/classify/classify.ts";
import { afterIdle, type Clock } from "../../host/clock.ts";
import type { Feed } from "../feed.ts";
import type { EntryListener, Subscription } from "../journal.ts";
import type { KeptWatch } from "../kept-watch.ts";
import type { OnWarning } from "../warnings.ts";
import { storeError } from "../store-errors.ts";

export interface ChangeWatcher {
  /** Starts watching. Call it again when the set of listeners has changed. */
  start(): void;
  /** Polls for a while, because something has changed. */
  lookClosely(): void;
  stop(): void;
}

export const POLL_MS = 50;
export const QUIET_POLLS = 20;

interface Store {
  /** The log of the store, which every commit writes to. */
  readonly logPath: string;
  /** True when other processes have committed since the last call. */
  readonly hasChanged: () => boolean;
  /** Whether there are listeners for entries: then polling keeps the process alive. */
  readonly isAwaited: () => boolean;
}

/** The listeners of a journal on SQLite. The watcher runs while there are any. */
export interface Listeners {
  subscribe(listener: EntryListener, from: Subscription): () => void;
  watchKept: KeptWatch["add"];
  stop(): void;
}

export function listenToAll(feed: Feed, kept: KeptWatch, others: ChangeWatcher): Listeners {
  function listening(listen: () => () => void): () => void {
    try {
      const unsubscribe = listen();
      others.start();
      return () => {
        unsubscribe();
        if (feed.isEmpty() && kept.isEmpty()) others.stop();
      };
    } catch (error) {
      throw storeError(error);
    }
  }

  return {
    subscribe: (listener, from) => listening(() => feed.subscribe(listener, from)),
    watchKept: (kinds, listener) => listening(() => kept.add(kinds, listener)),
    stop() {
      others.stop();
      feed.close();
      kept.close();
    },
  };
}

export function watchChanges(
  { logPath, hasChanged, isAwaited }: Store,
  clock: Clock,
  warn: OnWarning,
  onChange: () => void,
): ChangeWatcher {
  let isOn = false;
  let quietPolls = 0;
  let cancelPoll: (() => void) | null = null;
  let watcher: FSWatcher | null = null;
  /** False when the operating system cannot watch the file: then the store is polled while there are subscribers. */
  let isWatchable = true;

  function look(): boolean {
    try {
      if (!hasChanged()) return false;
    } catch (error) {
      warn(classify({ surface: "store", error }), "looking for entries of other processes");
      return false;
    }
    onChange();
    return true;
  }

  function poll(): void {
    cancelPoll = null;
    quietPolls = look() ? 0 : quietPolls + 1;
    // The listener may have called `stop` or `lookClosely`.
    if (isOn && isUnscheduled()) awaitNextChange();
  }

  function isUnscheduled(): boolean {
    return cancelPoll === null;
  }

  function awaitNextChange(): void {
    if (quietPolls < QUIET_POLLS || !isWatchable || !startWatching()) cancelPoll = later();
  }

  function later(): () => void {
    return isAwaited() ? clock.after(POLL_MS, poll) : afterIdle(POLL_MS, poll);
  }

  function startWatching(): boolean {
    try {
      watcher = watch(logPath, { persistent: false }, onFileChange);
      watcher.on("error", giveUpWatching);
    } catch (error) {
      suppressWatching(error);
      return false;
    }
    // `stop` may have been called meanwhile.
    if (look() && isOn) lookClosely();
    return true;
  }

  function onFileChange(): void {
    if (!isOn) return;
    lookClosely();
    look();
  }

  function giveUpWatching(error: unknown): void {
    suppressWatching(error);
    lookClosely();
  }

  function suppressWatching(error: unknown): void {
    isWatchable = false;
    if (!isAwaited()) return;
    warn(
      classify({ surface: "store", error }),
      "watching the journal's file; it is polled every few milliseconds instead, which keeps this process alive while there are subscribers",
    );
  }

  function lookClosely(): void {
    isOn = true;
    quietPolls = 0;
    watcher?.close();
    watcher = null;
    cancelPoll ??= later();
  }

  function stop(): void {
    isOn = false;
    cancelPoll?.();
    cancelPoll = null;
    watcher?.close();
    watcher = null;
  }

  return {
    start() {
      // A timer that was set for other listeners may or may not keep the process alive.
      stop();
      lookClosely();
    },
    lookClosely,
    stop,
  };
}
