// Connections to PostgreSQL. Statements write `@.events` for a table of the journal's schema, which the address names. Invariants:
// D1  A statement that failed because the server went away is sent again for a while, if the caller says that this does no harm.
// D2  Connections that do nothing do not keep the process alive.
// D3  No error leaves here with a value, a password or the address in it.
// D4  A connection that died silently is given up together with the statement that waits on it.

import pg from "pg";
import { classify } from "../../core/classify/classify.ts";
import { systemClock } from "../../host/clock.ts";
import { Slots } from "../../host/slots.ts";
import { journalClosed } from "../journal-faults.ts";
import type { OnWarning } from "../warnings.ts";
import type { PostgresAddress } from "./address.ts";
import { againAfter, isAnswered, postgresError } from "./postgres-errors.ts";

type Single = string | number | boolean | null | Uint8Array;
export type Value = Single | readonly Single[];
export type Ask = <T>(sql: string, values?: readonly Value[]) => Promise<readonly T[]>;

/** Statements without values and without results, in one message. */
export type AskAll = (statements: readonly string[]) => Promise<unknown>;

export interface Database {
  /** One statement. It must be safe to send twice: after a lost connection it is. */
  readonly ask: Ask;
  /** The same on a connection of its own: statements that follow each other save the way through the pool. */
  readonly askAlone: Ask;
  /** All statements of `work` in one transaction. It is not repeated. */
  transaction<T>(mode: string, work: (ask: Ask, askAll: AskAll) => Promise<T>): Promise<T>;
  /** A connection of its own, for notifications. */
  connect(): Promise<OwnClient>;
  /** Puts the name of the schema where a statement says `@.`. */
  inSchema(sql: string): string;
  readonly address: PostgresAddress;
  close(): Promise<void>;
}

/** A connection outside of the pool; its types lack what decides whether it keeps the process alive. */
export type OwnClient = pg.Client & { ref(): void; unref(): void };

interface Statement {
  readonly text: string;
  readonly name?: string;
}

const CONNECT_MS = 10_000;
const IDLE_MS = 30_000;
/** The server stops a statement itself; when it has not said so after this much longer, it cannot be heard any more. */
const SILENCE_MS = 5_000;
const KEEP_ALIVE_MS = 10_000;
/** A server that restarts after a crash is back within seconds; longer than this is for the caller to decide about. */
const PATIENCE_MS = 15_000;
/** A server that never answered is waited for no longer than this: its address is probably wrong. */
const FIRST_PATIENCE_MS = 2_000;
const FIRST_WAIT_MS = 50;
const LONGEST_WAIT_MS = 1_000;

const BIGINT: number = pg.types.builtins.INT8;
/** Positions and counts stay below 2^53. */
const types: pg.CustomTypesConfig = {
  getTypeParser: (oid, format) =>
    (oid as number) === BIGINT ? Number : (pg.types.getTypeParser(oid, format) as unknown),
};

