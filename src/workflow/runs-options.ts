// The options for running workflows, and their defaults.

import { createRedactor, type Redactor } from "../core/fault/redact.ts";
import type { Locale } from "../core/fault/words/words.ts";
import { createFaultline, type Faultline, FAULTLINE_OPTIONS, type FaultlineOptions } from "../faultline.ts";
import { type Chance, systemChance } from "../host/chance.ts";
import { type Clock, systemClock } from "../host/clock.ts";
import { createWorker, type Worker } from "../host/worker.ts";
import { BY_PROGRAM } from "../journal/audit.ts";
import type { Journal } from "../journal/journal.ts";
import { checkOptions } from "../options/check-options.ts";
import { callable, having, listOf, shape } from "../options/kind.ts";
import { journalOf } from "../runtime/options.ts";
import { RunReader } from "./report/run-reader.ts";
import { policyOfRuns } from "../core/policy/runs-policy.ts";
import type { Workflow, WorkflowSource } from "../workflow-model/stage.ts";
import { WorkflowLibrary } from "./definition/workflow-library.ts";

/** Options of `createRuns`. */
export interface RunsOptions extends FaultlineOptions {
  /** Workflows written in TypeScript, so that their runs are found again after a restart. */
  readonly workflows?: readonly Workflow[];
  /** Makes a workflow of a text the journal has kept; without it only workflows given here can be resumed. */
  readonly load?: (source: WorkflowSource) => Promise<Workflow>;
  /** Names this process among those that share the journal. */
  readonly worker?: Worker;
}

export interface RunsDeps {
  readonly journal: Journal;
  readonly clock: Clock;
  readonly chance: Chance;
  readonly redactor: Redactor;
  readonly locale: Locale;
  readonly worker: Worker;
  readonly library: WorkflowLibrary;
  readonly reader: RunReader;
  /** All runs use one runtime, so that they share breakers, pauses and queues. */
  readonly faultline: Faultline;
}

export const DEFAULT_BY = BY_PROGRAM;

export const RUNS_OPTIONS = shape<RunsOptions>({
  ...FAULTLINE_OPTIONS,
  workflows: listOf(having("a workflow made by defineWorkflow", "id", "stages", "digest")),
  load: callable,
  worker: having("a worker, with a name and isGone()", "name", "isGone"),
});

export function resolveRunsOptions(given: RunsOptions): RunsDeps {
  const { workflows = [], load, worker, ...options } = checkOptions("createRuns", given, RUNS_OPTIONS);
  const clock = options.clock ?? systemClock;
  const chance = options.chance ?? systemChance;
  const journal = journalOf(options.journal, { clock, chance });
  const policy = policyOfRuns(options.policy ?? "default");
  const library = new WorkflowLibrary(journal, load ?? null);
  for (const workflow of workflows) library.add(workflow);
  return {
    journal,
    clock,
    chance,
    redactor: createRedactor(options.secrets ?? []),
    locale: options.locale ?? "en",
    worker: worker ?? createWorker(chance),
    library,
    reader: new RunReader(journal),
    faultline: createFaultline({ ...options, clock, chance, journal, policy }),
  };
}
