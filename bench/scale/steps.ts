// Durable steps a second: runs of ten steps, each of which returns 500 bytes, one run at a time and 64 at a time. A step of Faultline is a
// node with its attempt, decision and output in the journal; a step of an engine is one journaled closure.

import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http2";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DBOS } from "@dbos-inc/dbos-sdk";
import { createEndpointHandler, service, type Context } from "@restatedev/restate-sdk";
import { openJournal } from "../../src/index.ts";
import {
  createWorkflows,
  defineWorkflow,
  type Driver,
  type DriverOptions,
  stage,
  type Workflows,
} from "../../src/workflow/index.ts";
import { startPostgres } from "../../test/postgres/server.ts";
import { freePorts } from "../../test/support/free-ports.ts";
import { type RestateServers, startRestate } from "../../test/support/restate-server.ts";
import { print } from "../measure.ts";
import { median } from "../runtime/median.ts";
import { printAligned } from "../runtime/table.ts";

const STEPS = 10;
const OUTPUT = "x".repeat(500);
const ONE = { runs: 5, atOnce: 1 } as const;
const MANY = { runs: 64, atOnce: 64 } as const;

interface Subject {
  readonly name: string;
  /** Resolves when the run has ended. */
  readonly run: () => Promise<void>;
  readonly close: () => Promise<void>;
}

const tenSteps = defineWorkflow({
  id: "ten-steps",
  stages: Object.fromEntries(Array.from({ length: STEPS }, (_, index) => [`s${index}`, stage({ act: () => OUTPUT })])),
});

export async function stepsASecond(options: { readonly rounds: number; readonly withDbos: boolean }): Promise<void> {
  print(`\n1. Durable steps a second, wall time, median of ${options.rounds} (best): runs of ${STEPS} steps`);
  const folder = mkdtempSync(join(tmpdir(), "faultline-bench-"));
  const [restate, postgres] = await Promise.all([startRestate(), startPostgres()]);
  const journalAt = (name: string): string => `${postgres.url}?schema=${name}`;
  const subjects = [
    await faultline("Faultline, plain driver, SQLite", join(folder, "plain.db"), null),
    await faultline("Faultline, plain driver, PostgreSQL", journalAt("plain"), null),
    await faultline("Faultline, Restate driver, PostgreSQL", journalAt("restate"), restate),
    await bareRestate(restate),
    ...(options.withDbos ? [await dbos(postgres.url)] : []),
  ];
  const speeds = new Map(subjects.map((subject) => [subject, { one: [] as number[], many: [] as number[] }]));
  for (let round = 0; round <= options.rounds; round++) {
    for (const [subject, { one, many }] of speeds) {
      const [slow, fast] = [await speed(subject, ONE), await speed(subject, MANY)];
      // The first round warms up.
      if (round > 0) [one, many].forEach((list, index) => list.push(index === 0 ? slow : fast));
    }
  }
  printAligned(
    ["", "1 run", "64 runs", ""],
    [...speeds].map(([{ name }, { one, many }]) => [name, shown(one), shown(many), ""]),
  );
  for (const { close } of subjects) await close();
  await Promise.all([restate.stop(), postgres.stop()]);
  rmSync(folder, { recursive: true, force: true });
}

function shown(speeds: readonly number[]): string {
  return `${median(speeds).toFixed(0)} (${Math.max(...speeds).toFixed(0)})`;
}

async function speed(
  { run }: Subject,
  { runs, atOnce }: { readonly runs: number; readonly atOnce: number },
): Promise<number> {
  const startedAt = performance.now();
  for (let done = 0; done < runs; done += atOnce) await Promise.all(Array.from({ length: atOnce }, run));
  return (runs * STEPS * 1_000) / (performance.now() - startedAt);
}

async function faultline(name: string, place: string, restate: RestateServers | null): Promise<Subject> {
  const workflows = createWorkflows({ journal: await openJournal(place), workflows: [tenSteps], env: {} });
  const waiting = new Map<string, () => void>();
  const options = {
    maxRuns: MANY.atOnce,
    onAdvanced: ({ run, status }: { run: string; status: string }): void => {
      if (status === "completed") waiting.get(run)?.();
    },
  };
  const driver = await started(workflows, options, restate);
  let count = 0;
  return {
    name,
    async run() {
      const run = `run-${++count}`;
      const ended = new Promise<void>((resolve) => void waiting.set(run, resolve));
      await workflows.runs.start(tenSteps, { run });
      await ended;
      waiting.delete(run);
    },
    async close() {
      await driver.stop();
      await workflows.close();
    },
  };
}

async function started(
  workflows: Workflows,
  options: DriverOptions,
  restate: RestateServers | null,
): Promise<Pick<Driver, "stop">> {
  if (restate !== null) {
    const driver = await workflows.restateDriver({ ...options, url: restate.url, worker: { port: 0 } });
    await driver.start();
    return driver;
  }
  const driver = workflows.driver(options);
  driver.start();
  return driver;
}

async function bareRestate(restate: RestateServers): Promise<Subject> {
  const steps = service({
    name: "bare",
    handlers: {
      async run(context: Context) {
        for (let step = 0; step < STEPS; step++) await context.run(`s${step}`, () => OUTPUT);
      },
    },
  });
  const [port = 0] = await freePorts(1);
  const server = createServer(createEndpointHandler({ services: [steps], logger: () => undefined }));
  server.listen(port, "127.0.0.1");
  const [node] = restate.nodes;
  const post = async (url: string, body: unknown): Promise<void> => {
    const headers = { "content-type": "application/json" };
    const response = await fetch(url, { method: "POST", headers, body: JSON.stringify(body) });
    if (!response.ok) throw new Error(`Restate answered ${response.status}: ${await response.text()}`);
    await response.text();
  };
  await post(`http://${node?.admin}/deployments`, { uri: `http://127.0.0.1:${port}` });
  return {
    name: "bare Restate",
    run: () => post(`http://${node?.ingress}/bare/run`, null),
    async close() {
      await new Promise<void>((resolve) => {
        server.close(() => resolve());
        resolve();
      });
    },
  };
}

async function dbos(postgresUrl: string): Promise<Subject> {
  const url = new URL(postgresUrl);
  url.pathname = "/dbos";
  DBOS.setConfig({ name: "bench", systemDatabaseUrl: url.href, logLevel: "error", applicationVersion: "1" });
  const steps = DBOS.registerWorkflow(
    async () => {
      for (let step = 0; step < STEPS; step++) await DBOS.runStep(() => Promise.resolve(OUTPUT), { name: `s${step}` });
    },
    { name: "steps" },
  );
  await DBOS.launch();
  return {
    name: "DBOS, PostgreSQL",
    run: async () => void (await (await DBOS.startWorkflow(steps)()).getResult()),
    close: () => DBOS.shutdown(),
  };
}
