// Keeps files about a failed stage in the folder of its run: raw output, events, and what they mean. Invariants:
// these:
// F1  writing again gives the same files: after a crash, and when nothing has changed.
// F2  nothing is written that has not passed the redactor.

import type { Redactor } from "../../core/fault/redact.ts";
import { fileNameOf } from "../../journal/files/artefact-names.ts";
import type { FileStore, JournalFiles } from "../../journal/files/file-store.ts";
import type { NewEntry } from "../../journal/journal.ts";
import { storeError } from "../../journal/store-errors.ts";
import { type KnownOfNode, rawNameOf, stageFiles } from "./stage-file-content.ts";
import { failedAttempts, StageMemory } from "./stage-file-records.ts";

export { StageMemory };
export type { KnownOfNode };

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
