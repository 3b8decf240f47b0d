// Changes of kept values by functions: read, apply, replace if it is still what was read. Changes of one value that wait are applied together.

import { encodeChanged, type EncodedKeep } from "../encode.ts";
import type { KeepKind } from "../journal.ts";
import type { RemoteReads } from "./reads.ts";
import { loose, type RemoteWrites } from "./writes.ts";

interface Change {
  readonly change: (present: unknown) => unknown;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
}

export type ChangeKept = (kind: KeepKind, key: string, change: Change["change"]) => Promise<unknown>;

export function createKeptChanges(
  reads: Pick<RemoteReads, "keptWithHash">,
  writes: Pick<RemoteWrites, "add">,
): ChangeKept {
  const waiting = new Map<string, Change[]>();

  async function work(kind: KeepKind, key: string, queue: Change[]): Promise<void> {
    while (queue.length > 0) {
      const batch = queue.splice(0);
      try {
        await apply(kind, key, batch);
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    }
    waiting.delete(`${kind} ${key}`);
  }

  async function apply(kind: KeepKind, key: string, batch: readonly Change[]): Promise<void> {
    for (;;) {
      const there = await reads.keptWithHash(kind, key);
      const done = applyAll(kind, key, there?.value ?? null, batch);
      const isDone = done.encoded === null || (await writes.add(loose([done.encoded], there?.hash ?? "")));
      if (!isDone) continue;
      done.settle.forEach((settle) => settle());
      return;
    }
  }

  return (kind, key, change) =>
    new Promise((resolve, reject) => {
      const queue = waiting.get(`${kind} ${key}`);
      if (queue !== undefined) return void queue.push({ change, resolve, reject });
      const begun = [{ change, resolve, reject }];
      waiting.set(`${kind} ${key}`, begun);
      void work(kind, key, begun);
    });
}

/** One after the other; one that fails changes nothing. */
function applyAll(
  kind: KeepKind,
  key: string,
  there: unknown,
  batch: readonly Change[],
): { readonly encoded: EncodedKeep | null; readonly settle: readonly (() => void)[] } {
  let present = there;
  let last: EncodedKeep | null = null;
  const settle = batch.map(({ change, resolve, reject }) => {
    try {
      const { value, encoded } = encodeChanged(kind, key, present, change);
      present = value;
      last = encoded ?? last;
      return () => resolve(value);
    } catch (error) {
      return () => reject(error);
    }
  });
  return { encoded: last, settle };
}
