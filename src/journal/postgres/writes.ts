// Sends writes to the server: those that come while one is under way go together with the next, in one transaction. Holds these:
// G1  A promise resolves after its transaction is committed, and never before.
// G2  Writes take effect in the order they were asked for.
// G3  A refused write changes nothing and rejects alone; a failed transaction rejects all of its writes.
// G4  A write whose answer was lost with the connection is sent again with the same number, and done once.

import { systemClock } from "../../host/clock.ts";
import type { KeepKind } from "../journal.ts";
import { refusal } from "../journal-faults.ts";
import type { Database, Value } from "./database.ts";
import { isOfOneWrite, isStale, postgresError } from "./postgres-errors.ts";
import { ROW_TYPES, rowArray, type RowTypeName } from "./row-bytes.ts";
import {
  type Head,
  planWrites,
  sessionsOf,
  type Write,
  type WriteCall,
  type WritePlan,
  type WrittenEntry,
} from "./write-plan.ts";

export interface Committed {
  /** The position before the first entry. */
  readonly base: number;
  readonly entries: readonly WrittenEntry[];
}

export interface RemoteWrites {
  /** True when it was written; false when what it was to replace was not there. */
  add(write: Write): Promise<boolean>;
  /** Writes that are asked for from now on wait for this. */
  holdBack(until: Promise<unknown>): void;
  forget(session: string): void;
  drained(): Promise<void>;
}

interface Waiting {
  readonly write: Write;
  readonly resolve: (isWritten: boolean) => void;
  readonly reject: (error: Error) => void;
}

interface Written {
  readonly base: number;
  readonly lost: readonly number[];
}

/** A transaction has an end, so that others get their turn. */
const MAX_WRITES = 500;
const MAX_HEADS = 10_000;
/** How often a write is tried again after another process wrote first. After that the caller has to decide again. */
const MAX_PLANS = 20;

const CALL = "SELECT base, lost FROM @.write_3($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)";
const TYPES = `SELECT ${Object.entries(ROW_TYPES)
  .map(([name, type]) => `'@.${type.name}'::regtype::oid::integer AS ${name}`)
  .join(", ")}`;
type TypeIds = Readonly<Record<RowTypeName, number>>;
const HEADS = `SELECT session, number, status, started_at AS "startedAt", updated_at AS "updatedAt", last_seq AS "lastSeq", last_hash AS "lastHash"
  FROM @.sessions WHERE session = ANY ($1)`;

export interface WriterSettings {
  /** Names this process among the writers of a journal. */
  readonly origin: string;
  readonly channel: string;
  readonly now: () => number;
  /** Called before the promises of the writes resolve. */
  readonly onCommitted: (committed: Committed) => void;
}

