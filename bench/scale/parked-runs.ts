// Runs that wait for a time, really made: what each takes on disk, what a driver's idle second costs with more and more of them, and what a due
// run costs when a thousand are due at once. Neither may depend on how many are parked. The engine makes those of the first step. The others are
// copies of one (`copied-runs.ts`), which a driver takes to their end like those of the engine.

import { mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { type Journal, openJournal } from "../../src/index.ts";
import { createWorkflows, type Workflows } from "../../src/workflow/index.ts";
import { startPostgres } from "../../test/postgres/server.ts";
import { median, print, serverCpuMicros } from "../measure.ts";
import { printAligned } from "../runtime/table.ts";
import { copyRun, recordRun } from "./copied-runs.ts";
import { parking } from "./parking.ts";

/** Looks of one round. */
const LOOKS = 50;
const ROUNDS = 15;
const AT_ONCE = 256;
const DUE_AT_ONCE = 1_000;
const MAX_RUNS = 64;
const MILLION = 1_000_000;

interface Store {
  readonly journal: Journal;
  /** CPU time that the server has spent on connections so far; 0 where there is no server. */
  readonly serverMicros: () => number;
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
  const rows: string[][] = [await measured(store, 0, "", "")];
  let [made, bytes] = [0, 0];
  for (const parked of steps) {
    const [before, startedAt] = [await store.bytes(), performance.now()];
    await (made === 0 ? park : parkCopies)(store.journal, parked - made);
    const perSecond = (parked - made) / ((performance.now() - startedAt) / 1_000);
    bytes = ((await store.bytes()) - before) / (parked - made);
    made = parked;
    rows.push(await measured(store, parked, number(bytes), number(perSecond)));
  }
  printAligned(
    [
      ...["", "bytes a run", "made a second", "idle second, CPU ms", "of the server", "questions", "a look, ms"],
      ...[`a run of ${number(DUE_AT_ONCE)} due, CPU ms`, "due runs a second", ""],
    ],
    rows,
  );
  print(`  computed: ${number(MILLION)} parked runs take ${((bytes * MILLION) / 1e9).toFixed(1)} GB`);
  const { sessions, entries, firstBad } = await store.journal.verify();
  print(
    `  verified: ${number(sessions)} sessions, ${number(entries)} entries, ${firstBad === null ? "all" : "NOT ALL"} well`,
  );
}

async function measured(store: Store, parked: number, bytes: string, perSecond: string): Promise<string[]> {
  const idle = await idleLook(store);
  const due = parked === 0 ? null : await manyDue(store.journal, Math.min(DUE_AT_ONCE, parked));
  const row = [
    ...[`${parked.toLocaleString("en")} parked`, bytes, perSecond, idle.cpuMs.toFixed(2), idle.serverMs.toFixed(2)],
    ...[idle.questions.toFixed(1), idle.wallMs.toFixed(2)],
    ...(due === null ? ["", ""] : [due.cpuMs.toFixed(2), Math.round(due.perSecond).toLocaleString("en")]),
    "",
  ];
  print(`  ${row.join("  ")}`);
  return row;
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

/** Runs like one that the engine parks. */
async function parkCopies(journal: Journal, count: number): Promise<void> {
  const made = await recordRun(journal, async (recorded) => {
    const workflows = workflowsOn(recorded);
    const run = await workflows.runs.start(parking);
    await workflows.runs.advance(run);
    await workflows.close();
    return run;
  });
  await together(count - 1, (index) => copyRun(made, `${made.run}-${String(index).padStart(7, "0")}`));
}

async function together(count: number, work: (index: number) => Promise<void>): Promise<void> {
  let begun = 0;
  const next = async (): Promise<void> => {
    while (begun < count) await work(begun++);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, next));
}

interface Idle {
  readonly cpuMs: number;
  readonly serverMs: number;
  /** Calls of the journal. */
  readonly questions: number;
  readonly wallMs: number;
}

/** A driver looks once a second, so the cost of one look is that of an idle second. Here it looks as often as it can. */
async function idleLook({ journal, serverMicros }: Store): Promise<Idle> {
  let [looks, questions] = [0, 0];
  let enough: () => void = () => undefined;
  const counted = countingCalls(journal, () => questions++);
  const workflows = workflowsOn({
    ...counted,
    async keptByTime(kind, query) {
      const found = await counted.keptByTime(kind, query);
      // The last question of a look: when is the next one due?
      if (kind === "wake" && query.limit === 1 && ++looks === LOOKS) setImmediate(enough);
      return found;
    },
  });
  const driver = workflows.driver({ lookEveryMs: 1 });
  const lookOften = async (): Promise<void> => {
    [looks, questions] = [0, 0];
    await new Promise<void>((resolve) => (enough = resolve));
  };
  driver.start();
  const rounds: Idle[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const [cpu, server, startedAt] = [process.cpuUsage(), serverMicros(), performance.now()];
    await lookOften();
    const { user, system } = process.cpuUsage(cpu);
    rounds.push({
      cpuMs: (user + system) / 1_000 / LOOKS,
      serverMs: (serverMicros() - server) / 1_000 / LOOKS,
      questions: questions / LOOKS,
      wallMs: (performance.now() - startedAt) / LOOKS,
    });
  }
  await driver.stop();
  await workflows.close();
  // Medians: the first looks compile code, and one of many meets what PostgreSQL has not cleaned up yet.
  const of = (part: keyof Idle): number => median(rounds.map((round) => round[part]));
  return { cpuMs: of("cpuMs"), serverMs: of("serverMs"), questions: of("questions"), wallMs: of("wallMs") };
}

function countingCalls(journal: Journal, count: () => void): Journal {
  const counted = Object.entries(journal).map(([name, part]: [string, unknown]) => {
    if (typeof part !== "function") return [name, part];
    return [
      name,
      (...given: unknown[]): unknown => {
        count();
        return Reflect.apply(part, journal, given);
      },
    ];
  });
  return Object.fromEntries(counted) as Journal;
}

/** An operator wakes so many at once; the driver takes them to their end. As many new ones take their place. */
async function manyDue(
  journal: Journal,
  count: number,
): Promise<{ readonly cpuMs: number; readonly perSecond: number }> {
  const workflows = workflowsOn(journal);
  // The newest: after the first step these are copies.
  const parked = await journal.keptByTime("wake", { order: "newest", limit: count });
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
    serverMicros: () => serverCpuMicros(server.pid, (title) => title.includes("127.0.0.1(")),
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
    serverMicros: () => 0,
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
