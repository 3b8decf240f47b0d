// Workers, Restate and runs with effects on the outside world, while processes are killed and stopped. Afterwards everything is
// counted: effects that happened twice, runs that did not end, acknowledged entries that are not there, and the longest gap.

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { systemClock } from "../../../../src/host/clock.ts";
import { type Journal, openJournal } from "../../../../src/index.ts";
import { createWorkflows } from "../../../../src/workflow/workflows.ts";
import { bundledProgram } from "../../../support/bundled-program.ts";
import { freePorts } from "../../../support/free-ports.ts";
import { type RestateServers, startRestate } from "../../../support/restate-server.ts";
import { type Balancer, startBalancer } from "./balancer.ts";
import { checkRuns, type ScaleCounts } from "./check.ts";
import { effectsWorkflow } from "./effects-workflow.ts";

export interface ScaleOptions {
  readonly folder: string;
  /** A file, or the address of a database. */
  readonly journal: string;
  readonly driver: "restate" | "plain";
  readonly workers: number;
  readonly nodes: number;
  readonly runs: number;
  /** How long each half of an effect takes. */
  readonly workMs: number;
  /** Done one after the other, evenly spread over the runs that end. */
  readonly deeds: readonly Deed[];
  /** Longer than a hold. */
  readonly stoppedMs: number;
  readonly tell: (line: string) => void;
  /** Asked as well: things that the caller can do to the store. */
  readonly store?: { readonly restart: () => Promise<void> };
}

export type Deed = "kill worker" | "stop worker" | "cut store" | "kill restate" | "kill store";
/** These end by themselves while other things happen. */
const LASTING: readonly Deed[] = ["stop worker", "cut store"];

export interface ScaleReport {
  readonly counts: ScaleCounts & { readonly done: readonly string[]; readonly seconds: number };
  readonly problems: readonly string[];
}

const SCRIPT = bundledProgram(new URL("worker.ts", import.meta.url));
const LOOK_MS = 100;
const LATEST_MS = 600_000;

interface Fleet {
  readonly children: ChildProcess[];
  readonly start: (index: number) => Promise<void>;
  /** Between each worker and a store that is a server. */
  readonly lines: readonly Balancer[];
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => void systemClock.after(ms, resolve));

export async function runScale(options: ScaleOptions): Promise<ScaleReport> {
  const { folder, runs, workers, nodes, tell } = options;
  mkdirSync(folder, { recursive: true });
  const startedAt = systemClock.now();
  const restate = options.driver === "plain" ? null : await startRestate(nodes);
  const ports = await freePorts(workers);
  const balancer = await startBalancer(ports);
  const lines = await linesTo(options);
  const fleet = fleetOf(options, restate?.url ?? "plain", ports, `http://127.0.0.1:${balancer.port}`, lines);
  const journal = await openJournal(options.journal, {});
  try {
    for (let index = 0; index < workers; index++) await fleet.start(index);
    tell(`${workers} workers and ${restate?.nodes.length ?? 0} nodes of Restate are up`);
    const ids = Array.from({ length: runs }, (_, index) => `run-${String(index).padStart(5, "0")}`);
    const done = await begin(options, journal, ids, restate, fleet);
    const checked = await checkRuns(journal, ids, folder);
    const seconds = (systemClock.now() - startedAt) / 1000;
    return { ...checked, counts: { ...checked.counts, done, seconds } };
  } finally {
    for (const child of fleet.children) child.kill("SIGKILL");
    for (const one of [balancer, ...lines]) await one.close();
    await journal.close();
    await restate?.stop();
  }
}

