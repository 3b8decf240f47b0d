// Everything about workflows as one object: read files, start runs, drive them, look at them. What the CLI and a program use.

import { FAULTLINE_OPTIONS } from "../faultline.ts";
import type { Clock } from "../host/clock.ts";
import type { Journal } from "../journal/journal.ts";
import { createDriver, type Driver, type DriverOptions } from "./driver.ts";
import { type LoadedFile, WorkflowLoader } from "./definition/load.ts";
import { secretsIn } from "./definition/known-keys.ts";
import { checkOptions } from "../options/check-options.ts";
import { shape } from "../options/kind.ts";
import { environmentKind } from "../runtime/option-shapes.ts";
import { resolveRunsOptions, RUNS_OPTIONS, type RunsOptions } from "./runs-options.ts";
import { WorkflowRuns } from "./runs.ts";

/** Options of `createWorkflows`. */
export interface WorkflowsOptions extends Omit<RunsOptions, "load"> {
  /** For commands, tools and the keys of providers; the process's own when left out. */
  readonly env?: Readonly<Record<string, string | undefined>>;
}

/** Workflow files and their runs. */
export interface Workflows {
  readonly journal: Journal;
  readonly clock: Clock;
  readonly runs: WorkflowRuns;
  /** Reads and checks a workflow file; runs nothing. */
  file(path: string): Promise<LoadedFile>;
  /** A loop that advances every run that is due; several processes may have one. */
  driver(options?: DriverOptions): Driver;
  /** Stops what runs as a crash would, ends tools, and closes the journal. */
  close(): Promise<void>;
}

const WORKFLOWS_OPTIONS = shape<WorkflowsOptions>({
  ...FAULTLINE_OPTIONS,
  workflows: RUNS_OPTIONS.workflows,
  worker: RUNS_OPTIONS.worker,
  env: environmentKind,
});

/** Loads workflow files and runs them. */
export function createWorkflows(given: WorkflowsOptions = {}): Workflows {
  const { env = process.env, ...options } = checkOptions("createWorkflows", given, WORKFLOWS_OPTIONS);
  const secrets = [...(options.secrets ?? []), ...secretsIn(env)];
  const home = resolveRunsOptions({ ...options, secrets, load: (source) => loader.source(source) });
  const { journal, clock, faultline } = home;
  const loader = new WorkflowLoader({ clock, env, runtime: faultline });
  const runs = new WorkflowRuns(home);
  return {
    journal,
    clock,
    runs,
    file: (path) => loader.file(path),
    driver: (driving) => createDriver(runs, { journal, clock }, driving),
    async close() {
      await runs.stop();
      await loader.close();
      await journal.close();
    },
  };
}
