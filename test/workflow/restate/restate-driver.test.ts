// Runs driven by a real Restate server: they start, wait, are answered, fail and are continued, and survive what Restate forgets.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { openJournal } from "../../../src/index.ts";
import { defineWorkflow, stage } from "../../../src/workflow/define.ts";
import type { RestateDriver, RestateDriverOptions } from "../../../src/workflow/restate/restate-driver.ts";
import type { RunEnd } from "../../../src/workflow/runs-api.ts";
import { createWorkflows, type Workflows } from "../../../src/workflow/workflows.ts";
import type { Workflow } from "../../../src/workflow-model/stage.ts";
import { APPROVE, eventsIn, newFile, only, places, thrown, YES } from "../../support/engine-world.ts";
import { bundledProgram } from "../../support/bundled-program.ts";
import { freePorts } from "../../support/free-ports.ts";
import { type RestateServers, startRestate } from "../../support/restate-server.ts";
import { placeFor } from "../../support/test-servers.ts";
import { startBalancer } from "./scale/balancer.ts";

const gated = defineWorkflow({
  id: "gated",
  stages: { a: stage({ act: async (_r, { ask }) => (await ask({ payload: APPROVE, timeoutMs: null })).status }) },
});
/** A slice waits for 5 s by itself. This leaves it 5 s more to pause on a busy machine, so that a timer of Restate has to wake the run. */
const LONG_WAIT_MS = 10_000;
const retrying = defineWorkflow({
  id: "retrying",
  stages: {
    a: stage({
      retryPolicy: {
        maxAttempts: 2,
        backoff: { kind: "fixed", initialMs: LONG_WAIT_MS, maxMs: LONG_WAIT_MS },
        jitter: 0,
        maxWaitMs: 1e7,
      },
      act: (_request, _tools, { attempt }) => {
        if (attempt === 1) throw thrown("RateLimited");
      },
    }),
  },
});
let isBroken = true;
const failing = defineWorkflow({
  id: "failing",
  stages: {
    a: stage({ act: () => "done" }),
    b: stage({
      act: () => {
        if (isBroken) throw thrown("Unsupported");
      },
    }),
  },
});
const [begun, goOn] = [Promise.withResolvers<undefined>(), Promise.withResolvers<undefined>()];
const actedBy: string[] = [];
const twoNodes = defineWorkflow({
  id: "two-nodes",
  stages: {
    a: stage({
      act: async () => {
        actedBy.push("a");
        begun.resolve(undefined);
        await goOn.promise;
      },
    }),
    b: stage({ act: () => void actedBy.push("b") }),
  },
});
const ALL = [gated, retrying, failing, twoNodes];

let restate: RestateServers;
beforeAll(async () => {
  restate = await startRestate();
});
afterAll(() => restate.stop());

interface Part {
  readonly workflows: Workflows;
  readonly driver: RestateDriver;
  readonly warnings: readonly string[];
  readonly ends: readonly RunEnd[];
  readonly port: number | null;
  /** Resolves with the end of the next slice that fits. */
  readonly advanced: (fits: (end: RunEnd) => boolean) => Promise<RunEnd>;
}

async function part(file: string, options: Partial<RestateDriverOptions> = {}, url = restate.url): Promise<Part> {
  const workflows = createWorkflows({ journal: await openJournal(placeFor(file), {}), workflows: ALL, env: {} });
  const waiting = new Map<(end: RunEnd) => boolean, (end: RunEnd) => void>();
  const ends: RunEnd[] = [];
  const warnings: string[] = [];
  const driver = await workflows.restateDriver({
    url,
    lookEveryMs: 50,
    onAdvanced: (end) => {
      ends.push(end);
      for (const [fits, resolve] of waiting) if (fits(end)) resolve(end);
    },
    onWarning: (run, { code, message }) => void warnings.push(`${run} ${code} ${message}`),
    ...options,
  });
  onTestFinished(async () => {
    await driver.stop();
    await workflows.close();
  });
  await driver.start();
  return {
    workflows,
    driver,
    warnings,
    ends,
    port: driver.port,
    advanced: (fits) => {
      const known = ends.find(fits);
      if (known !== undefined) return Promise.resolve(known);
      return new Promise((resolve) => void waiting.set(fits, resolve));
    },
  };
}

const WORKER = { worker: { port: 0 } };
const WORKER_PROGRAM = bundledProgram(new URL("scale/worker.ts", import.meta.url));
const isEnd =
  (run: string, status: RunEnd["status"]) =>
  (end: RunEnd): boolean =>
    end.run === run && end.status === status;

function start({ workflows }: Pick<Part, "workflows">, workflow: Workflow): Promise<string> {
  return workflows.runs.start(workflow);
}

