// Everything about workflows as one object: read files, start runs, drive them, look at them. What the CLI and a program use.

import { createFaultline } from "../faultline.ts";
import { type Clock, systemClock } from "../host/clock.ts";
import { systemChance } from "../host/chance.ts";
import { createMemoryJournal } from "../journal/memory.ts";
import type { Journal } from "../journal/journal.ts";
import { createDriver, type Driver, type DriverOptions } from "./driver.ts";
import { type LoadedFile, WorkflowLoader } from "./load.ts";
import { secretsIn } from "./known-keys.ts";
import { createRuns, type WorkflowRuns } from "./runs.ts";
import type { RunsOptions } from "./runs-options.ts";

export interface WorkflowsOptions extends Omit<RunsOptions, "load"> {
  /** For commands, tools and the keys of providers; the process's own when left out. */
  readonly env?: Readonly<Record<string, string | undefined>>;
}

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

export function createWorkflows({ env = process.env, ...options }: WorkflowsOptions = {}): Workflows {
  const clock = options.clock ?? systemClock;
  const chance = options.chance ?? systemChance;
  const journal = options.journal ?? createMemoryJournal({ clock, chance });
  const shared = { ...options, clock, chance, journal, secrets: [...(options.secrets ?? []), ...secretsIn(env)] };
  const loader = new WorkflowLoader({ clock, env, runtime: createFaultline(shared) });
  const runs = createRuns({ ...shared, load: (source) => loader.source(source) });
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
