// Writes of one turn of the event loop go to disk together: one transaction, one sync. Invariants:
// G1  a promise resolves after its transaction is committed, and never before.
// G2  writes take effect in the order they were asked for.
// G3  A refused write changes nothing and rejects alone; a failed transaction rejects all of its writes.

import { isFaultError } from "../../core/fault/fault.ts";
import type { Clock } from "../../host/clock.ts";
import type { BusyRetry } from "./busy-retry.ts";
import { isOfOneWrite, storeError } from "../store-errors.ts";

export interface Transaction {
  begin(): void;
  commit(): void;
  /** Undoes everything since `begin`; harmless when nothing is open. */
  rollback(): void;
}

export interface GroupCommit {
  /** `apply` runs inside a transaction, perhaps more than once. It may throw a FaultError as long as it has written nothing. */
  add<T>(apply: () => T): Promise<T>;
  /** Resolves when nothing is waiting to be written. */
  drained(): Promise<void>;
}

interface Write {
  readonly apply: () => unknown;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
}

type Result = { readonly value: unknown } | { readonly refused: unknown };

/** A transaction blocks the event loop while it runs, so its size is limited. */
const MAX_WRITES = 1000;

export function createGroupCommit(
  clock: Clock,
  busyRetry: BusyRetry,
  transaction: Transaction,
  onSettled: () => void,
): GroupCommit {
  let queue: Write[] = [];
  const onDrained: (() => void)[] = [];
  let isArmed = false;

  function arm(): void {
    isArmed = true;
    clock.soon(flush);
  }

  function flush(): void {
    const batch = queue.slice(0, MAX_WRITES);
    queue = queue.slice(MAX_WRITES);
    busyRetry(
      "writing to the journal",
      () => runBatch(transaction, batch),
      (results) => {
        batch.forEach((write, index) => settle(write, results[index]));
        settled();
      },
      (error) => {
        for (const { reject } of batch) reject(error);
        settled();
      },
    );
  }

  function settled(): void {
    isArmed = false;
    if (queue.length > 0) arm();
    else onDrained.splice(0).forEach((drained) => drained());
    onSettled();
  }

  return {
    add: <T>(apply: () => T) =>
      new Promise<T>((resolve, reject) => {
        queue.push({ apply, resolve: resolve as (value: unknown) => void, reject });
        if (!isArmed) arm();
      }),
    drained: () => (isArmed ? new Promise<void>((resolve) => void onDrained.push(resolve)) : Promise.resolve()),
  };
}

function settle({ resolve, reject }: Write, result: Result | undefined): void {
  if (result !== undefined && "value" in result) resolve(result.value);
  else reject(result?.refused);
}

/** Throws only when the transaction as a whole did not happen. */
function runBatch(transaction: Transaction, batch: readonly Write[]): readonly Result[] {
  /** Writes that SQLite itself refused: the transaction runs again without them. */
  const left = new Map<Write, Result>();
  for (;;) {
    const results = tryBatch(transaction, batch, left);
    if (results !== null) return results;
  }
}

function tryBatch(
  transaction: Transaction,
  batch: readonly Write[],
  left: Map<Write, Result>,
): readonly Result[] | null {
  const blame: { write: Write | null } = { write: null };
  try {
    transaction.begin();
    const results = batch.map((write) => {
      blame.write = write;
      return left.get(write) ?? applyOne(write);
    });
    blame.write = null;
    transaction.commit();
    return results;
  } catch (error) {
    transaction.rollback();
    if (blame.write === null || !isOfOneWrite(error)) throw error;
    left.set(blame.write, { refused: storeError(error) });
    return null;
  }
}

function applyOne({ apply }: Write): Result {
  try {
    return { value: apply() };
  } catch (error) {
    if (!isFaultError(error)) throw error;
    return { refused: error };
  }
}