export function createWrites(db: Database, { origin, channel, now, onCommitted }: WriterSettings): RemoteWrites {
  const heads = new Map<string, Head>();
  const onDrained: (() => void)[] = [];
  let queue: Waiting[] = [];
  let gate: Promise<unknown> = Promise.resolve();
  let isBusy = false;
  let calls = 0;
  let typeIds: TypeIds | null = null;

  function arm(): void {
    isBusy = true;
    systemClock.soon(() => void work());
  }

  async function work(): Promise<void> {
    while (queue.length > 0) {
      await gate;
      const batch = queue.slice(0, MAX_WRITES);
      queue = queue.slice(MAX_WRITES);
      await settle(batch);
    }
    isBusy = false;
    onDrained.splice(0).forEach((drained) => drained());
  }

  async function settle(batch: readonly Waiting[]): Promise<void> {
    let left = batch;
    try {
      while (left.length > 0) left = left.slice(await commit(left));
    } catch (error) {
      if (isOfOneWrite(error) && left.length > 1) {
        for (const one of left) await settle([one]);
        return;
      }
      for (const { write, reject } of left) {
        for (const session of sessionsOf(write)) heads.delete(session);
        reject(postgresError(error, db.address.secrets));
      }
    }
  }

  /** Writes as many of these as go together; returns how many that were. */
  async function commit(batch: readonly Waiting[]): Promise<number> {
    const writes = batch.map(({ write }) => write);
    const read = new Map<string, Head | null>();
    for (let plans = 0; plans < MAX_PLANS; plans++) {
      const plan = planWrites(writes, { remembered: heads, read });
      if (plan.unknown.length > 0) {
        await look(plan.unknown, read);
        continue;
      }
      const written = plan.refused.size === plan.taken ? NOTHING_WRITTEN : await send(plan);
      if (written !== null) {
        report(plan, written, batch);
        return plan.taken;
      }
      await look(Array.from(new Set(writes.slice(0, plan.taken).flatMap(sessionsOf))), read);
    }
    throw refusal("StoreUnavailable", "Other processes keep writing to the same sessions. Try again.");
  }

  async function look(sessions: readonly string[], read: Map<string, Head | null>): Promise<void> {
    const rows = await db.ask<Head & { readonly session: string }>(HEADS, [sessions]);
    for (const session of sessions) read.set(session, null);
    for (const { session, ...head } of rows) read.set(session, head);
  }

  /** null when another process has written to one of these sessions: then nothing was written. */
  async function send({ call, kinds }: WritePlan): Promise<Written | null> {
    const notice = `${origin} ${Array.from(kinds).join(",")}`;
    try {
      typeIds ??= await readTypeIds(db);
      const asked = [origin, ++calls, channel, notice, now(), ...argumentsOf(call, typeIds)];
      const [written] = await db.askAlone<Written>(CALL, asked);
      if (written === undefined) throw new Error("the server did not say what it has written");
      return written;
    } catch (error) {
      if (isStale(error)) return null;
      throw error;
    }
  }

  function report(plan: WritePlan, { base, lost }: Written, batch: readonly Waiting[]): void {
    remember(plan, base);
    const withoutEffect = new Set(lost.map((row) => plan.conditions.get(row)));
    onCommitted({ base, entries: plan.entries });
    batch.slice(0, plan.taken).forEach(({ resolve, reject }, place) => {
      const error = plan.refused.get(place);
      if (error === undefined) resolve(!withoutEffect.has(place));
      else reject(error);
    });
  }

  function remember(plan: WritePlan, base: number): void {
    if (heads.size + plan.heads.size > MAX_HEADS) heads.clear();
    for (const [session, head] of plan.heads)
      heads.set(session, head.number > 0 ? head : { ...head, number: base - head.number });
  }

  return {
    add: (write) =>
      new Promise((resolve, reject) => {
        queue.push({ write, resolve, reject });
        if (!isBusy) arm();
      }),
    holdBack(until) {
      gate = Promise.allSettled([gate, until]);
    },
    forget: (session) => void heads.delete(session),
    drained: () => (isBusy ? new Promise<void>((resolve) => void onDrained.push(resolve)) : Promise.resolve()),
  };
}

const NOTHING_WRITTEN: Written = { base: 0, lost: [] };

async function readTypeIds(db: Database): Promise<TypeIds> {
  const [ids] = await db.ask<TypeIds>(TYPES);
  if (ids === undefined) throw new Error("the server did not say what it calls its types");
  return ids;
}

function argumentsOf({ rows, absent, ...call }: WriteCall, ids: TypeIds): readonly Value[] {
  const array = (name: RowTypeName): Buffer | null => rowArray(ROW_TYPES[name], ids[name], rows[name]);
  return [
    ...[array("moved"), array("begun"), absent.length > 0 ? absent : null, array("entry"), array("keep")],
    call.hasTagged ? JSON.stringify(call.tags) : null,
    ...[call.runs, call.marks].map((marks) => (marks.length > 0 ? JSON.stringify(marks) : null)),
  ];
}

/** A value without an entry. */
export function loose(keeps: Write["keeps"], onlyOver: string | null = null): Write {
  return { append: null, keeps, onlyOver };
}

export function kindsIn(notice: string): ReadonlySet<KeepKind> {
  return new Set(notice.split(",").filter((kind) => kind !== "") as KeepKind[]);
}
