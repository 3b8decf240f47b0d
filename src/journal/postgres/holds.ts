// Claims on keys, sent together. Times of a hold are the server's: a process whose clock is wrong takes nothing too early.

import { systemClock, type Clock } from "../../host/clock.ts";
import { checkHold, checkInstant } from "../encode.ts";
import type { Hold, Journal } from "../journal.ts";
import type { Database } from "./database.ts";
import { postgresError } from "./postgres-errors.ts";

export interface PostgresHolds extends Pick<Journal, "hold" | "letGo" | "takeFrom" | "holds"> {
  removeRunOut(before: number): Promise<void>;
  drained(): Promise<void>;
}

interface Claim {
  readonly act: "hold" | "let-go" | "take-from";
  readonly key: string;
  readonly owner: string;
  readonly until: number;
  readonly now: number;
  readonly from: string;
}

interface Waiting extends Claim {
  readonly resolve: (hold: Hold) => void;
  readonly reject: (error: Error) => void;
}

interface Answer {
  readonly n: number;
  readonly granted: boolean;
  readonly owner: string | null;
  readonly until: number | null;
}

/** Clocks that differ by less are taken for the same: a hold lasts much longer. */
const SAME_CLOCK_MS = 1_000;

/** How far the server's clock is ahead of this process's. A clock that a program brought is its own time: it is not compared. */
export async function clockOffset(db: Database, clock: Clock): Promise<number> {
  if (clock !== systemClock) return 0;
  const sentAt = clock.now();
  const [row] = await db.ask<{ readonly now: number }>(
    "SELECT extract(epoch FROM clock_timestamp())::float8 * 1000 AS now",
  );
  const offset = Math.round((row?.now ?? sentAt) - (sentAt + clock.now()) / 2);
  return Math.abs(offset) < SAME_CLOCK_MS ? 0 : offset;
}

const CLAIM = "SELECT n, granted, owner, until FROM @.claim_1($1, $2, $3, $4, $5, $6)";

export function createPostgresHolds(db: Database, offsetMs: number): PostgresHolds {
  let queue: Waiting[] = [];
  let working: Promise<void> | null = null;

  function add(claim: Claim): Promise<Hold> {
    return new Promise((resolve, reject) => {
      queue.push({ ...claim, resolve, reject });
      working ??= new Promise<void>((done) => systemClock.soon(done)).then(work);
    });
  }

  async function work(): Promise<void> {
    while (queue.length > 0) {
      const batch = queue;
      queue = [];
      try {
        const answers = await db.ask<Answer>(CLAIM, [
          batch.map(({ act }) => act),
          batch.map(({ key }) => key),
          batch.map(({ owner }) => owner),
          batch.map(({ until }) => until + offsetMs),
          batch.map(({ now }) => now + offsetMs),
          batch.map(({ from }) => from),
        ]);
        for (const { n, granted, owner, until } of answers)
          batch[n - 1]?.resolve({ granted, owner: owner ?? "", until: (until ?? 0) - offsetMs });
      } catch (error) {
        for (const { reject } of batch) reject(postgresError(error, db.address.secrets));
      }
    }
    working = null;
  }

  return {
    async hold(key, owner, until, now) {
      checkHold(key, owner);
      checkInstant(until, "The end of a hold");
      checkInstant(now, "The time a hold is asked for");
      return add({ act: "hold", key, owner, until, now, from: "" });
    },
    async letGo(key, owner) {
      checkHold(key, owner);
      return (await add({ act: "let-go", key, owner, until: 0, now: 0, from: "" })).granted;
    },
    async takeFrom(key, from, owner, until) {
      checkHold(key, owner);
      checkHold(key, from);
      checkInstant(until, "The end of a hold");
      return add({ act: "take-from", key, owner, until, now: 0, from });
    },
    async holds() {
      const rows = await db.ask<{ readonly key: string; readonly owner: string; readonly until: number }>(
        "SELECT key, owner, until FROM @.holds ORDER BY key",
      );
      return rows.map(({ key, owner, until }) => ({ key, granted: true, owner, until: until - offsetMs }));
    },
    async removeRunOut(before) {
      await db.ask("DELETE FROM @.holds WHERE until < $1", [before + offsetMs]);
    },
    drained: () => working ?? Promise.resolve(),
  };
}
