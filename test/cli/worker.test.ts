// `faultline worker` as a real process: it advances runs with and without Restate, and drains. What it says when it cannot start needs no
// process.

import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { type Entry, openJournal } from "../../src/index.ts";
import { createWorkflows, type Workflows } from "../../src/workflow/workflows.ts";
import { startPostgres } from "../postgres/server.ts";
import { freePorts } from "../support/free-ports.ts";
import { type RestateServers, startRestate } from "../support/restate-server.ts";
import { runCli } from "../support/run-cli.ts";

const MAIN = fileURLToPath(new URL("../../dist/cli/main.js", import.meta.url));
const SECRET = "s3cret-of-the-operator";

const TWO_NODES = `faultline: 1
workflow: { id: two-nodes, version: "1" }
nodes:
  a: { type: command, run: sh lasts.sh, next: b }
  b: { type: command, run: echo done, next: end }
`;

interface WorkerProcess {
  readonly child: ChildProcessByStdio<null, Readable, Readable>;
  readonly line: (fits: RegExp) => Promise<string>;
  /** Sends SIGTERM; resolves when the worker has said that it drains. */
  readonly drain: () => Promise<void>;
  readonly exitCode: Promise<number | null>;
  readonly stop: () => Promise<number | null>;
}

function startCommand(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  cwd = process.cwd(),
): WorkerProcess {
  const child = spawn(process.execPath, [MAIN, ...args], {
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, LANG: "en", ...env },
    cwd,
  });
  const ended = once(child, "exit");
  onTestFinished(async () => {
    child.kill("SIGKILL");
    await ended;
  });
  const lines: string[] = [];
  let look: () => void = () => undefined;
  for (const input of [child.stdout, child.stderr])
    createInterface({ input }).on("line", (line) => {
      lines.push(line);
      look();
    });
  const line: WorkerProcess["line"] = (fits) =>
    new Promise((resolve, reject) => {
      look = () => {
        const found = lines.find((one) => fits.test(one));
        if (found !== undefined) resolve(found);
      };
      void ended.then(() => reject(new Error(lines.join("\n"))));
      look();
    });
  const exitCode = ended.then(([code]) => code as number | null);
  return {
    child,
    line,
    exitCode,
    async drain() {
      child.kill("SIGTERM");
      await line(/^Draining: /);
    },
    async stop() {
      child.kill("SIGTERM");
      return exitCode;
    },
  };
}

interface Home {
  readonly folder: string;
  readonly journal: string;
  readonly workflows: Workflows;
  /** Node `a` runs until this is called, however long other processes take to start. */
  readonly endFirstNode: () => void;
}

async function home(address?: string): Promise<Home> {
  const folder = mkdtempSync(join(tmpdir(), "faultline-worker-"));
  writeFileSync(join(folder, "two.faultline.yaml"), TWO_NODES);
  const sign = join(folder, "lasts");
  writeFileSync(sign, "");
  writeFileSync(join(folder, "lasts.sh"), "while [ -e lasts ]; do sleep 0.1; done\n");
  const journal = address ?? join(folder, "journal.db");
  const workflows = createWorkflows({ journal: await openJournal(journal, {}), env: {} });
  onTestFinished(async () => {
    await workflows.close();
    rmSync(folder, { recursive: true });
  });
  return { folder, journal, workflows, endFirstNode: () => rmSync(sign) };
}

async function startRun({ folder, workflows }: Home): Promise<string> {
  const { workflow, diagnostics } = await workflows.file(join(folder, "two.faultline.yaml"));
  if (workflow === null) throw new Error(JSON.stringify(diagnostics));
  return workflows.runs.start(workflow);
}

/** Resolves when the node does that. */
function nodeEvent({ journal }: Workflows, run: string, type: string, node: string): Promise<void> {
  return new Promise((resolve) => {
    const listen = ({ event }: Entry): void => {
      if (event.type === type && "node" in event && event.node === node) resolve();
    };
    onTestFinished(journal.subscribe(listen, { session: run, after: 0 }));
  });
}

let restate: RestateServers;
beforeAll(async () => {
  restate = await startRestate();
});
afterAll(() => restate.stop());

