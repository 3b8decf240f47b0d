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
  /** The checksums that were last seen, per kind and key. */
  readonly known: ReadonlyMap<KeepKind, Map<string, string>>;
}

export function createKeptWatch(source: KeptSource, tell: OnWarning): KeptWatch {
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

  function deliver(watcher: Watcher, kind: KeepKind, key: string): void {
    safely(`reading the ${kind} that another process kept under ${key}`, () =>
      when(source.kept(kind, key), (value) => {
        if (value !== null && watchers.has(watcher)) watcher.listener(kind, key, value);
      }),
    );
  }

  function safely(what: string, work: () => Soon<unknown>): void {
    const suppress = (error: unknown): void => tell(classify({ surface: "store", error }), what);
    try {
      const done = work();
      if (done instanceof Promise) done.catch(suppress);
    } catch (error) {
      suppress(error);
    }
  }

  return {
    add(kinds, listener) {
      const known = new Map(kinds.map((kind) => [kind, new Map<string, string>()]));
      const watcher = { listener, known };
      const seen = Array.from(known, ([kind, hashes]) => takeChanged(kind, hashes));
      baseline = Promise.allSettled([baseline, ...seen]);
      watchers.add(watcher);
      return () => void watchers.delete(watcher);
    },
    wake(kinds = null) {
      for (const watcher of watchers) {
        for (const [kind, hashes] of watcher.known) {
          if (kinds !== null && !kinds.has(kind)) continue;
          safely("looking for values that other processes keep", () =>
            when(takeChanged(kind, hashes), (keys) => {
              for (const key of keys) deliver(watcher, kind, key);
            }),
          );
        }
      }
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
