// Notices writes of other processes while there are subscribers. Invariants:
// W1  while things happen the store is asked every few milliseconds, by the clock.
// W2  once it is quiet the operating system is asked to tell instead, which keeps no process alive: a program that is
//     done, and has only forgotten to unsubscribe, ends about a second later.
// W3  nothing written between the last question and the first answer is missed.

import { watch, type FSWatcher } from "node:fs";
import { classify } from "../../core/classify/classify.ts";
import type { Clock } from "../../host/clock.ts";
import type { Entry } from "../../core/record/event.ts";
import type { Feed } from "../feed.ts";
import type { Subscription } from "../journal.ts";
import type { OnWarning } from "../warnings.ts";

export interface ChangeWatcher {
  /** Starts watching, or keeps watching closely because something has happened. */
  lookClosely(): void;
  stop(): void;
}

export const POLL_MS = 50;
export const QUIET_POLLS = 20;

interface Store {
  /** The log of the store, which every commit writes to. */
  readonly logPath: string;
  /** True once for every time that others have committed since it was last asked. */
  readonly hasChanged: () => boolean;
}

/** Subscribes to the writes of all processes; other processes are watched while there are subscribers. */
export function subscribeToAll(
  feed: Feed,
  others: ChangeWatcher,
  listener: (entry: Entry) => void,
  from: Subscription,
): () => void {
  const takeBack = feed.subscribe(listener, from);
  others.lookClosely();
  return () => {
    takeBack();
    if (feed.isEmpty()) others.stop();
  };
}

export function watchChanges(
  { logPath, hasChanged }: Store,
  clock: Clock,
  tell: OnWarning,
  onChange: () => void,
): ChangeWatcher {
  let isOn = false;
  let quietPolls = 0;
  let takeBack: (() => void) | null = null;
  let watcher: FSWatcher | null = null;
  /** The operating system cannot watch the file: the store is polled while there are subscribers. */
  let isWatchable = true;

  function look(): boolean {
    try {
      if (!hasChanged()) return false;
    } catch (error) {
      tell(classify({ surface: "store", error }), "looking for entries of other processes");
      return false;
    }
    onChange();
    return true;
  }

  function poll(): void {
    takeBack = null;
    quietPolls = look() ? 0 : quietPolls + 1;
    // The listener may have called `stop` or `lookClosely`.
    if (isOn && isIdle()) goOn();
  }

  function isIdle(): boolean {
    return takeBack === null;
  }

  function goOn(): void {
    if (quietPolls < QUIET_POLLS || !isWatchable || !startWatching()) takeBack = clock.after(POLL_MS, poll);
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
    tell(
      classify({ surface: "store", error }),
      "watching the journal's file; it is polled every few milliseconds instead, which keeps this process alive while there are subscribers",
    );
  }

  function lookClosely(): void {
    isOn = true;
    quietPolls = 0;
    watcher?.close();
    watcher = null;
    takeBack ??= clock.after(POLL_MS, poll);
  }

  return {
    lookClosely,
    stop() {
      isOn = false;
      takeBack?.();
      takeBack = null;
      watcher?.close();
      watcher = null;
    },
  };
}
