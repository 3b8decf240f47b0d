// The world of an action: a workflow file, a SQLite journal, programs and fake agent CLIs in their own folder, and the
// fault-injecting provider, on a clock that the test controls.

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
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";
import type { ScenarioRule } from "../../../src/chaos/scenario-schema.ts";
import { type Chaos, startChaos } from "../../../src/chaos/start-chaos.ts";
import { tryRead } from "../../../src/core/try-read.ts";
import { type Entry, type Journal, openJournal } from "../../../src/index.ts";
import type { FakeClock } from "../../../src/testing/fake-clock.ts";
import { createSeededChance } from "../../../src/testing/seeded-chance.ts";
import type { RunEnd, RunReport } from "../../../src/workflow/runs-api.ts";
import type { WorkflowRuns } from "../../../src/workflow/runs.ts";
import type { Workflow } from "../../../src/workflow-model/stage.ts";
import { createWorkflows } from "../../../src/workflow/workflows.ts";
import { driven, placeFor } from "../../support/test-servers.ts";
import { createMatrixClock } from "../matrix/clock.ts";

export interface Setting {
  /** The workflow, without its first two lines. */
  readonly yaml: string;
  /** The provider's scenario; by default it answers well. */
  readonly rules?: readonly ScenarioRule[];
  /** Files for the folder, by name, written before the run starts. */
  readonly files?: Readonly<Record<string, string>>;
  /** Fake agent CLIs: modules that run in the folder instead of them. Each start is recorded in `started.txt`. */
  readonly clis?: Readonly<Record<string, string>>;
  readonly inputs?: Readonly<Record<string, unknown>>;
}

export interface ActionsWorld {
  readonly clock: FakeClock;
  readonly chaos: Chaos;
  readonly folder: string;
  readonly journal: Journal;
  readonly runs: WorkflowRuns;
  readonly workflow: Workflow;
  /** The environment for keys and programs. A test may change it while the workflows are open, as `process.env` changes. */
  readonly env: Record<string, string>;
  readonly start: () => Promise<string>;
  readonly advance: (run: string) => Promise<RunEnd>;
  readonly show: (run: string) => Promise<RunReport>;
  /** Awaits it while the clock runs. */
  readonly until: <T>(work: Promise<T>) => Promise<T>;
  readonly entries: (run: string) => Promise<readonly Entry[]>;
  /** Requests by model, after the first n. */
  readonly asked: (model: string, after?: number) => readonly string[];
  /** Lines of a file that programs write to; none if it does not exist. */
  readonly lines: (name: string) => readonly string[];
  readonly write: (name: string, text: string) => void;
}

export const STARTED_AT = 1_800_000_000_000;

export async function openWorld({
  yaml,
  rules = [],
  files = {},
  clis = {},
  inputs = {},
}: Setting): Promise<ActionsWorld> {
  const folder = mkdtempSync(join(tmpdir(), "faultline-actions-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const write = (name: string, text: string): void => writeFileSync(join(folder, name), text);
  write("flow.yaml", `faultline: 1\nworkflow: { id: flow, version: "1" }\n${yaml}`);
  for (const name of ["bin", "hanging"]) mkdirSync(join(folder, name));
  for (const [name, text] of Object.entries(files)) write(name, text);
  for (const [name, source] of Object.entries(clis)) {
    write(`${name}.mjs`, `${PRELUDE}${source}`);
    const script = `#!/bin/sh\nexec "${process.execPath}" "${folder}/${name}.mjs" "${folder}" ${name} "$@"\n`;
    write(`bin/${name}`, script);
    chmodSync(join(folder, "bin", name), 0o755);
  }
  const clock = createMatrixClock(STARTED_AT, () => hangingIn(folder));
  const chaos = await startChaos({ clock, scenario: { rules: [...rules] } });
  onTestFinished(() => chaos.close());
  const env: Record<string, string> = {
    PATH: [join(folder, "bin"), dirname(process.execPath), "/bin", "/usr/bin"].join(":"),
    HOME: folder,
    OPENAI_BASE_URL: chaos.openaiUrl,
    ANTHROPIC_BASE_URL: chaos.anthropicUrl,
    OPENAI_API_KEY: "sk-of-the-test",
    ANTHROPIC_API_KEY: "sk-ant-of-the-test",
  };
  const chance = createSeededChance(1);
  const journal = await openJournal(placeFor(join(folder, "runs.db")), { clock, chance });
  const workflows = createWorkflows({ journal, clock, chance, env, worker: { name: "here", isGone: () => true } });
  const { runs } = workflows;

  function until<T>(work: Promise<T>): Promise<T> {
    // The clock looks at the promise only when all is quiet; until then it must not count as unhandled.
    void Promise.allSettled([work]);
    return clock.runUntil(work);
  }
  onTestFinished(async () => void (await Promise.allSettled([until(workflows.close())])));
  const { workflow, diagnostics } = await workflows.file(join(folder, "flow.yaml"));
  if (workflow === null) throw new Error(JSON.stringify(diagnostics, null, 1));
  return {
    ...{ clock, chaos, folder, journal, runs, workflow, env, until, write },
    start: () => until(runs.start(workflow, { inputs })),
    advance: (run) => until(driven(() => runs.advance(run))),
    show: async (run) => {
      const report = await until(runs.show(run));
      if (report === null) throw new Error(`there is no run ${run}`);
      return report;
    },
    entries: async (run) => {
      const entries: Entry[] = [];
      for await (const entry of journal.read(run)) entries.push(entry);
      return entries;
    },
    asked: (model, after = 0) =>
      chaos
        .received()
        .filter((request) => request.model === model)
        .slice(after)
        .map(({ body }) => JSON.stringify(body)),
    lines: (name) =>
      (existsSync(join(folder, name)) ? readFileSync(join(folder, name), "utf8") : "").split("\n").filter(Boolean),
  };
}

/** The head of every fake CLI: its folder, its arguments, and a way to report that it hangs. */
const PRELUDE = `
import { appendFileSync, existsSync, writeFileSync } from "node:fs";
const [folder, name, ...args] = process.argv.slice(2);
appendFileSync(folder + "/started.txt", name + " " + JSON.stringify(args) + "\\n");
const hang = () => {
  setInterval(() => undefined, 1000);
  process.stdout.write("", () => writeFileSync(folder + "/hanging/" + process.pid, ""));
};
`;

/** Processes that reported that they hang and are still alive. */
function hangingIn(folder: string): number {
  const marks = join(folder, "hanging");
  if (!existsSync(marks)) return 0;
  return readdirSync(marks).filter((pid) => tryRead(() => process.kill(Number(pid), 0), false)).length;
}
