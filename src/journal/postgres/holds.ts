// Claims on keys, sent together. Times of a hold are the server's: a process whose clock is wrong takes nothing too early.

import { systemClock, type Clock } from "../../host/clock.ts";
import { checkHold, checkInstant } from "../encode.ts";
import type { Hold, Journal } from "../journal.ts";
import type { Database } from "./database.ts";
import { postgresError } from "./postgres-errors.ts";

export interface PostgresHolds extends Pick<Journal, "hold" | "release" | "takeFrom" | "holds"> {
  removeExpired(before: number): Promise<void>;
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
  /** By the server's clock. */
  readonly now: number;
}

/** Clocks that differ by less are taken for the same: a hold lasts much longer. */
const SAME_CLOCK_MS = 1_000;
const SERVER_NOW = "extract(epoch FROM clock_timestamp())::float8 * 1000";

/** How far the server's clock is ahead of this process's, measured with every answer and corrected when this process's clock is set. */
export interface ServerTime {
  offsetMs(): number;
  measure(sentAt: number, serverNow: number): void;
}

/** A clock that a program brought is its own time: it is not compared. */
export async function serverTime(db: Database, clock: Clock): Promise<ServerTime> {
  if (clock !== systemClock) return { offsetMs: () => 0, measure: () => undefined };
  let measured = { offsetMs: 0, shiftMs: 0 };
  const time: ServerTime = {
    offsetMs() {
      // Asking for the time notices that the clock was set.
      clock.now();
      const offsetMs = Math.round(measured.offsetMs + measured.shiftMs - clock.shiftMs);
      return Math.abs(offsetMs) < SAME_CLOCK_MS ? 0 : offsetMs;
    },
    measure(sentAt, serverNow) {
      const now = clock.now();
      // An answer that took long says little about the time it was given.
      if (Math.abs(now - sentAt) < SAME_CLOCK_MS)
        measured = { offsetMs: serverNow - (sentAt + now) / 2, shiftMs: clock.shiftMs };
    },
  };
  const sentAt = clock.now();
  const [row] = await db.ask<{ readonly now: number }>(`SELECT ${SERVER_NOW} AS now`);
  time.measure(sentAt, row?.now ?? sentAt);
  return time;
}

const CLAIM = `SELECT n, granted, owner, until, ${SERVER_NOW} AS now FROM @.claim_1($1, $2, $3, $4, $5, $6)`;

export function createPostgresHolds(db: Database, time: ServerTime): PostgresHolds {
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
      const offsetMs = time.offsetMs();
      const sentAt = systemClock.now();
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
        const [answer] = answers;
        if (answer !== undefined) time.measure(sentAt, answer.now);
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
    async release(key, owner) {
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
      const offsetMs = time.offsetMs();
      return rows.map(({ key, owner, until }) => ({ key, granted: true, owner, until: until - offsetMs }));
    },
    async removeExpired(before) {
      await db.ask("DELETE FROM @.holds WHERE until < $1", [before + time.offsetMs()]);
    },
    drained: () => working ?? Promise.resolve(),
  };
}
