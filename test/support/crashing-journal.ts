// A journal whose process dies in the middle of its work. After a given number of appends, nothing more is written, as if the process had been
// killed. The underlying journal stays open, and the next process finds what was on disk by then.

import type { Journal } from "../../src/index.ts";
import { fault, FaultError } from "../../src/index.ts";

export interface CrashingJournal {
  readonly journal: Journal;
  /** Resolves when the process is gone. */
  readonly crashed: Promise<undefined>;
  readonly isGone: () => boolean;
  readonly appends: () => number;
}

/** `after`: how many appends reach the disk. `isTold`: whether the last one is acknowledged. */
export function crashingJournal(journal: Journal, after: number, isTold: boolean): CrashingJournal {
  let appends = 0;
  let isGone = false;
  const { promise, resolve } = Promise.withResolvers<undefined>();
  const crash = (): void => {
    isGone = true;
    resolve(undefined);
  };
  // A dead process gets no answers: its promises never settle.
  const alive = async <T>(work: () => Promise<T>): Promise<T> => {
    if (isGone) return new Promise<T>(() => undefined);
    return work();
  };
  return {
    journal: {
      ...journal,
      append: (session, last, entries, keeps) =>
        alive(async () => {
          if (appends >= after) {
            crash();
            return new Promise<void>(() => undefined);
          }
          appends += 1;
          await journal.append(session, last, entries, keeps);
          if (appends === after && !isTold) {
            crash();
            return new Promise<void>(() => undefined);
          }
        }),
      keep: (keeps) => alive(() => journal.keep(keeps)),
      keepFirst: (keep) => alive(() => journal.keepFirst(keep)),
      changeKept: (...args) => alive(() => journal.changeKept(...args)),
      hold: (key, owner, until, now) => alive(() => journal.hold(key, owner, until, now)),
      release: (key, owner) => alive(() => journal.release(key, owner)),
      kept: (kind, key) => alive(() => journal.kept(kind, key)),
      keptAll: (kind, under) => alive(() => journal.keptAll(kind, under)),
      keptByTime: (kind, query) => alive(() => journal.keptByTime(kind, query)),
    },
    crashed: promise,
    isGone: () => isGone,
    appends: () => appends,
  };
}

/** For a store that is away for a while: `isAway` says when. */
export function awayJournal(journal: Journal, isAway: () => boolean): Journal {
  const away =
    <Args extends readonly unknown[], T>(work: (...args: Args) => Promise<T>) =>
    async (...args: Args): Promise<T> => {
      if (isAway()) throw new FaultError(fault("StoreUnavailable", { message: "the disk is away" }));
      return work(...args);
    };
  return {
    ...journal,
    append: away((...args: Parameters<Journal["append"]>) => journal.append(...args)),
    keep: away((...args: Parameters<Journal["keep"]>) => journal.keep(...args)),
    keepFirst: away((...args: Parameters<Journal["keepFirst"]>) => journal.keepFirst(...args)),
    changeKept: away((...args: Parameters<Journal["changeKept"]>) => journal.changeKept(...args)),
    hold: away((...args: Parameters<Journal["hold"]>) => journal.hold(...args)),
    kept: away((...args: Parameters<Journal["kept"]>) => journal.kept(...args)),
    keptAll: away((...args: Parameters<Journal["keptAll"]>) => journal.keptAll(...args)),
    keptByTime: away((...args: Parameters<Journal["keptByTime"]>) => journal.keptByTime(...args)),
  };
}
