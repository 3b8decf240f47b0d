// Changes of kept values by functions: read, apply, replace if it is still what was read. Changes of one value that wait are applied together.
// A value that another process changed meanwhile is a hot one: for a while, processes that change it take turns by a lock of the server.
// Without turns, most of what 32 processes read is old when they write, and some of them never get through.

import { steadyNow, systemClock } from "../../host/clock.ts";
import { Slots } from "../../host/slots.ts";
import { encodeChanged, type EncodedKeep } from "../encode.ts";
import type { KeepKind } from "../journal.ts";
import type { Database } from "./database.ts";
import type { RemoteReads } from "./reads.ts";
import { loose, type RemoteWrites } from "./writes.ts";

interface Change {
  readonly change: (present: unknown) => unknown;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
}

export type ChangeKept = (kind: KeepKind, key: string, change: Change["change"]) => Promise<unknown>;

/** A value stays hot for this long after processes met at it. */
const HOT_MS = 10_000;
/** A process that stands still in its turn holds the others up no longer than this. */
const TAKE_TURN =
  "SELECT set_config('lock_timeout', '2000', true), pg_advisory_xact_lock(hashtextextended($1, 1))::text";
/** Connections that turns leave to everything else of this process. */
const LEFT_CONNECTIONS = 3;

export function createKeptChanges(
  db: Pick<Database, "transaction" | "address">,
  reads: Pick<RemoteReads, "keptWithHash">,
  writes: Pick<RemoteWrites, "add">,
): ChangeKept {
  const waiting = new Map<string, Change[]>();
  /** Until when each value is hot, in steady time. */
  const hot = new Map<string, number>();
  const most = db.address.maxConnections - LEFT_CONNECTIONS;
  const turns = most > 0 ? new Slots(most) : null;

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
    const name = `${kind} ${key}`;
    if ((hot.get(name) ?? 0) < steadyNow(systemClock)) {
      hot.delete(name);
      if (await tryOnce(kind, key, batch)) return;
      hot.set(name, steadyNow(systemClock) + HOT_MS);
    }
    await inTurn(name, async () => {
      while (!(await tryOnce(kind, key, batch)));
    });
  }

  /** False when another process changed the value meanwhile: nothing was done. */
  async function tryOnce(kind: KeepKind, key: string, batch: readonly Change[]): Promise<boolean> {
    const there = await reads.keptWithHash(kind, key);
    const done = applyAll(kind, key, there?.value ?? null, batch);
    const isDone = done.encoded === null || (await writes.add(loose([done.encoded], there?.hash ?? "")));
    if (isDone) done.settle.forEach((settle) => settle());
    return isDone;
  }

  /** Taking turns is only a courtesy: the write itself detects what changed, so work continues without the lock if it is not available. */
  async function inTurn(name: string, work: () => Promise<void>): Promise<void> {
    if (turns === null) return work();
    const once = { work: null as Promise<void> | null };
    const begin = (): Promise<void> => (once.work ??= work());
    const lock = turns.run(() =>
      db.transaction("", async (ask) => {
        await ask(TAKE_TURN, [`faultline ${db.address.schema} ${name}`]);
        await begin();
      }),
    );
    await Promise.allSettled([lock]);
    await begin();
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
