// Calls back some time after files in some folders have changed. Editors write a file in several steps, and a copy of many files
// takes a moment: a change counts when nothing more has happened for a while.

import { watch, type FSWatcher } from "node:fs";
import { classify } from "../../core/classify/classify.ts";
import { afterIdle, type Clock } from "../../host/clock.ts";
import { warn } from "../../journal/warnings.ts";

const SETTLE_MS = 80;
/** Folders that cannot be watched are read this often. */
const POLL_MS = 1_000;

export interface FolderWatch {
  /** Watches these folders and no others; true when one of them was not watched before. */
  follow(folders: readonly string[]): boolean;
  /** Something has changed. */
  changed(): void;
  close(): void;
}

const READING = "reading the workflow folder; it is read again when it changes";

/** When `onChange` fails, the warning names `what`. */
export function watchFolders(clock: Clock, onChange: () => Promise<unknown>, what = READING): FolderWatch {
  const watchers = new Map<string, FSWatcher | null>();
  let disarm: (() => void) | null = null;
  let disarmPoll: (() => void) | null = null;
  let isClosed = false;

  function changed(): void {
    if (isClosed) return;
    disarm?.();
    disarm = clock.after(SETTLE_MS, () => {
      disarm = null;
      onChange().catch((error: unknown) => warn(classify({ surface: "store", error }), what));
    });
  }

  /** The folder cannot be watched, or no longer. */
  function poll(folder: string): void {
    watchers.get(folder)?.close();
    watchers.set(folder, null);
    disarmPoll ??= afterIdle(POLL_MS, () => {
      disarmPoll = null;
      if (isClosed || ![...watchers.values()].includes(null)) return;
      changed();
      poll(folder);
    });
  }

  function start(folder: string): void {
    try {
      const watcher = watch(folder, { persistent: false }, changed);
      watcher.on("error", (error) => {
        warn(classify({ surface: "store", error }), `watching ${folder}; it is read every second instead`);
        poll(folder);
      });
      watchers.set(folder, watcher);
    } catch (error) {
      warn(classify({ surface: "store", error }), `watching ${folder}; it is read every second instead`);
      poll(folder);
    }
  }

  return {
    follow(folders) {
      const wanted = new Set(folders);
      for (const [folder, watcher] of watchers) {
        if (wanted.has(folder)) continue;
        watcher?.close();
        watchers.delete(folder);
      }
      const added = [...wanted].filter((folder) => !isClosed && !watchers.has(folder));
      for (const folder of added) start(folder);
      return added.length > 0;
    },
    changed,
    close() {
      isClosed = true;
      disarm?.();
      disarmPoll?.();
      for (const watcher of watchers.values()) watcher?.close();
      watchers.clear();
    },
  };
}