/** A worker registers at an address of its own, and leaves. Resolves with the address. */
async function leaving(file: string, leave: (newer: Part) => Promise<void>): Promise<string> {
  const newer = await part(file, WORKER);
  const address = `http://127.0.0.1:${newer.port}`;
  await leave(newer);
  return address;
}

/** A worker in a process of its own, which dies without a word. */
async function killed(file: string): Promise<string> {
  const [port = 0] = await freePorts(1);
  const child = spawn(process.execPath, [WORKER_PROGRAM, placeFor(file), restate.url, String(port)], {
    stdio: ["ignore", "pipe", "ignore"],
    env: { ...process.env, ACKNOWLEDGED: "/dev/null" },
  });
  await once(child.stdout, "data");
  child.kill("SIGKILL");
  await once(child, "exit");
  return `http://127.0.0.1:${port}`;
}

describe("a driver on Restate", () => {
  it("advances a run that a process without a worker starts and answers", async () => {
    const file = newFile();
    const worker = await part(file, WORKER);
    const server = await part(file);
    expect([worker.driver.port === null, server.driver.port]).toEqual([false, null]);
    const run = await start(server, gated);
    const { questions } = await worker.advanced(isEnd(run, "paused"));
    expect(await server.workflows.runs.answer(questions[0]?.id ?? "", YES)).toBe(true);
    expect(await worker.advanced(isEnd(run, "completed"))).toMatchObject({ status: "completed" });
    expect([...worker.warnings, ...server.warnings]).toEqual([]);
  });

  it.each<[string, (file: string) => Promise<string>]>([
    ["stopped", async (file) => leaving(file, ({ driver }) => driver.stop())],
    ["drained", async (file) => leaving(file, ({ driver }) => driver.drain())],
    ["killed", killed],
  ])("takes the runs over from workers at a newer address that were %s, and says so", async (_how, end) => {
    const file = newFile();
    const old = await part(file, WORKER);
    const server = await part(file);
    const newer = await end(file);
    const run = await start(server, gated);
    expect(await old.advanced(isEnd(run, "paused"))).toMatchObject({ status: "paused" });
    const own = `http://127.0.0.1:${old.port}`;
    expect(old.warnings.filter((one) => one.includes("reached no worker"))).toEqual([
      ` NetworkDisconnect Restate reached no worker at ${newer}/, where it sent runs; it sends them to ${own} now`,
    ]);
  });

  it("wakes a waiting run on time, with a timer of Restate, and writes nothing for a timer that is no longer wanted", async () => {
    const file = newFile();
    // It sweeps so rarely that only the timer can wake the run.
    const worker = await part(file, { ...WORKER, lookEveryMs: 600_000 });
    const [timed, poked] = [await start(worker, retrying), await start(worker, retrying)];
    const { wakeAt } = await worker.advanced(isEnd(timed, "paused"));
    await worker.advanced(isEnd(poked, "paused"));
    await worker.workflows.runs.act(poked, "retry-now");
    await worker.advanced(isEnd(poked, "completed"));
    await worker.advanced(isEnd(timed, "completed"));
    const at: number[] = [];
    for await (const entry of worker.workflows.journal.read(timed)) at.push(entry.at);
    expect(at.at(-1)).toBeGreaterThanOrEqual(wakeAt ?? Infinity);
    const events = await eventsIn(worker.workflows.journal, poked);
    expect(places(events, "node-started")).toEqual(["a#1.1", "a#1.2"]);
    expect(events.at(-1)?.type).toBe("session-ended");
    expect(worker.warnings).toEqual([]);
  });

  it("continues a failed run in a successor", async () => {
    const worker = await part(newFile(), WORKER);
    isBroken = true;
    const run = await start(worker, failing);
    await worker.advanced(isEnd(run, "failed"));
    isBroken = false;
    const { run: successor } = await worker.workflows.runs.act(run, "retry-stage");
    expect(successor).not.toBe(run);
    await worker.advanced(isEnd(successor, "completed"));
    expect(places(await eventsIn(worker.workflows.journal, successor), "node-started")).toEqual(["b#1.1"]);
  });

  it("finds runs that were started and answered by programs that know nothing of Restate", async () => {
    const file = newFile();
    const other = createWorkflows({ journal: await openJournal(placeFor(file), {}), workflows: ALL, env: {} });
    onTestFinished(() => other.close());
    const early = await other.runs.start(gated);
    const worker = await part(file, WORKER);
    const { questions } = await worker.advanced(isEnd(early, "paused"));
    await other.runs.answer(questions[0]?.id ?? "", YES);
    expect(await worker.advanced(isEnd(early, "completed"))).toMatchObject({ run: early });
  });

  it("advances forty runs, at most four at a time", async () => {
    const file = newFile();
    const worker = await part(file, { worker: { port: 0 }, maxRuns: 4 });
    const runs = await Promise.all(Array.from({ length: 40 }, () => start(worker, gated)));
    const asked = await Promise.all(runs.map((run) => worker.advanced(isEnd(run, "paused"))));
    await Promise.all(asked.map(({ questions }) => worker.workflows.runs.answer(questions[0]?.id ?? "", YES)));
    await Promise.all(runs.map((run) => worker.advanced(isEnd(run, "completed"))));
    for (const run of runs) {
      const events = await eventsIn(worker.workflows.journal, run);
      expect(only(events, "run-ended")).toHaveLength(1);
      expect(only(events, "node-paused")).toHaveLength(1);
    }
    expect(worker.warnings).toEqual([]);
  });

  it("drains: a node that runs may end, another worker begins the next one, and no attempt is lost", async () => {
    const file = newFile();
    const first = await part(file, WORKER);
    const run = await start(first, twoNodes);
    await begun.promise;
    const second = await part(file, WORKER);
    const drained = first.driver.drain();
    goOn.resolve(undefined);
    await drained;
    await second.advanced(isEnd(run, "completed"));
    const events = await eventsIn(second.workflows.journal, run);
    expect(places(events, "node-started")).toEqual(["a#1.1", "b#1.1"]);
    expect(places(events, "node-completed")).toEqual(["a#1.1", "b#1.1"]);
    expect(actedBy).toEqual(["a", "b"]);
    expect(first.ends.map(({ status }) => status)).not.toContain("completed");
    expect([...first.warnings, ...second.warnings]).toEqual([]);
  });

  it("leaves new runs to the newest version, also when a worker of an old one starts again", async () => {
    const file = newFile();
    const [port = 0] = await freePorts(1);
    const old = await part(file, { worker: { port } });
    const next = await part(file, WORKER);
    await old.driver.stop();
    const restarted = await part(file, { worker: { port } });
    const run = await start(restarted, failing);
    await next.advanced((end) => end.run === run);
    expect(restarted.ends).toEqual([]);
  });

  it("serves a journal at an address at which Restate knows the worker of another one", async () => {
    const [port = 0] = await freePorts(1);
    const former = await part(newFile(), { worker: { port } });
    await former.driver.stop();
    const worker = await part(newFile(), { worker: { port } });
    const run = await start(worker, gated);
    await worker.advanced(isEnd(run, "paused"));
    expect(worker.warnings).toEqual([]);
  });

  it("does not start a worker under an address at which the worker of another journal answers", async () => {
    const other = await part(newFile(), WORKER);
    const advertise = `http://127.0.0.1:${other.driver.port}`;
    await expect(part(newFile(), { worker: { port: 0, advertise } })).rejects.toThrow(
      `Restate reaches another program at ${advertise}, which serves faultline-`,
    );
    // The other one is still registered.
    await other.advanced(isEnd(await start(other, gated), "paused"));
  });

  it("warns when workers of two journals take the same address from each other", async () => {
    const [one = 0, two = 0] = await freePorts(2);
    const behind = [one];
    const balancer = await startBalancer(behind);
    onTestFinished(() => balancer.close());
    const advertise = `http://127.0.0.1:${balancer.port}`;
    const first = await part(newFile(), { worker: { port: one, advertise } });
    behind[0] = two;
    balancer.drop();
    const second = await part(newFile(), { worker: { port: two, advertise } });
    await second.driver.stop();
    behind[0] = one;
    balancer.drop();
    await first.advanced(isEnd(await start(first, gated), "paused"));
    const words = `a worker of another journal also registers ${advertise} at Restate`;
    // It warns at each look that finds the other one.
    expect(first.warnings.map((one) => one.includes(words))).toContain(true);
    expect(first.warnings.map((one) => one.includes(words))).not.toContain(false);
  });

  it("loses nothing when Restate is killed, nor when it comes back without its data", async () => {
    const own = await startRestate();
    onTestFinished(() => own.stop());
    const worker = await part(newFile(), WORKER, own.url);
    const [node] = own.nodes;
    const [waiting, timed] = [await start(worker, gated), await start(worker, retrying)];
    const { questions } = await worker.advanced(isEnd(waiting, "paused"));
    await worker.advanced(isEnd(timed, "paused"));
    await node?.kill();
    const late = await start(worker, gated);
    await worker.workflows.runs.answer(questions[0]?.id ?? "", YES);
    node?.loseData();
    await node?.restart();
    await worker.advanced(isEnd(waiting, "completed"));
    await worker.advanced(isEnd(late, "paused"));
    await worker.advanced(isEnd(timed, "completed"));
  });
});
