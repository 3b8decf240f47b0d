// Tells listeners which kept values other processes have written. A value is known by its checksum, so a change is found whatever the
// clock says, and nothing is read of values that are as they were.

import { classify } from "../../core/classify/classify.ts";
import type { KeepKind, KeptListener } from "../journal.ts";
import type { OnWarning } from "../warnings.ts";

export interface KeptWatch {
  add(kinds: readonly KeepKind[], listener: KeptListener): () => void;
  /** Other processes have written: calls the listeners for what they changed. */
  wake(): void;
  isEmpty(): boolean;
  close(): void;
}

export interface KeptSource {
  /** The checksum of each value of a kind. */
  checksums(kind: KeepKind): readonly { readonly key: string; readonly hash: string }[];
  kept(kind: KeepKind, key: string): unknown;
}

interface Watcher {
  readonly listener: KeptListener;
  /** The checksums that were last seen, per kind and key. */
  readonly known: ReadonlyMap<KeepKind, Map<string, string>>;
}

export function createKeptWatch(source: KeptSource, tell: OnWarning): KeptWatch {
  const watchers = new Set<Watcher>();

  /** Returns the keys whose value is another one than when this was last called. */
  function takeChanged(kind: KeepKind, known: Map<string, string>): readonly string[] {
    const changed: string[] = [];
    for (const { key, hash } of source.checksums(kind)) {
      if (known.get(key) === hash) continue;
      known.set(key, hash);
      changed.push(key);
    }
    return changed;
  }

  function serve({ listener, known }: Watcher): void {
    for (const [kind, hashes] of known) {
      for (const key of takeChanged(kind, hashes)) {
        try {
          const value = source.kept(kind, key);
          if (value !== null) listener(kind, key, value);
        } catch (error) {
          tell(classify({ surface: "store", error }), `taking over the ${kind} that another process kept under ${key}`);
        }
      }
    }
  }

  return {
    add(kinds, listener) {
      const known = new Map(kinds.map((kind) => [kind, new Map<string, string>()]));
      for (const [kind, hashes] of known) takeChanged(kind, hashes);
      const watcher = { listener, known };
      watchers.add(watcher);
      return () => void watchers.delete(watcher);
    },
    wake() {
      for (const watcher of watchers) {
        try {
          serve(watcher);
        } catch (error) {
          tell(classify({ surface: "store", error }), "looking for values that other processes keep");
        }
      }
    },
    isEmpty: () => watchers.size === 0,
    close: () => watchers.clear(),
  };
}
