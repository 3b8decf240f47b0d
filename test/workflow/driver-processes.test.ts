// Drivers in real processes on one journal: they share the work, and take over from a killed one at once.

import { spawn, type ChildProcessWithoutNullStreams } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { describe, expect, it, onTestFinished } from "vitest";
import { type Journal, openJournal } from "../../src/index.ts";
import { freshJournalUrl } from "../postgres/shared-server.ts";
import { bundledProgram } from "../support/bundled-program.ts";
import { eventsIn, newFile, only } from "../support/engine-world.ts";

interface DriverProcess {
  readonly child: ChildProcessWithoutNullStreams;
  readonly lines: readonly string[];
  readonly stop: () => Promise<void>;
}

const SCRIPT = bundledProgram(new URL("../support/driver-process.ts", import.meta.url));

function startDriver(
  path: string,
  effects: string,
  onLine: () => void,
  env: Record<string, string> = {},
): DriverProcess {
  const child = spawn(process.execPath, [SCRIPT, path, effects], {
    stdio: "pipe",
    env: { ...process.env, NODE_NO_WARNINGS: "1", ...env },
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  const lines: string[] = [];
  createInterface({ input: child.stdout }).on("line", (line) => {
    lines.push(line);
    onLine();
  });
  const ended = once(child, "exit");
  return {
    child,
    lines,
    async stop() {
      child.stdin.end();
      await ended;
    },
  };
}

/** Resolves once the processes have printed the wanted lines. */
function watching(): { readonly ring: () => void; readonly until: (isSo: () => boolean) => Promise<void> } {
  let look: () => void = () => undefined;
  return {
    ring: () => look(),
    until: (isSo) =>
      new Promise((resolve) => {
        look = () => {
          if (isSo()) resolve();
        };
        look();
      }),
  };
}

/** Also in its own process: a function's source text depends on how the file was loaded. */
async function begin(path: string, count: number, env: Record<string, string> = {}): Promise<Journal> {
  const child = spawn(process.execPath, [SCRIPT, path, "", String(count)], { env: { ...process.env, ...env } });
  await once(child, "exit");
  return openJournal(path, {});
}

async function checkRun(journal: Journal, run: string): Promise<void> {
  const events = await eventsIn(journal, run);
  expect(only(events, "run-ended"), run).toMatchObject([{ status: "completed" }]);
  expect(
    only(events, "node-completed").map(({ node }) => node),
    run,
  ).toEqual(["a", "b"]);
  const seqs: number[] = [];
  for await (const { seq } of journal.read(run)) seqs.push(seq);
  expect(seqs).toEqual(seqs.map((_, index) => index + 1));
}

describe.each([
  { store: "SQLite", newPlace: (file: string): Promise<string> => Promise.resolve(file) },
  { store: "PostgreSQL", newPlace: (): Promise<string> => freshJournalUrl() },
])("drivers in separate processes, on a journal in $store", ({ newPlace }) => {
  it("share thirty runs: each is advanced by one at a time, and every effect happens once", async () => {
    const file = newFile();
    const path = await newPlace(file);
    const effects = `${file}.effects`;
    const ids = Array.from({ length: 30 }, (_, index) => `run-${String(index).padStart(2, "0")}`);
    const journal = await begin(path, ids.length);
    const { ring, until } = watching();
    const drivers = [startDriver(path, effects, ring), startDriver(path, effects, ring)];
    const done = (): readonly string[] =>
      [...new Set(drivers.flatMap(({ lines }) => lines.filter((line) => line !== "ready")))].toSorted();
    await until(() => done().length === ids.length);
    for (const { stop } of drivers) await stop();
    expect(done()).toEqual(ids.map((run) => `done ${run}`));
    const lines = readFileSync(effects, "utf8").trim().split("\n");
    expect(lines.toSorted()).toEqual(ids.flatMap((run) => [`${run} a`, `${run} b`]));
    for (const run of ids) await checkRun(journal, run);
    expect(await journal.verify()).toMatchObject({ firstBad: null });
    await journal.close();
  }, 60_000);

  it("take over from a killed one at once, without repeating its finished work", async () => {
    const file = newFile();
    const path = await newPlace(file);
    const effects = `${file}.effects`;
    const journal = await begin(path, 1, { HANGS: "1" });
    const { ring, until } = watching();
    const first = startDriver(path, effects, ring, { HANGS: "1" });
    await until(() => first.lines.includes("hangs run-00"));
    const second = startDriver(path, effects, ring);
    await until(() => second.lines.includes("ready"));
    const killed = once(first.child, "exit");
    first.child.kill("SIGKILL");
    await killed;
    const [held] = await journal.holds();
    await until(() => second.lines.includes("done run-00"));
    const events = await eventsIn(journal, "run-00");
    const times: number[] = [];
    for await (const { at } of journal.read("run-00")) times.push(at);
    // Before the dead driver's hold had expired: it was not waited for.
    expect(Math.max(...times)).toBeLessThan(held?.until ?? 0);
    expect(only(events, "session-resumed").length).toBeGreaterThan(0);
    expect(readFileSync(effects, "utf8").trim().split("\n")).toEqual(["run-00 a", "run-00 b"]);
    await checkRun(journal, "run-00");
    await second.stop();
    await journal.close();
  }, 60_000);
});
