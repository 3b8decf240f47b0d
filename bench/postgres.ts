// `npm run bench:postgres -- [--quick]`: how fast the journal in PostgreSQL appends, next to a bare client that inserts the same rows in the
// same batches, on the same server, in turns. A server of its own, with every commit on disk.
//
// What the bare client does, so that the share means something:
// - Its tables are copies of the journal's (`LIKE … INCLUDING ALL`): the same columns, indexes and fill factors. Its rows have the same
//   sizes: an entry with its event as JSON, and the row of its session, which every entry changes.
// - Its batches come about as the journal's do: what is appended while a statement is under way goes with the next one, one commit each.
// - It is written to be fast: one prepared statement on a connection of its own, positions from a sequence, sessions by number.
// - It promises less, and the missing share is the price of that: no hash chain (it writes a constant), no fence, no order of positions
//   over several processes, no repetition of a write whose answer was lost, no notification of followers.

import { parseArgs } from "node:util";
import pg from "pg";
import type { Journal } from "../src/journal/journal.ts";
import { openJournal } from "../src/journal/open-journal.ts";
import { startPostgres } from "../test/postgres/server.ts";
import { median, print, serverCpuMicros } from "./measure.ts";

const { values } = parseArgs({ options: { quick: { type: "boolean", default: false } } });
const ROUNDS = values.quick ? 3 : 9;
const ONE_BY_ONE = values.quick ? 100 : 400;
const WRITERS = 64;
const PER_WRITER = values.quick ? 10 : 40;
const TEXT = "x".repeat(400);

interface Row {
  readonly session: string;
  readonly seq: number;
}

/** Appends one entry behind `seq - 1`. */
type Append = (row: Row) => Promise<void>;

function journalAppends(journal: Journal): Append {
  return ({ session, seq }) =>
    journal.append(session, seq - 1, [{ at: seq, event: { type: "extension-started", name: TEXT } }]);
}

const ROWS =
  "unnest($1::bigint[], $2::text[], $3::integer[], $4::float8[], $5::text[], $6::text[], $7::text[], $8::text[])";
const COLUMNS = "AS e (number, name, seq, at, type, body, hash, seal)";
const INSERT = `WITH heads AS (
    INSERT INTO bare.sessions (number, session, status, started_at, updated_at, last_seq, last_hash)
      SELECT number, name, 'open', at, at, seq, hash FROM ${ROWS} ${COLUMNS}
      ON CONFLICT (number) DO UPDATE SET updated_at = excluded.updated_at, last_seq = excluded.last_seq, last_hash = excluded.last_hash)
  INSERT INTO bare.events (session, seq, at, type, body, hash, seal)
    SELECT number, seq, at, type, body, hash, seal FROM ${ROWS} ${COLUMNS}`;

async function bareAppends(url: string): Promise<{ readonly append: Append; readonly close: () => Promise<void> }> {
  const client = new pg.Client(url);
  await client.connect();
  await client.query(`CREATE SCHEMA bare;
    CREATE TABLE bare.sessions (LIKE faultline.sessions INCLUDING ALL);
    CREATE TABLE bare.events (LIKE faultline.events INCLUDING ALL);
    CREATE SEQUENCE bare.positions;
    ALTER TABLE bare.events ALTER position SET DEFAULT nextval('bare.positions')`);
  const hash = "0".repeat(64);
  const numbers = new Map<string, number>();
  const numberOf = (session: string): number => {
    const number = numbers.get(session) ?? numbers.size + 1;
    numbers.set(session, number);
    return number;
  };
  let waiting: { readonly row: Row; readonly done: () => void }[] = [];
  let isBusy = false;

  async function work(): Promise<void> {
    while (waiting.length > 0) {
      const batch = waiting;
      waiting = [];
      const rows = batch.map(({ row }) => row);
      const same = <T>(value: T): T[] => rows.map(() => value);
      await client.query({
        ...{ name: "insert", text: INSERT },
        values: [
          rows.map(({ session }) => numberOf(session)),
          rows.map(({ session }) => session),
          rows.map(({ seq }) => seq),
          rows.map(({ seq }) => seq),
          same("extension-started"),
          rows.map(() => JSON.stringify({ type: "extension-started", name: TEXT })),
          ...[same(hash), same("")],
        ],
      });
      for (const { done } of batch) done();
    }
    isBusy = false;
  }

  return {
    append: (row) =>
      new Promise((done) => {
        waiting.push({ row, done });
        if (isBusy) return;
        isBusy = true;
        setImmediate(() => void work());
      }),
    close: () => client.end(),
  };
}

let sessions = 0;

async function writeOneByOne(append: Append): Promise<number> {
  const session = `one-${++sessions}`;
  for (let seq = 1; seq <= ONE_BY_ONE; seq++) await append({ session, seq });
  return ONE_BY_ONE;
}

async function writeTogether(append: Append): Promise<number> {
  const names = Array.from({ length: WRITERS }, () => `many-${++sessions}`);
  await Promise.all(
    names.map(async (session) => {
      for (let seq = 1; seq <= PER_WRITER; seq++) await append({ session, seq });
    }),
  );
  return WRITERS * PER_WRITER;
}

/** Of one entry. */
interface Taken {
  readonly wallMicros: number;
  /** CPU time of this process, and of all processes of the server. */
  readonly clientMicros: number;
  readonly serverMicros: number;
}

async function measure(write: (append: Append) => Promise<number>, append: Append, pid: number): Promise<Taken> {
  const [cpu, server, startedAt] = [process.cpuUsage(), serverCpuMicros(pid), performance.now()];
  const entries = await write(append);
  const wallMicros = (performance.now() - startedAt) * 1_000;
  const { user, system } = process.cpuUsage(cpu);
  const serverMicros = serverCpuMicros(pid) - server;
  return {
    wallMicros: wallMicros / entries,
    clientMicros: (user + system) / entries,
    serverMicros: serverMicros / entries,
  };
}

async function compare(
  name: string,
  write: (append: Append) => Promise<number>,
  ours: Append,
  bare: Append,
  pid: number,
): Promise<void> {
  await write(ours);
  await write(bare);
  const rounds: { readonly journal: Taken; readonly client: Taken }[] = [];
  for (let round = 0; round < ROUNDS; round++)
    rounds.push({ journal: await measure(write, ours, pid), client: await measure(write, bare, pid) });
  // Of each pair: what else the machine did in that moment hit both.
  const share = median(rounds.map(({ journal, client }) => client.wallMicros / journal.wallMicros));
  const shown = (who: "journal" | "client"): string => {
    const of = (part: keyof Taken): number => median(rounds.map((round) => round[who][part]));
    const speed = Math.round(1e6 / of("wallMicros")).toLocaleString("en");
    return `${speed} (CPU ${of("clientMicros").toFixed(0)} + ${of("serverMicros").toFixed(0)} µs)`;
  };
  print(`${name.padEnd(14)} journal ${shown("journal")}, bare client ${shown("client")}: ${Math.round(share * 100)} %`);
}

print(
  `Node ${process.version}, ${ROUNDS} rounds in turns; entries a second and CPU time of an entry, here and in the server, medians; the share is the median of the pairs.`,
);
const server = await startPostgres();
const journal = await openJournal(server.url);
const bare = await bareAppends(server.url);
try {
  await compare("one at a time", writeOneByOne, journalAppends(journal), bare.append, server.pid);
  await compare(`${WRITERS} writers`, writeTogether, journalAppends(journal), bare.append, server.pid);
} finally {
  await journal.close();
  await bare.close();
  await server.stop();
}
