// The world of a row: a workflow file, a SQLite journal and scripted agent CLIs in their own folder, and the fault-injecting
// provider, all on a clock that the test controls. A life is a process that uses the journal; the next one sees only its file.

// Loaded before the test's clock runs, because the clock would not wait for the files.
import "@ai-sdk/openai";
import "@ai-sdk/anthropic";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { onTestFinished } from "vitest";
import { type Chaos, startChaos } from "../../../src/chaos/start-chaos.ts";
import { type Clock, systemClock } from "../../../src/host/clock.ts";
import { type Entry, fault, FaultError, type Journal, openJournal } from "../../../src/index.ts";
import { tryRead } from "../../../src/core/try-read.ts";
import type { FakeClock } from "../../../src/testing/fake-clock.ts";
import { createSeededChance } from "../../../src/testing/seeded-chance.ts";
import type { RunEnd } from "../../../src/workflow/runs-api.ts";
import type { LoadedFile } from "../../../src/workflow/definition/load.ts";
import { createWorkflows, type Workflows } from "../../../src/workflow/workflows.ts";
import { captureOf } from "../../agent/captures/read-captures.ts";
import { driven, placeFor } from "../../support/test-servers.ts";
import { createMatrixClock } from "./clock.ts";
import type { CliDeed, Row } from "./row.ts";

export interface Life extends LoadedFile {
  readonly workflows: Workflows;
}

export interface MatrixWorld {
  readonly clock: FakeClock;
  readonly chaos: Chaos;
  readonly folder: string;
  readonly journal: Journal;
  readonly life: Life;
  /** Another process on the same journal; the previous one is gone. */
  readonly nextLife: () => Promise<Life>;
  readonly advance: (run: string) => Promise<RunEnd>;
  readonly run: <T>(work: Promise<T>) => Promise<T>;
  readonly entries: (run: string) => Promise<readonly Entry[]>;
  /** Starts of scripted CLIs and of the programs in `tools/`, by name, oldest first. */
  readonly started: () => readonly string[];
  /** Processes that hang and are still alive. */
  readonly hanging: () => number;
  /** Refuses the next n appends to the journal. */
  readonly refuseAppends: (count: number) => void;
  /** When each of those was requested, and the first that succeeded, within one life. */
  readonly appendsAt: readonly number[];
}

const STARTED_AT = 1_800_000_000_000;
const FIXTURES = new URL("fixtures/", import.meta.url);

/** What a scripted CLI does: the next of its actions, recorded in `started.txt`; a hanging one reports it in `hanging/`. */
const PROGRAM = `
import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
const [kind, folder] = process.argv.slice(2);
const deeds = JSON.parse(readFileSync(folder + "/" + kind + ".json", "utf8"));
const deed = deeds.length > 1 ? deeds.shift() : deeds[0];
writeFileSync(folder + "/" + kind + ".json", JSON.stringify(deeds));
appendFileSync(folder + "/started.txt", kind + "\\n");
process.stdout.write(deed.stdout);
process.stderr.write(deed.stderr);
process.exitCode = deed.exitCode ?? 1;
if (deed.hangs) {
  setInterval(() => undefined, 1000);
  process.stdout.write("", () => writeFileSync(folder + "/hanging/" + process.pid, ""));
}
`;

/** The parts of a row that a world is built from. */
export type Setting = Pick<Row, "file" | "edits" | "rules" | "clis" | "inRealTime">;

/** Ten times as fast as it should be. */
function hurriedClock(): Clock {
  const startedAt = systemClock.now();
  return { ...systemClock, now: () => startedAt + 10 * (systemClock.now() - startedAt) };
}

