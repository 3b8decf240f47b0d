// Runs that wait for a time, really made: what each takes on disk, what a driver's idle second costs with more and more of them, and what a due
// run costs when a thousand are due at once. Neither may depend on how many are parked.

import { mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { type Journal, openJournal } from "../../src/index.ts";
import { createWorkflows, type Workflows } from "../../src/workflow/index.ts";
import { startPostgres } from "../../test/postgres/server.ts";
import { print } from "../measure.ts";
import { printAligned } from "../runtime/table.ts";
import { parking } from "./parking.ts";

const LOOKS = 200;
const AT_ONCE = 256;
const DUE_AT_ONCE = 1_000;
const MAX_RUNS = 64;
const NEVER_MS = 24 * 3_600_000;
const MILLION = 1_000_000;

interface Store {
  readonly journal: Journal;
  bytes(): Promise<number>;
  close(): Promise<void>;
}

const STORES: Readonly<Record<string, () => Promise<Store>>> = { SQLite: inSqlite, PostgreSQL: inPostgres };

/** `steps`: how many are parked at each measurement. */
export async function parkedRuns(steps: readonly number[], stores: readonly string[]): Promise<void> {
  for (const [name, open] of Object.entries(STORES)) {
    if (stores.length > 0 && !stores.includes(name.toLowerCase())) continue;
    print(`\n4. Runs that wait for a time, on ${name}, with a failed attempt and its files`);
    const store = await open();
    try {
      await measureAll(store, steps);
    } finally {
      await store.close();
    }
  }
}

async function measureAll(store: Store, steps: readonly number[]): Promise<void> {
  const number = (value: number): string => Math.round(value).toLocaleString("en");
  const rows: string[][] = [];
  let [made, bytes] = [0, 0];
  for (const parked of steps) {
    const [before, startedAt] = [await store.bytes(), performance.now()];
    await park(store.journal, parked - made);
    const perSecond = (parked - made) / ((performance.now() - startedAt) / 1_000);
    bytes = ((await store.bytes()) - before) / (parked - made);
    made = parked;
    const idle = await idleLook(store.journal);
    const due = await manyDue(store.journal, Math.min(DUE_AT_ONCE, parked));
    rows.push([
      ...[`${number(parked)} parked`, number(bytes), idle.cpuMs.toFixed(2), idle.wallMs.toFixed(2)],
      ...[due.cpuMs.toFixed(2), number(due.perSecond), number(perSecond), ""],
    ]);
    print(`  ${rows.at(-1)?.join("  ")}`);
  }
  printAligned(
    [
      ...["", "bytes a run", "idle second, CPU ms", "a look, ms", `a run of ${number(DUE_AT_ONCE)} due, CPU ms`],
      ...["due runs a second", "made a second", ""],
    ],
    rows,
  );
  print(`  computed: ${number(MILLION)} parked runs take ${((bytes * MILLION) / 1e9).toFixed(1)} GB`);
}

function workflowsOn(journal: Journal): Workflows {
  return createWorkflows({
    journal: { ...journal, close: () => Promise.resolve() },
    workflows: [parking],
    env: {},
  });
}

async function park(journal: Journal, count: number): Promise<void> {
  const workflows = workflowsOn(journal);
  await together(count, async () => void (await workflows.runs.advance(await workflows.runs.start(parking))));
  await workflows.close();
}

async function together(count: number, work: (index: number) => Promise<void>): Promise<void> {
  let begun = 0;
  const next = async (): Promise<void> => {
    while (begun < count) await work(begun++);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, next));
}

/** A driver looks once a second, so the cost of one look is that of an idle second. */
async function idleLook(journal: Journal): Promise<{ readonly cpuMs: number; readonly wallMs: number }> {
  let looked: () => void = () => undefined;
  const workflows = workflowsOn({
    ...journal,
    async keptByTime(kind, query) {
      const found = await journal.keptByTime(kind, query);
      // The last question of a look: when is the next one due?
      if (kind === "wake" && query.limit === 1) setImmediate(looked);
      return found;
    },
  });
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

/** An operator wakes so many at once; the driver takes them to their end. As many new ones take their place. */
async function manyDue(
  journal: Journal,
  count: number,
): Promise<{ readonly cpuMs: number; readonly perSecond: number }> {
  const workflows = workflowsOn(journal);
  const parked = await journal.keptByTime("wake", { order: "oldest", limit: count });
  await together(
    parked.length,
    async (index) => void (await workflows.runs.act(parked[index]?.key ?? "", "retry-now")),
  );
  let left = parked.length;
  const done = Promise.withResolvers<undefined>();
  const driver = workflows.driver({
    maxRuns: MAX_RUNS,
    onAdvanced: ({ status }) => {
      if (status === "completed" && --left === 0) done.resolve(undefined);
    },
  });
  const [cpu, startedAt] = [process.cpuUsage(), performance.now()];
  driver.start();
  await done.promise;
  const { user, system } = process.cpuUsage(cpu);
  const seconds = (performance.now() - startedAt) / 1_000;
  await driver.stop();
  await workflows.close();
  await park(journal, parked.length);
  return { cpuMs: (user + system) / 1_000 / parked.length, perSecond: parked.length / seconds };
}

async function inPostgres(): Promise<Store> {
  // Making them need not wait for the disk: what is measured is bytes and CPU time.
  const server = await startPostgres({ settings: { fsync: "off", max_wal_size: "4GB" } });
  const client = new pg.Client(server.url);
  await client.connect();
  const journal = await openJournal(server.url);
  return {
    journal,
    async bytes() {
      await client.query("CHECKPOINT");
      const { rows } = await client.query<{ readonly bytes: string }>(
        "SELECT pg_database_size(current_database()) AS bytes",
      );
      return Number(rows[0]?.bytes ?? 0);
    },
    async close() {
      await journal.close();
      await client.end();
      await server.stop();
    },
  };
}

async function inSqlite(): Promise<Store> {
  const folder = mkdtempSync(join(tmpdir(), "faultline-bench-"));
  const journal = await openJournal(join(folder, "j.db"));
  return {
    journal,
    bytes: () =>
      Promise.resolve(
        readdirSync(folder, { recursive: true, withFileTypes: true })
          .filter((entry) => entry.isFile())
          .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).blocks * 512, 0),
      ),
    async close() {
      await journal.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
