// The options for running workflows with their defaults, the workflows a program knows, and the reader of their runs.

import { createRedactor, type Redactor } from "../core/fault/redact.ts";
import type { Locale } from "../core/fault/words/words.ts";
import { createFaultline, type Faultline, FAULTLINE_OPTIONS, type FaultlineOptions } from "../faultline.ts";
import { type Chance, systemChance } from "../host/chance.ts";
import { type Clock, systemClock } from "../host/clock.ts";
import { createWorker, type Worker } from "../host/worker.ts";
import { BY_PROGRAM } from "../journal/audit.ts";
import type { Journal } from "../journal/journal.ts";
import { callable, checkOptions, having, listOf, shape } from "../options/check-options.ts";
import { journalOf } from "../runtime/options.ts";
import { policyOfRuns } from "../core/policy/presets.ts";
import type { Workflow, WorkflowSource } from "../workflow-model/stage.ts";
import { emptySession, foldEntry, type SessionState } from "../core/record/replay.ts";
import type { Entry } from "../core/record/event.ts";
import { readSession } from "../runtime/session/open-session.ts";
import { FaultError, isFaultError } from "../core/fault/fault.ts";
import { definitionGone } from "./operator/run-faults.ts";

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

// Folds runs from their journal. A command asks for the same run at several steps (to show it, to act on it, to advance it), so the run
// that was read last stays folded and the next step reads only the entries that came since.
// RR1  Each entry of a run is folded once, however many steps ask for the run in turn.
// RR2  The session that advances a run folds on with the state read here. Whichever sees an entry first folds it; the other skips it.

class RunReader {
  readonly #journal: Journal;
  #last: SessionState | null = null;

  constructor(journal: Journal) {
    this.#journal = journal;
  }

  /** The run as the journal has it now. Later reads fold on in place: copy what you keep. */
  async read(run: string): Promise<SessionState> {
    const known = this.#last;
    if (known?.session !== run) return (this.#last = await this.#fold(run));
    await this.#each(run, known.seq, (entry) => {
      if (entry.seq > known.seq) foldEntry(known, entry);
    });
    return known;
  }

  /** Reads the run from its first entry and passes every entry on, for readers that need the history as well as the state. */
  async readAll(run: string, take: (entry: Entry) => void): Promise<void> {
    const state = emptySession(run);
    await this.#each(run, 0, (entry) => {
      foldEntry(state, entry);
      take(entry);
    });
    this.#last = state;
  }

  #fold(run: string): Promise<SessionState> {
    return readSession(
      {
        kept: (kind, key) => this.#journal.kept(kind, key),
        each: (session, after, take) => this.#each(session, after, take),
      },
      run,
    );
  }

  async #each(run: string, after: number, take: (entry: Entry) => void): Promise<void> {
    for await (const entry of this.#journal.read(run, after)) take(entry);
  }
}

// The workflows of existing runs: those the program passed in, and those whose text the journal keeps.

interface Sought {
  readonly workflow: string;
  readonly digest: string;
  /** Two copies of one text run in two folders. */
  readonly file: string | null;
}

/** Texts are made into workflows again when they are needed; so many are held. */
const MANY = 50;

class WorkflowLibrary {
  readonly #journal: Journal;
  readonly #load: ((source: WorkflowSource) => Promise<Workflow>) | null;
  readonly #known = new Map<string, Workflow>();

  constructor(journal: Journal, load: ((source: WorkflowSource) => Promise<Workflow>) | null) {
    this.#journal = journal;
    this.#load = load;
  }

  add(workflow: Workflow): void {
    this.#known.set(keyOf(workflow.digest, workflow.source?.file ?? null), workflow);
    // Workflows without a text cannot be loaded again, so they stay.
    const texts = [...this.#known].filter(([, { source }]) => source !== null);
    for (const [key] of texts.slice(0, Math.max(0, texts.length - MANY))) this.#known.delete(key);
  }

  async get(sought: Sought): Promise<Workflow> {
    const found = await this.find(sought);
    if (found === null) throw new FaultError(definitionGone(sought));
    return found;
  }

  /** For readers: null also when the kept text is not a workflow for this version of the program. */
  async findReadable(sought: Sought): Promise<Workflow | null> {
    try {
      return await this.find(sought);
    } catch (error) {
      if (isFaultError(error)) return null;
      throw error;
    }
  }

  /** null when it is neither known nor kept. */
  async find({ digest, file }: Sought): Promise<Workflow | null> {
    const known = this.#known.get(keyOf(digest, file));
    if (known !== undefined) return known;
    const source = (await this.#journal.kept("definition", digest)) as WorkflowSource | null | undefined;
    if (source === null || source === undefined || this.#load === null) return null;
    const workflow = await this.#load({ ...source, file: file ?? source.file });
    this.add(workflow);
    return workflow;
  }
}

function keyOf(digest: string, file: string | null): string {
  return `${digest} ${file ?? ""}`;
}
