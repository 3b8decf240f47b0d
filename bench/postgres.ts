// `npm run bench:postgres -- [--quick]`: how fast the journal in PostgreSQL appends, next to a bare client that inserts the same rows in the
// same batches, on the same server, in turns. A server of its own, with every commit on disk.

import { parseArgs } from "node:util";
import pg from "pg";
import type { Journal } from "../src/journal/journal.ts";
import { openJournal } from "../src/journal/open-journal.ts";
import { startPostgres } from "../test/postgres/server.ts";
import { print } from "./measure.ts";

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

const INSERT = `WITH head AS (
    INSERT INTO bare.sessions AS s (session, status, started_at, updated_at, last_seq, last_hash)
      SELECT DISTINCT ON (session) session, 'open', at, at, seq, hash
      FROM unnest($1::text[], $2::integer[], $3::float8[], $4::text[], $5::text[], $6::text[], $7::text[]) AS e (session, seq, at, type, body, hash, seal)
      ORDER BY session, seq DESC
      ON CONFLICT (session) DO UPDATE SET updated_at = excluded.updated_at, last_seq = excluded.last_seq, last_hash = excluded.last_hash)
  INSERT INTO bare.events (session, seq, at, type, body, hash, seal)
    SELECT * FROM unnest($1::text[], $2::integer[], $3::float8[], $4::text[], $5::text[], $6::text[], $7::text[])`;

/** The same tables, indexes and rows, and the same way to batch: what comes while a statement is under way goes with the next. */
async function bareAppends(url: string): Promise<{ readonly append: Append; readonly close: () => Promise<void> }> {
  const client = new pg.Client(url);
  await client.connect();
  await client.query(`CREATE SCHEMA bare;
    CREATE TABLE bare.sessions (session text PRIMARY KEY, status text NOT NULL, started_at float8 NOT NULL, updated_at float8 NOT NULL,
      last_seq integer NOT NULL, last_hash text NOT NULL);
    CREATE INDEX ON bare.sessions (started_at);
    CREATE INDEX ON bare.sessions (status, started_at);
    CREATE TABLE bare.events (position bigserial PRIMARY KEY, session text NOT NULL, seq integer NOT NULL, at float8 NOT NULL,
      type text NOT NULL, body text NOT NULL, hash text NOT NULL, seal text NOT NULL, UNIQUE (session, seq))`);
  const body = JSON.stringify({ type: "extension-started", name: TEXT });
  const hash = "0".repeat(64);
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
          rows.map(({ session }) => session),
          rows.map(({ seq }) => seq),
          rows.map(({ seq }) => seq),
          ...[same("extension-started"), same(body), same(hash), same("")],
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
  const startedAt = performance.now();
  for (let seq = 1; seq <= ONE_BY_ONE; seq++) await append({ session, seq });
  return (ONE_BY_ONE / (performance.now() - startedAt)) * 1000;
}

async function writeTogether(append: Append): Promise<number> {
  const names = Array.from({ length: WRITERS }, () => `many-${++sessions}`);
  const startedAt = performance.now();
  await Promise.all(
    names.map(async (session) => {
      for (let seq = 1; seq <= PER_WRITER; seq++) await append({ session, seq });
    }),
  );
  return ((WRITERS * PER_WRITER) / (performance.now() - startedAt)) * 1000;
}

function median(speeds: readonly number[]): number {
  return speeds.toSorted((a, b) => a - b)[Math.floor(speeds.length / 2)] ?? NaN;
}

async function compare(
  name: string,
  write: (append: Append) => Promise<number>,
  ours: Append,
  bare: Append,
): Promise<void> {
  await write(ours);
  await write(bare);
  const [journal, client]: [number[], number[]] = [[], []];
  for (let round = 0; round < ROUNDS; round++) {
    journal.push(await write(ours));
    client.push(await write(bare));
  }
  // Of each pair: what else the machine did in that moment hit both.
  const share = median(journal.map((speed, round) => speed / (client[round] ?? NaN)));
  const shown = (speeds: readonly number[]): string => Math.round(median(speeds)).toLocaleString("en").padStart(7);
  print(`${name.padEnd(16)} journal ${shown(journal)}   bare client ${shown(client)}   ${Math.round(share * 100)} %`);
}

print(
  `Node ${process.version}, ${ROUNDS} rounds in turns; entries a second, medians; the share is the median of the pairs.`,
);
const server = await startPostgres();
const journal = await openJournal(server.url);
const bare = await bareAppends(server.url);
try {
  await compare("one at a time", writeOneByOne, journalAppends(journal), bare.append);
  await compare(`${WRITERS} writers`, writeTogether, journalAppends(journal), bare.append);
} finally {
  await journal.close();
  await bare.close();
  await server.stop();
}
