// Calls listeners with the kept values that other processes have written. It compares checksums, so it finds changes whatever the clock
// says, and does not read values that have not changed. With a source that answers at once, all of it happens at once.

import { classify } from "../core/classify/classify.ts";
import type { KeepKind, KeptListener } from "./journal.ts";
import type { OnWarning } from "./warnings.ts";

export interface KeptWatch {
  add(kinds: readonly KeepKind[], listener: KeptListener): () => void;
  /** Other processes have written, perhaps only values of these kinds: calls the listeners for what they changed. */
  wake(kinds?: ReadonlySet<KeepKind> | null): void;
  /** Resolves when the values that were there at the last `add` are known. */
  ready(): Promise<unknown>;
  isEmpty(): boolean;
  close(): void;
}

type Soon<T> = T | Promise<T>;

export interface KeptSource {
  /** The checksum of each value of a kind. */
  checksums(kind: KeepKind): Soon<readonly { readonly key: string; readonly hash: string }[]>;
  kept(kind: KeepKind, key: string): Soon<unknown>;
}

interface Watcher {
  readonly listener: KeptListener;
  readonly known: ReadonlyMap<KeepKind, Known>;
}

interface Known {
  /** The checksums that were last seen, by key. */
  readonly hashes: Map<string, string>;
  /** A look is under way, and whether another one has to follow: writes that come together are found together. */
  look: "none" | "under-way" | "again";
}

export function createKeptWatch(source: KeptSource, warn: OnWarning): KeptWatch {
  const watchers = new Set<Watcher>();
  let baseline: Promise<unknown> = Promise.resolve();

  /** Finds the keys whose value is another one than when this was last called. */
  function takeChanged(kind: KeepKind, known: Map<string, string>): Soon<readonly string[]> {
    return when(source.checksums(kind), (rows) => {
      const changed = rows.filter(({ key, hash }) => known.get(key) !== hash);
      for (const { key, hash } of changed) known.set(key, hash);
      return changed.map(({ key }) => key);
    });
  }

  function deliver(watcher: Watcher, kind: KeepKind, key: string, hashes: Map<string, string>): void {
    const read = (): Soon<unknown> =>
      when(source.kept(kind, key), (value) => {
        if (value !== null && watchers.has(watcher)) watcher.listener(kind, key, value);
      });
    // A value that could not be read is found again by the next look.
    const failed = (): unknown => hashes.delete(key);
    safely(watcher, `reading the ${kind} that another process kept under ${key}`, read, failed);
  }

  function look(watcher: Watcher, kind: KeepKind, known: Known): void {
    if (known.look !== "none") return void (known.look = "again");
    known.look = "under-way";
    const over = (): void => {
      const isAgain = known.look === "again";
      known.look = "none";
      if (isAgain && watchers.has(watcher)) look(watcher, kind, known);
    };
    const find = (): Soon<unknown> =>
      when(takeChanged(kind, known.hashes), (keys) => {
        for (const key of keys) deliver(watcher, kind, key, known.hashes);
        over();
      });
    safely(watcher, "looking for values that other processes keep", find, over);
  }

  /** A watcher that is gone gets no more calls: its journal may be closed. */
  function safely(watcher: Watcher, what: string, work: () => Soon<unknown>, failed: () => unknown): void {
    const suppress = (error: unknown): void => {
      failed();
      if (watchers.has(watcher)) warn(classify({ surface: "store", error }), what);
    };
    try {
      const done = work();
      if (done instanceof Promise) done.catch(suppress);
    } catch (error) {
      suppress(error);
    }
  }

  return {
    add(kinds, listener) {
      const known = new Map(
        kinds.map((kind): [KeepKind, Known] => [kind, { hashes: new Map<string, string>(), look: "none" }]),
      );
      const watcher = { listener, known };
      const seen = Array.from(known, ([kind, { hashes }]) => takeChanged(kind, hashes));
      baseline = Promise.allSettled([baseline, ...seen]);
      watchers.add(watcher);
      return () => void watchers.delete(watcher);
    },
    wake(kinds = null) {
      for (const watcher of watchers)
        for (const [kind, known] of watcher.known) if (kinds === null || kinds.has(kind)) look(watcher, kind, known);
    },
    ready: () => baseline,
    isEmpty: () => watchers.size === 0,
    close: () => watchers.clear(),
  };
}

/** Passes an answer on: at once if it is there, otherwise when it arrives. */
function when<T, R>(answer: Soon<T>, use: (answer: T) => R): Soon<R> {
  return answer instanceof Promise ? answer.then(use) : use(answer);
}