describe("faultline worker", () => {
  it("without a driver advances runs that other programs start, and drains on SIGTERM", async () => {
    const place = await home();
    const worker = startCommand(["worker", "--journal", place.journal]);
    await worker.line(/^Advancing the runs of .*journal\.db, up to 16 at a time\.$/);
    const run = await startRun(place);
    await nodeEvent(place.workflows, run, "node-started", "a");
    await worker.drain();
    place.endFirstNode();
    expect(await worker.exitCode).toBe(0);
    const report = await place.workflows.runs.show(run);
    expect(report?.state.visits.map(({ node, state }) => `${node} ${state}`)).toEqual(["a completed", "b ready"]);
  });

  it.each(["sqlite", "postgres"])(
    "on Restate and %s drains during a rolling deploy: the next version continues the run, and the server only hands it over",
    async (store) => {
      const postgres = store === "postgres" ? await startPostgres() : null;
      onTestFinished(() => postgres?.stop());
      const place = await home(postgres?.url);
      const on = ["--journal", place.journal, "--driver", restate.url];
      const server = startCommand(["serve", ...on, "--port", "0"], {}, place.folder);
      await server.line(/^Restate at 127\.0\.0\.1:\d+ drives its runs; workers advance them\.$/);
      const old = startCommand(["worker", ...on, "--listen", "127.0.0.1:0"]);
      await old.line(/^Restate at 127\.0\.0\.1:\d+ drives them; it calls this worker on port \d+\.$/);
      const run = await startRun(place);
      await nodeEvent(place.workflows, run, "node-started", "a");
      const next = startCommand(["worker", ...on, "--listen", "127.0.0.1:0"]);
      await next.line(/calls this worker on port/);
      await old.drain();
      place.endFirstNode();
      expect(await old.exitCode).toBe(0);
      await nodeEvent(place.workflows, run, "node-completed", "b");
      const report = await place.workflows.runs.show(run);
      expect(report?.state.visits.map(({ node, attempt }) => `${node} ${attempt}`)).toEqual(["a 1", "b 1"]);
      await next.stop();
      await server.stop();
    },
  );

  it("that is killed for good, with its address: the newest version continues its run, and repeats no command", async () => {
    const place = await home();
    const on = ["--journal", place.journal, "--driver", restate.url, "--listen", "127.0.0.1:0"];
    const old = startCommand(["worker", ...on]);
    await old.line(/calls this worker on port/);
    const run = await startRun(place);
    await nodeEvent(place.workflows, run, "node-started", "a");
    const next = startCommand(["worker", ...on]);
    await next.line(/calls this worker on port/);
    old.child.kill("SIGKILL");
    await nodeEvent(place.workflows, run, "run-ended", "a");
    expect((await place.workflows.runs.show(run))?.summary).toMatchObject({ nodes: ["a"], code: "Interrupted" });
    const begun: string[] = [];
    for await (const { event } of place.workflows.journal.read(run))
      if (event.type === "call-admitted") begun.push(event.call);
    expect(begun).toEqual(["a#1.1/command-1"]);
    expect(await next.stop()).toBe(0);
  });

  it.each([
    ["worker", "http://127.0.0.1:8080", "usage", "the driver's address is not an address of Restate; write restate://"],
    [
      "worker",
      `restate://ops:${SECRET}@h:x`,
      "usage",
      'the driver\'s address has the host "h:x", which is not one; write',
    ],
    [
      "serve",
      `restate:/ops:${SECRET}@h`,
      "usage",
      "the driver's address is not an address of Restate; write restate://",
    ],
  ])("%s --driver %s is refused with a sentence", async (command, driver, exit, says) => {
    const { folder } = await home();
    const run = await runCli([command, "--journal", join(folder, "x.db"), "--driver", driver], { isHere: true });
    expect(run).toMatchObject({ exit, stdout: "" });
    expect(run.stderr).toContain(`faultline: ${says}`);
    expect(run.stderr).not.toContain(SECRET);
  });

  it("says which Restate it cannot reach, without its password", async () => {
    const { journal } = await home();
    const [ingress, admin] = await freePorts(2);
    const driver = `restate://ops:${SECRET}@127.0.0.1:${ingress}?admin=127.0.0.1:${admin}`;
    const run = await runCli(["worker", "--journal", journal, "--driver", driver, "--listen", "127.0.0.1:0"], {
      env: { FAULTLINE_RESTATE_TOKEN: SECRET },
      isHere: true,
    });
    expect(run).toMatchObject({ exit: "failed", stdout: "" });
    expect(run.stderr).toContain(`faultline: Restate cannot be reached at 127.0.0.1:${admin} (`);
    expect(run.stderr).not.toContain(SECRET);
  });

  it("says that Restate cannot reach the address it advertises", async () => {
    const { journal } = await home();
    const [free] = await freePorts(1);
    const advertise = `http://127.0.0.1:${free}`;
    const args = ["--driver", restate.url, "--listen", "127.0.0.1:0", "--advertise", advertise];
    const run = await runCli(["worker", "--journal", journal, ...args], { isHere: true });
    expect(run).toMatchObject({ exit: "failed", stdout: "" });
    expect(run.stderr).toContain(`faultline: Restate refused the worker at ${advertise} (`);
    expect(run.stderr).toContain("check that Restate can reach this address (--advertise)");
  });

  it("accepts only requests that Restate has signed, when it is given Restate's key", async () => {
    const { journal } = await home();
    const run = await runCli(
      ["worker", "--journal", journal, "--driver", restate.url, "--listen", "127.0.0.1:0"],
      // A key that this Restate does not have.
      {
        env: { FAULTLINE_RESTATE_IDENTITY_KEY: "publickeyv1_w7YHemBctH5Ck2nQRQ47iBBqhNHy4FV7t2Usbye2A6f" },
        isHere: true,
      },
    );
    expect([run.exit, run.stderr]).toEqual(["failed", expect.stringContaining("Restate refused the worker")]);
  });
});
