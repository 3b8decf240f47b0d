// Keys of the page. A component says which keys it takes while it is there; `?` lists them all.

import { useEffect, useRef, useSyncExternalStore } from "react";

export interface Key {
  /** One key such as `j`, or two in a row such as `g r`. As `KeyboardEvent.key` names them. */
  readonly keys: string;
  /** What it does, for the list of keys. */
  readonly says: string;
  readonly does: () => void;
}

const FOLLOWS_WITHIN_MS = 1_200;
const groups = new Map<symbol, readonly Key[]>();
const watchers = new Set<() => void>();
let all: readonly Key[] = [];

/** Takes keys while the component is there. Of two components that take the same key, the newer one gets it. */
export function useKeys(keys: readonly Key[]): void {
  const latest = useRef(keys);
  latest.current = keys;
  const names = keys.map(({ keys: name, says }) => `${name}\0${says}`).join("\n");
  useEffect(() => {
    const group = Symbol("keys");
    groups.set(
      group,
      latest.current.map(({ keys: name, says }, index) => ({
        ...{ keys: name, says },
        does: () => latest.current[index]?.does(),
      })),
    );
    changed();
    return () => {
      groups.delete(group);
      changed();
    };
  }, [names]);
}

/** All keys that do something now. */
export function useAllKeys(): readonly Key[] {
  return useSyncExternalStore(
    (watcher) => {
      watchers.add(watcher);
      return () => void watchers.delete(watcher);
    },
    () => all,
  );
}

function changed(): void {
  const newest = new Map([...groups.values()].flat().map((key) => [key.keys, key]));
  all = [...newest.values()];
  for (const watcher of watchers) watcher();
}

let before = "";
let beforeAt = 0;

/** Listens once for the whole page. */
export function listenToKeys(): void {
  document.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || belongsTo(event)) return;
    const pair = event.timeStamp - beforeAt < FOLLOWS_WITHIN_MS ? `${before} ${event.key}` : "";
    const key = all.find(({ keys }) => keys === pair) ?? all.find(({ keys }) => keys === event.key);
    [before, beforeAt] = [event.key, event.timeStamp];
    if (key === undefined) return;
    event.preventDefault();
    before = "";
    key.does();
  });
}

/** Letters belong to the field with the cursor, and to an open dialog or menu; Enter and Space to the button or link with the focus. */
function belongsTo({ target, key }: KeyboardEvent): boolean {
  if (!(target instanceof Element)) return false;
  if (key === "Enter" || key === " ") {
    if (target.closest("a[href], button, summary, [role=button], [role=tab]") !== null) return true;
  }
  const isEdited = target instanceof HTMLElement && target.isContentEditable;
  return isEdited || target.closest("input, textarea, select, [role=dialog], [role=menu]") !== null;
}