export async function openWorld(row: Setting): Promise<MatrixWorld> {
  const folder = mkdtempSync(join(tmpdir(), "faultline-matrix-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const env = layOut(folder, row);
  const fake = createMatrixClock(STARTED_AT, () => hangingIn(folder));
  const clock: Clock =
    row.inRealTime === undefined ? fake : row.inRealTime === "hurried" ? hurriedClock() : systemClock;
  const chaos = await startChaos({ clock, scenario: { rules: [...(row.rules ?? [])] } });
  onTestFinished(() => chaos.close());

  const appendsAt: number[] = [];
  let toRefuse = -1;
  let lives = 0;
  let journal: Journal | null = null;
  let life: Life | null = null;

  async function nextLife(): Promise<Life> {
    lives += 1;
    toRefuse = -1;
    const seeded = createSeededChance(lives);
    const chance = {
      roll: () => seeded.roll(),
      newId: (prefix: string) => seeded.newId(`${prefix}${lives}`),
    };
    const file = await openJournal(placeFor(join(folder, "runs.db")), { clock, chance });
    const held = refusing(file, () => {
      if (toRefuse < 0) return false;
      appendsAt.push(clock.now());
      return toRefuse-- > 0;
    });
    const urls = { OPENAI_BASE_URL: chaos.openaiUrl, ANTHROPIC_BASE_URL: chaos.anthropicUrl };
    const keys = { OPENAI_API_KEY: "sk-of-the-test", ANTHROPIC_API_KEY: "sk-ant-of-the-test" };
    const worker = { name: `life-${lives}`, isGone: () => true };
    const workflows = createWorkflows({ journal: held, clock, chance, worker, env: { ...env, ...urls, ...keys } });
    onTestFinished(async () => void (await Promise.allSettled([run(workflows.close())])));
    journal = held;
    life = { workflows, ...(await workflows.file(join(folder, row.file))) };
    return life;
  }

  function run<T>(work: Promise<T>): Promise<T> {
    // The clock looks at the promise only when all is quiet; until then it must not count as unhandled.
    void Promise.allSettled([work]);
    return row.inRealTime === undefined ? fake.runUntil(work) : work;
  }

  await nextLife();
  const current = (): Life => {
    if (life === null) throw new Error("no process lives");
    return life;
  };
  return {
    clock: fake,
    chaos,
    folder,
    get journal() {
      if (journal === null) throw new Error("no process lives");
      return journal;
    },
    get life() {
      return current();
    },
    nextLife,
    advance: (id) => run(driven(() => current().workflows.runs.advance(id))),
    run,
    entries: async (id) => {
      const entries: Entry[] = [];
      for await (const entry of current().workflows.journal.read(id)) entries.push(entry);
      return entries;
    },
    started: () => linesOf(join(folder, "started.txt")),
    hanging: () => hangingIn(folder),
    refuseAppends: (count) => void (toRefuse = count),
    appendsAt,
  };
}

/** Writes the workflow, its tools and the CLIs; returns the environment in which they are found. */
function layOut(folder: string, { file, edits = {}, clis = {} }: Setting): Readonly<Record<string, string>> {
  const written = readFileSync(new URL(file, FIXTURES), "utf8");
  const text = Object.entries(edits).reduce((held, [from, to]) => replaced(held, from, to), written);
  writeFileSync(join(folder, file), text);
  for (const name of ["bin", "tools", "hanging"]) mkdirSync(join(folder, name));
  for (const name of readdirSync(new URL("tools/", FIXTURES))) {
    writeFileSync(join(folder, "tools", name), readFileSync(new URL(`tools/${name}`, FIXTURES)));
  }
  writeFileSync(join(folder, "started.txt"), "");
  writeFileSync(join(folder, "program.mjs"), PROGRAM);
  for (const [kind, deeds] of Object.entries(clis)) {
    writeFileSync(join(folder, `${kind}.json`), JSON.stringify(deeds.map(deedOf)));
    const script = `#!/bin/sh\nexec "${process.execPath}" "${folder}/program.mjs" ${kind} "${folder}" "$@"\n`;
    writeFileSync(join(folder, "bin", kind), script);
    chmodSync(join(folder, "bin", kind), 0o755);
  }
  const node = dirname(process.execPath);
  if (basename(process.execPath) !== "node") throw new Error("the tools of the workflows are run with node");
  return { PATH: [join(folder, "bin"), node, "/bin", "/usr/bin"].join(":"), HOME: folder };
}

function replaced(text: string, from: string, to: string): string {
  if (!text.includes(from)) throw new Error(`the workflow has no ${JSON.stringify(from)} that could be something else`);
  return text.replaceAll(from, to);
}

function deedOf(deed: CliDeed): unknown {
  if (typeof deed !== "string") return { stdout: deed.hangsAfter, stderr: "", exitCode: 0, hangs: true };
  const { stdout, stderr, exitCode } = captureOf(deed);
  return { stdout, stderr, exitCode, hangs: false };
}

/** Processes that reported that they hang and are still alive. */
function hangingIn(folder: string): number {
  const marks = join(folder, "hanging");
  return existsSync(marks) ? readdirSync(marks).filter((pid) => isRunning(Number(pid))).length : 0;
}

function isRunning(pid: number): boolean {
  return tryRead(() => process.kill(pid, 0), false);
}

function linesOf(path: string): readonly string[] {
  return readFileSync(path, "utf8")
    .split("\n")
    .filter((line) => line !== "");
}

/** The journal, with appends that fail as on an unresponsive disk. */
function refusing(journal: Journal, isRefused: () => boolean): Journal {
  return new Proxy(journal, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== "function") return value;
      const method = value as (...args: readonly unknown[]) => unknown;
      return (...args: readonly unknown[]): unknown => {
        if (name === "append" && isRefused())
          return Promise.reject(new FaultError(fault("StoreUnavailable", { message: "the disk does not answer" })));
        return method.apply(target, [...args]);
      };
    },
  });
}
