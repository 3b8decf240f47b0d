// Leases on keys: which process may advance which run. One set of rules for every table of holds. Invariants:
// H1  a key has one owner or none; another one gets it only when its time has run out, or from exactly the owner it names.
// H2  A repeated claim is granted again, so that a process that lost the first answer may ask again.
// H3  A claim reads and writes in one step: the caller runs it inside one transaction.

import { checkHold, checkInstant, compareKeys } from "./encode.ts";
import type { Hold } from "./journal.ts";

/** Where holds stand. */
export interface HoldTable {
  find(key: string): Held | undefined;
  put(key: string, held: Held): void;
  remove(key: string): void;
  /** Holds that expired before this moment. */
  removeExpired(before: number): void;
  /** By key. */
  all(): readonly (Held & { readonly key: string })[];
}

export interface Held {
  readonly owner: string;
  readonly until: number;
}

/** A claim is checked when it is made; the function it gives is to be run inside a transaction, perhaps more than once. */
export interface Holds {
  hold(key: string, owner: string, until: number, now: number): () => Hold;
  release(key: string, owner: string): () => boolean;
  takeFrom(key: string, from: string, owner: string, until: number): () => Hold;
  removeExpired(before: number): void;
  all(): readonly (Hold & { readonly key: string })[];
}

export function createHolds(table: HoldTable): Holds {
  function claim(key: string, mine: Held, isFree: (theirs: Held) => boolean): Hold {
    const there = table.find(key);
    if (there !== undefined && there.owner !== mine.owner && !isFree(there)) return { granted: false, ...there };
    table.put(key, mine);
    return { granted: true, ...mine };
  }

  return {
    hold(key, owner, until, now) {
      checkHold(key, owner);
      checkInstant(until, "The end of a hold");
      checkInstant(now, "The time a hold is asked for");
      return () => claim(key, { owner, until }, (theirs) => theirs.until <= now);
    },
    release(key, owner) {
      checkHold(key, owner);
      return () => {
        if (table.find(key)?.owner !== owner) return false;
        table.remove(key);
        return true;
      };
    },
    takeFrom(key, from, owner, until) {
      checkHold(key, owner);
      checkHold(key, from);
      checkInstant(until, "The end of a hold");
      return () => claim(key, { owner, until }, (theirs) => theirs.owner === from);
    },
    removeExpired: (before) => table.removeExpired(before),
    all: () => table.all().map(({ key, owner, until }) => ({ key, granted: true, owner, until })),
  };
}

export function createMemoryHoldTable(): HoldTable {
  const held = new Map<string, Held>();
  return {
    find: (key) => held.get(key),
    put: (key, mine) => void held.set(key, mine),
    remove: (key) => void held.delete(key),
    removeExpired(before) {
      for (const [key, { until }] of held) if (until < before) held.delete(key);
    },
    all: () => Array.from(held, ([key, one]) => ({ key, ...one })).sort((a, b) => compareKeys(a.key, b.key)),
  };
}
