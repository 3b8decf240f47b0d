// The files about failed stages of a run: raw output, events, and what they mean. When they are written, and which there are.
// F1  writing again gives the same files: after a crash, and when nothing has changed.
// F2  nothing is written that has not passed the redactor.

import { classify } from "../../core/classify/classify.ts";
import type { Redactor } from "../../core/fault/redact.ts";
import { suppressed } from "../../core/fault/suppressed.ts";
import { turnOf } from "../../core/flow/node.ts";
import type { Visit } from "../../core/flow/visit.ts";
import { fileNameOf } from "../../journal/files/artefact-names.ts";
import type { FileStore, JournalFiles } from "../../journal/files/file-store.ts";
import type { Journal, NewEntry } from "../../journal/journal.ts";
import { storeError } from "../../journal/store-errors.ts";
import type { Session } from "../../runtime/session/session.ts";
import type { VisitEnd } from "../advance/run-visit.ts";
import type { RunsDeps } from "../runs-options.ts";
import { type KnownOfNode, rawNameOf, stageFiles } from "./stage-file-content.ts";
import { failedAttempts, StageMemory } from "./stage-file-records.ts";
import type { Workflow } from "../../workflow-model/stage.ts";

/** Writes the files about failed attempts of one run. It reads each entry of the run once. */
export class RunFiles {
  readonly #home: Pick<RunsDeps, "journal" | "clock">;
  readonly #session: Session;
  readonly #workflow: Workflow;
  readonly #memory: StageMemory;

  constructor(home: Pick<RunsDeps, "journal" | "clock">, session: Session, workflow: Workflow) {
    this.#home = home;
    this.#session = session;
    this.#workflow = workflow;
    this.#memory = new StageMemory((node) => workflow.stages.get(node)?.role ?? null);
  }

  /** Called before the event that tells of the failure is written. A disk that takes no files does not end a run. */
  async keep(visit: Visit, { events, raw, output }: VisitEnd): Promise<void> {
    const { journal, clock } = this.#home;
    const { id, redactor } = this.#session;
    if (journal.files === null) return;
    const at = clock.now();
    try {
      for await (const entry of journal.read(id, this.#memory.seq)) this.#memory.add(entry);
      await writeStageFiles(filesOfRun(journal.files, id), {
        run: id,
        memory: this.#memory,
        coming: events.map((event) => ({ at, event })),
        raw: new Map([[turnOf(visit), raw]]),
        knownOf: (node) => ({
          targets: this.#workflow.targetsOf(node),
          sendBackTo: this.#workflow.sendBackTo(node),
          hasPartialOutput: node === visit.node && output !== undefined && output !== null,
        }),
        redactor,
      });
    } catch (error) {
      const { type, fault, reason } = suppressed(
        classify({ surface: "store", error, observedAt: at }),
        `the files about node ${visit.node} could not be written; the run continues`,
        at,
      );
      await this.#session.record([{ type, fault, reason }]);
    }
  }
}

export async function filesOf(
  journal: Journal,
  run: string,
): Promise<{ readonly files: readonly string[]; readonly folder: string | null }> {
  if (journal.files === null) return { files: [], folder: null };
  const store = filesOfRun(journal.files, run);
  return { files: await store.list(), folder: store.folder };
}

/** The visit's files by name: `rounds/02/coder_raw.md`. */
export function filesOfVisit(
  { node, execution }: Pick<Visit, "node" | "execution">,
  files: readonly string[],
): readonly string[] {
  const round = `rounds/${String(execution).padStart(2, "0")}/`;
  return files.filter((file) => file.startsWith(`${round}${node}_`) || file.startsWith(`${round}${node}.`));
}

/** A file of the run, without following links; null when there is none of that name. Only names that `filesOf` lists are read. */
export async function readRunFile(journal: Journal, run: string, name: string): Promise<Uint8Array | null> {
  if (journal.files === null) return null;
  const store = filesOfRun(journal.files, run);
  return (await store.list()).includes(name) ? store.read(name) : null;
}

export interface StageFilesAbout {
  readonly run: string;
  /** What was read of the run. */
  readonly memory: StageMemory;
  /** What is about to be written: the event that tells of the failure comes after its files. */
  readonly coming: readonly NewEntry[];
  /** Raw output by turn (see `turnOf`), as far as it is at hand; what was written before stays. */
  readonly raw: ReadonlyMap<string, string>;
  readonly knownOf: (node: string) => KnownOfNode;
  readonly redactor: Redactor;
}

/** The files of one run. */
export function filesOfRun(files: JournalFiles, run: string): FileStore {
  return files.runs.within(fileNameOf(run));
}

/** Gives the names of the files that were written, relative to the folder of the run: those about failed stages that have changed. */
export async function writeStageFiles(store: FileStore, about: StageFilesAbout): Promise<readonly string[]> {
  const { run, memory, coming, raw, knownOf, redactor } = about;
  const records = memory.after(coming);
  try {
    const before = new Map<string, string>();
    for (const stage of records.changed.filter((one) => failedAttempts(one).length > 0)) {
      const name = rawNameOf(stage);
      before.set(name, Buffer.from((await store.read(name)) ?? []).toString("utf8"));
    }
    const files = stageFiles(records, { run, raw, before, knownOf, redactor });
    for (const { name, text } of files) await store.replace(name, text);
    memory.wrote(records);
    return files.map(({ name }) => name);
  } catch (error) {
    throw storeError(error, { run });
  }
}
