// The workflows of existing runs: those the program passed in, and those whose text the journal keeps.

import { FaultError, isFaultError } from "../../core/fault/fault-error.ts";
import type { Journal } from "../../journal/journal.ts";
import { definitionGone } from "../operator/run-faults.ts";
import type { Workflow, WorkflowSource } from "../../workflow-model/stage.ts";

interface Sought {
  readonly workflow: string;
  readonly digest: string;
  /** Two copies of one text run in two folders. */
  readonly file: string | null;
}

/** Texts are made into workflows again when they are needed; so many are held. */
const MANY = 50;

export class WorkflowLibrary {
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
