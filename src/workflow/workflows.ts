// Everything about workflows as one object: read files, start runs, drive them, look at them. What the CLI and a program use.

import { type Faultline, FAULTLINE_OPTIONS } from "../faultline.ts";
import type { Clock } from "../host/clock.ts";
import { lazyPart } from "../host/lazy-part.ts";
import type { Journal } from "../journal/journal.ts";
import { Bulks } from "./bulk/bulks.ts";
import { createDriver, type Driver, type DriverOptions } from "./driver.ts";
import type { Locale } from "../core/fault/words/words.ts";
import type { RunStreamEvent } from "../core/record/run-stream.ts";
import type { Timeline } from "../core/record/timeline.ts";
import { type CheckedText, checkText, type LoadedFile, WorkflowLoader } from "./definition/load.ts";
import { findWorkflow, knownWorkflows, type KnownWorkflow } from "./definition/known-workflows.ts";
import type { Workflow } from "../workflow-model/stage.ts";
import { secretsIn } from "./define.ts";
import { checkOptions, shape } from "../options/check-options.ts";
import { environmentKind } from "../runtime/option-shapes.ts";
import { policyOfRuns } from "../core/policy/presets.ts";
import type { FolderOptions, WorkflowFolder } from "./folder/workflow-folder.ts";
import type { RestateDriver, RestateDriverOptions } from "./restate/restate-driver.ts";
import { resolveRunsOptions, RUNS_OPTIONS, type RunsOptions } from "./runs-options.ts";
import type { Timelines } from "./report/timelines.ts";
import { WorkflowRuns } from "./runs.ts";

/** Loaded by the first reader: a program that only runs workflows needs none of it. */
const timelineReader = lazyPart(() => import("./report/timelines.ts"));
const restate = lazyPart(() => import("./restate/restate-driver.ts"));
const folderReader = lazyPart(() => import("./folder/workflow-folder.ts"));

/** Options of `createWorkflows`. */
export interface WorkflowsOptions extends Omit<RunsOptions, "load"> {
  /** For commands, tools and the keys of providers; the process's own when left out. */
  readonly env?: Readonly<Record<string, string | undefined>>;
}

/** Workflow files and their runs. */
export interface Workflows {
  readonly journal: Journal;
  readonly clock: Clock;
  /** The runtime that all runs share. */
  readonly faultline: Faultline;
  readonly runs: WorkflowRuns;
  /** One action on many runs that failed alike. */
  readonly bulks: Bulks;
  /** Reads and checks a workflow file; runs nothing. */
  file(path: string): Promise<LoadedFile>;
  /**
   * Loads all workflows of a folder, with its policy and tool manifests, and reloads files that change. The policy also applies to new
   * sessions and reported failures. Rejects when the folder cannot be read.
   */
  openFolder(path: string, options?: FolderOptions): Promise<WorkflowFolder>;
  /** Checks the text of a workflow; reads no other file. `name` stands in the diagnostics. */
  check(text: string, name: string): Promise<CheckedText>;
  /** The workflows there are: those given to this program, and those of the newest runs. */
  known(): Promise<readonly KnownWorkflow[]>;
  /** null when there is none of this id. */
  find(id: string): Promise<KnownWorkflow | null>;
  /** A session or run over time, as the journal has it now. Use it before the next `await`: later reads fold on in place. */
  timeline(session: string): Promise<Timeline>;
  /** Every event of a run so far; the one numbered `n` stands at `n - 1`. */
  events(run: string, locale: Locale): Promise<readonly RunStreamEvent[]>;
  /** A loop that advances every run that is due; several processes may have one. */
  driver(options?: DriverOptions): Driver;
  /** Hands runs over to Restate, and advances them here if this process is a worker. Needs `@restatedev/restate-sdk` for that. */
  restateDriver(options: RestateDriverOptions): Promise<RestateDriver>;
  /** Stops what runs as a crash would, ends tools, and closes the journal. */
  close(): Promise<void>;
}

const WORKFLOWS_OPTIONS = shape<WorkflowsOptions>({
  ...FAULTLINE_OPTIONS,
  workflows: RUNS_OPTIONS.workflows,
  worker: RUNS_OPTIONS.worker,
  env: environmentKind,
});

/**
 * Creates what loads and runs workflows, from YAML files or from TypeScript. Use it instead of `createFaultline` in a program that runs workflows; close it
 * at the end.
 *
 * @example
 * ```ts
 * import { createWorkflows } from "faultline/workflow";
 *
 * const workflows = createWorkflows({ journal: "agent.db" });
 * await workflows.close();
 * ```
 */
export function createWorkflows(given: WorkflowsOptions = {}): Workflows {
  const { env = process.env, ...options } = checkOptions("createWorkflows", given, WORKFLOWS_OPTIONS);
  const secrets = [...(options.secrets ?? []), ...secretsIn(env)];
  const deps = resolveRunsOptions({ ...options, secrets, load: (source) => loader.source(source) });
  const { journal, clock, faultline } = deps;
  const loader = new WorkflowLoader({ clock, env, runtime: faultline, locale: options.locale ?? "en" });
  const runs = new WorkflowRuns(deps);
  let timelines: Timelines | null = null;
  const reader = async (): Promise<Timelines> => {
    const { Timelines: Reader } = await timelineReader();
    return (timelines ??= new Reader(journal));
  };
  const folders: WorkflowFolder[] = [];
  const startable = (): readonly Workflow[] => [
    ...(options.workflows ?? []),
    ...folders.flatMap(({ workflows }) => workflows),
  ];

  async function openFolder(path: string, { onReload }: FolderOptions = {}): Promise<WorkflowFolder> {
    const { openWorkflowFolder } = await folderReader();
    const folder = await openWorkflowFolder(
      path,
      { clock, loader },
      {
        onReload: (report, policy) => {
          faultline.usePolicy(policy === null ? null : policyOfRuns(policy));
          onReload?.(report, policy);
        },
      },
    );
    folders.push(folder);
    return folder;
  }

  return {
    journal,
    clock,
    faultline,
    runs,
    bulks: new Bulks(deps, runs),
    file: (path) => loader.file(path),
    check: checkText,
    openFolder,
    known: () => knownWorkflows(deps, startable()),
    find: (id) => findWorkflow(deps, startable(), id),
    timeline: async (session) => (await reader()).read(session),
    events: async (run, locale) => (await reader()).events(run, locale),
    driver: (driving) => createDriver(runs, { journal, clock }, driving),
    restateDriver: async (driving) => (await restate()).createRestateDriver({ ...deps, runs }, driving),
    async close() {
      for (const folder of folders) folder.close();
      await runs.stop();
      await loader.close();
      await journal.close();
    },
  };
}