export function connectTo(address: PostgresAddress, tell: OnWarning): Database {
  const { connectionString, maxConnections, statementTimeoutMs, isPooled, secrets } = address;
  // A pooler refuses settings at the start of a connection; then this process stops waiting instead of the server.
  const limitMs = isPooled ? statementTimeoutMs : statementTimeoutMs + SILENCE_MS;
  const config: pg.ClientConfig = {
    connectionString,
    types,
    connectionTimeoutMillis: CONNECT_MS,
    query_timeout: limitMs,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
    ...(isPooled ? {} : { statement_timeout: statementTimeoutMs, application_name: "faultline" }),
  };
  const pool = new pg.Pool({
    ...config,
    max: maxConnections,
    allowExitOnIdle: true,
    // Connections that died together with one in use are gone when the statement on that one is given up and sent again.
    idleTimeoutMillis: Math.min(IDLE_MS, limitMs),
  });
  // A connection that fails while it is idle is replaced with the next statement. The pool listens only while it has the connection
  // itself: one that fails between two statements of a transaction fails the next of them, and must not end the process.
  const suppress = (): void => undefined;
  pool.on("error", suppress);
  pool.on("connect", (client) => void client.on("error", suppress));
  // Waiting for a free connection has no limit of its own: statements have, so one gets free. The pool would take a long queue for a dead server.
  const free = new Slots(maxConnections);
  const statements = new Map<string, Statement>();
  let alone: OwnClient | null = null;
  let hasAnswered = false;
  let isClosed = false;
  const schema = pg.escapeIdentifier(address.schema);
  const inSchema = (sql: string): string => sql.replaceAll("@.", `${schema}.`);

  /** Prepared once for each connection; not behind a pooler, where the next transaction has another one. */
  function prepared(sql: string): Statement {
    let statement = statements.get(sql);
    if (statement === undefined) {
      const text = inSchema(sql);
      statement = isPooled ? { text } : { text, name: `faultline_${statements.size + 1}` };
      statements.set(sql, statement);
    }
    return statement;
  }

  async function send<T>(
    client: pg.Pool | pg.ClientBase,
    sql: string,
    values: readonly Value[],
  ): Promise<readonly T[]> {
    const { rows } = await client.query({ ...prepared(sql), values: [...values] });
    return rows as readonly T[];
  }

  async function connect(): Promise<OwnClient> {
    const client = new pg.Client(config) as OwnClient;
    client.on("error", suppress);
    await client.connect();
    return client;
  }

  async function connectAlone(): Promise<OwnClient> {
    const client = await connect();
    client.once("end", () => leave(client));
    return client;
  }

  /** The caller sends one after the other. */
  async function sendAlone<T>(sql: string, values: readonly Value[]): Promise<readonly T[]> {
    const client = (alone ??= await connectAlone());
    client.ref();
    try {
      return await send<T>(client, sql, values);
    } catch (error) {
      // Without an answer we do not know what is still running on this connection.
      if (!isAnswered(error)) leave(client);
      throw error;
    } finally {
      client.unref();
    }
  }

  function leave(client: OwnClient): void {
    if (client !== alone) return;
    alone = null;
    void client.end().catch(suppress);
  }

  async function inTransaction<T>(mode: string, work: (ask: Ask, askAll: AskAll) => Promise<T>): Promise<T> {
    const client = await pool.connect();
    let failure: unknown = null;
    try {
      await client.query(`BEGIN ${mode}`);
      const result = await work(
        (sql, values = []) => send(client, sql, values),
        (statements) => client.query(statements.map(inSchema).join(";\n")),
      );
      await client.query("COMMIT");
      return result;
    } catch (error) {
      failure = error;
      throw error;
    } finally {
      // A connection in the middle of a transaction is not used again: closing it undoes everything.
      client.release(failure !== null);
    }
  }

  async function again<T>(sendOnce: () => Promise<readonly T[]>): Promise<readonly T[]> {
    let failsSince: number | null = null;
    for (let attempt = 1; ; attempt++) {
      try {
        const rows = await sendOnce();
        hasAnswered = true;
        return rows;
      } catch (error) {
        if (isClosed) throw journalClosed();
        failsSince ??= systemClock.now();
        const when = againAfter(error);
        hasAnswered ||= isAnswered(error);
        const patienceMs = hasAnswered ? PATIENCE_MS : FIRST_PATIENCE_MS;
        if (when === "never" || systemClock.now() - failsSince > patienceMs) throw error;
        if (when === "at-once") continue;
        if (attempt === 2) tell(classify({ surface: "store", error: postgresError(error, secrets) }), WAITING);
        await pause(Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** (attempt - 1)));
      }
    }
  }

  return {
    address,
    inSchema,
    ask: (sql, values = []) => again(() => free.run(() => send(pool, sql, values))),
    askAlone: (sql, values = []) => again(() => sendAlone(sql, values)),
    transaction: (mode, work) => free.run(() => inTransaction(mode, work)),
    connect,
    close() {
      isClosed = true;
      return keepingAlive(Promise.all([pool.end(), alone?.end()]));
    },
  };
}

/**
 * Idle connections do not keep the process alive. While one is being closed, a timer does: a process that awaits the end would
 * otherwise exit in the middle of it, with a status that says so. A connection that died silently never ends, so the wait does.
 */
export async function keepingAlive(ending: Promise<unknown>): Promise<void> {
  let release: () => void = () => undefined;
  const limit = new Promise<void>((resolve) => {
    release = systemClock.after(CONNECT_MS, resolve);
  });
  try {
    await Promise.race([ending, limit]);
  } finally {
    release();
  }
}

const WAITING = "connecting to the journal's database; trying again";

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => void systemClock.after(ms, resolve));
}