/** Starts the runs, does the deeds while they run, and resolves when all have ended. */
async function begin(
  options: ScaleOptions,
  journal: Journal,
  ids: readonly string[],
  restate: RestateServers | null,
  fleet: Fleet,
): Promise<readonly string[]> {
  const workflows = createWorkflows({ journal, workflows: [effectsWorkflow], env: {} });
  const handing = restate === null ? null : await workflows.restateDriver({ url: restate.url, lookEveryMs: 600_000 });
  await handing?.start();
  const starting = (async () => {
    for (const [index, run] of ids.entries())
      await workflows.runs.start(effectsWorkflow, { run, inputs: { waits: index % 10 === 0 } });
  })();
  const done: string[] = [];
  const latest = systemClock.now() + LATEST_MS;
  const step = options.runs / (options.deeds.length + 1);
  let ended = 0;
  let doing: Promise<void> = Promise.resolve();
  while (ended < ids.length && systemClock.now() < latest) {
    ended = (await Promise.all(["completed", "failed", "cancelled"].map((status) => count(journal, status)))).reduce(
      (sum, one) => sum + one,
      0,
    );
    const deed = options.deeds[done.length];
    if (deed !== undefined && ended >= step * done.length) {
      done.push(deed);
      options.tell(`${ended} of ${ids.length} runs have ended: ${deed}`);
      const finished = carryOut(deed, done.length, options, restate, fleet);
      doing = Promise.all([doing, finished]).then(() => undefined);
      if (!LASTING.includes(deed)) await finished;
    }
    await pause(LOOK_MS);
  }
  await starting;
  await doing;
  await handing?.stop();
  await workflows.runs.stop();
  return done;
}

async function carryOut(
  deed: Deed,
  turn: number,
  { workers, stoppedMs, store }: ScaleOptions,
  restate: RestateServers | null,
  { children, start, lines }: Fleet,
): Promise<void> {
  const index = turn % workers;
  const child = children[index];
  if (deed === "kill worker" && child !== undefined) {
    const gone = once(child, "exit");
    child.kill("SIGKILL");
    await gone;
    await start(index);
  } else if (deed === "stop worker" && child !== undefined) {
    child.kill("SIGSTOP");
    await pause(stoppedMs);
    child.kill("SIGCONT");
  } else if (deed === "cut store") {
    lines[index]?.cut(true);
    await pause(stoppedMs);
    lines[index]?.cut(false);
  } else if (deed === "kill restate" && restate !== null) {
    const node = restate.nodes[turn % restate.nodes.length];
    await node?.kill();
    await node?.restart();
  } else if (deed === "kill store") await store?.restart();
}

/** By index: how many runs have this status. */
async function count(journal: Journal, status: string): Promise<number> {
  let found = 0;
  for (let after: { at: number; key: string } | undefined; ;) {
    const query = { order: "oldest", limit: 1_000, tags: [`status:${status}`] } as const;
    const page = await journal.keptByTime("run", after === undefined ? query : { ...query, after });
    found += page.length;
    after = page.at(-1);
    if (page.length < 1_000) return found;
  }
}

/** One for each worker, if the store is a server. */
function linesTo({ journal, workers }: ScaleOptions): Promise<readonly Balancer[]> {
  const port = Number(URL.parse(journal)?.port ?? "");
  return Promise.all(Array.from({ length: port === 0 ? 0 : workers }, () => startBalancer([port])));
}

function fleetOf(
  options: ScaleOptions,
  driver: string,
  ports: readonly number[],
  advertise: string,
  lines: readonly Balancer[],
): Fleet {
  const { folder, workMs } = options;
  const children: ChildProcess[] = [];
  return {
    children,
    lines,
    async start(index) {
      const line = lines[index];
      const journal = line === undefined ? options.journal : options.journal.replace(/:\d+\//, `:${line.port}/`);
      const child = spawn(process.execPath, [SCRIPT, journal, driver, String(ports[index]), advertise], {
        stdio: ["ignore", "pipe", "pipe"],
        env: {
          ...process.env,
          ...{ NODE_NO_WARNINGS: "1", WORK_MS: String(workMs) },
          ...{ EFFECTS: join(folder, "effects"), ACKNOWLEDGED: join(folder, `acknowledged-${index}`) },
        },
      });
      children[index] = child;
      const { stdout, stderr } = child;
      let said = "";
      stderr.on("data", (text: Buffer) => void (said = `${said}${text.toString()}`.slice(-4_000)));
      const ready = once(createInterface({ input: stdout }), "line").then(() => null);
      const ended = once(child, "exit").then(() => said);
      const failed = await Promise.race([ready, ended]);
      if (failed !== null) throw new Error(`a worker did not start: ${failed}`);
    },
  };
}
