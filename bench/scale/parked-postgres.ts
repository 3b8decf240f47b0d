// Runs that wait for a time, really made on PostgreSQL: what each takes on disk, and what a driver's idle second costs with more and more
// of them. The cost may not depend on their number.

import pg from "pg";
import { type Journal, openJournal } from "../../src/index.ts";
import { createWorkflows } from "../../src/workflow/index.ts";
import { startPostgres } from "../../test/postgres/server.ts";
import { print } from "../measure.ts";
import { parking } from "./parking.ts";

const LOOKS = 200;
const AT_ONCE = 256;
const NEVER_MS = 24 * 3_600_000;
const MILLION = 1_000_000;

export async function parkedOnPostgres(steps: readonly number[]): Promise<void> {
  print("\n4. Runs that wait for a time, on PostgreSQL, with a failed attempt and its files");
  const server = await startPostgres({ settings: { synchronous_commit: "on", max_wal_size: "4GB" } });
  const client = new pg.Client(server.url);
  await client.connect();
  const journal = await openJournal(server.url);
  const before = await bytesOf(client);
  const number = (value: number): string => Math.round(value).toLocaleString("en");
  let [made, bytes] = [0, 0];
  for (const parked of steps) {
    const startedAt = performance.now();
    await park(journal, parked - made);
    const seconds = (performance.now() - startedAt) / 1_000;
    const { cpuMs, wallMs } = await idleLook(journal);
    bytes = ((await bytesOf(client)) - before) / parked;
    print(
      `  ${number(parked).padStart(9)} parked: ${number(bytes)} bytes a run; an idle second of a driver: ${cpuMs.toFixed(2)} ms of CPU, ` +
        `answer after ${wallMs.toFixed(2)} ms; made ${number((parked - made) / seconds)} a second`,
    );
    made = parked;
  }
  print(`  computed: ${number(MILLION)} parked runs take ${((bytes * MILLION) / 1e9).toFixed(1)} GB`);
  await journal.close();
  await client.end();
  await server.stop();
}

async function park(journal: Journal, count: number): Promise<void> {
  const kept: Journal = { ...journal, close: () => Promise.resolve() };
  const workflows = createWorkflows({ journal: kept, workflows: [parking], env: {} });
  let started = 0;
  const next = async (): Promise<void> => {
    while (started < count) {
      started += 1;
      await workflows.runs.advance(await workflows.runs.start(parking));
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, next));
  await workflows.close();
}

/** A driver looks once a second, so the cost of one look is that of an idle second. */
async function idleLook(journal: Journal): Promise<{ readonly cpuMs: number; readonly wallMs: number }> {
  let looked: () => void = () => undefined;
  const watched: Journal = {
    ...journal,
    close: () => Promise.resolve(),
    async keptByTime(kind, query) {
      const found = await journal.keptByTime(kind, query);
      // The last question of a look: when is the next one due?
      if (kind === "wake" && query.limit === 1) setImmediate(looked);
      return found;
    },
  };
  const workflows = createWorkflows({ journal: watched, workflows: [parking], env: {} });
  const driver = workflows.driver({ lookEveryMs: NEVER_MS });
  const look = async (begin: () => void): Promise<void> => {
    const done = new Promise<void>((resolve) => (looked = resolve));
    begin();
    await done;
  };
  await look(() => driver.start());
  const [cpu, startedAt] = [process.cpuUsage(), performance.now()];
  for (let count = 0; count < LOOKS; count++) await look(() => driver.poke());
  const { user, system } = process.cpuUsage(cpu);
  const wallMs = (performance.now() - startedAt) / LOOKS;
  await driver.stop();
  await workflows.close();
  return { cpuMs: (user + system) / 1_000 / LOOKS, wallMs };
}

async function bytesOf(client: pg.Client): Promise<number> {
  await client.query("CHECKPOINT");
  const { rows } = await client.query<{ readonly bytes: string }>(
    "SELECT pg_database_size(current_database()) AS bytes",
  );
  return Number(rows[0]?.bytes ?? 0);
}
