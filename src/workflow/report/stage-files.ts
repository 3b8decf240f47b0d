// Keeps files about a failed stage in the folder of its run: raw output, events, and what they mean. Invariants:
// these:
// F1  writing again gives the same files: after a crash, and when nothing has changed.
// F2  A file exists completely or not at all, and only its owner can read it.
// F3  nothing is written that has not passed the redactor.

import { nodeFsPromises } from "../../host/builtin.ts";
import { dirname, join } from "node:path";
import type { Redactor } from "../../core/fault/redact.ts";
import { readField } from "../../core/try-read.ts";
import { fileNameOf } from "../../journal/files/artefact-names.ts";
import { runsFolder } from "../../journal/files/artefacts.ts";
import type { NewEntry } from "../../journal/journal.ts";
import { storeError } from "../../journal/store-errors.ts";
import { type KnownOfNode, rawNameOf, stageFiles } from "./stage-file-content.ts";
import { failedAttempts, StageMemory } from "./stage-file-records.ts";
import { makeFolder } from "../../journal/files/make-folder.ts";

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

/** Where the files of a run are. */
export function runFolder(journalPath: string, run: string): string {
  return join(runsFolder(journalPath), fileNameOf(run));
}

/** Gives the names of the files that were written, relative to the folder of the run: those about failed stages that have changed. */
export async function writeStageFiles(folder: string, about: StageFilesAbout): Promise<readonly string[]> {
  const { run, memory, coming, raw, knownOf, redactor } = about;
  const records = memory.after(coming);
  try {
    const before = new Map<string, string>();
    for (const stage of records.changed.filter((one) => failedAttempts(one).length > 0)) {
      const name = rawNameOf(stage);
      before.set(name, (await readIfThere(join(folder, name))) ?? "");
    }
    const files = stageFiles(records, { run, raw, before, knownOf, redactor });
    for (const { name, text } of files) await replace(join(folder, name), text);
    memory.wrote(records);
    return files.map(({ name }) => name);
  } catch (error) {
    throw storeError(error, { run });
  }
}

/** Two branches may fail at once and write about the same round. */
let written = 0;
const UNFINISHED = /\.(\d+)-\d+\.tmp$/;

async function replace(path: string, text: string): Promise<void> {
  if ((await readIfThere(path)) === text) return;
  await makeFolder(dirname(path), { mode: 0o700 });
  await removeUnfinished(dirname(path));
  const unfinished = `${path}.${process.pid}-${++written}.tmp`;
  const handle = await nodeFsPromises().open(unfinished, "w", 0o600);
  try {
    await handle.writeFile(text);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await nodeFsPromises().rename(unfinished, path);
}

/** Drafts that a crash left behind. One process at a time advances a run, so no other process needs them. */
async function removeUnfinished(folder: string): Promise<void> {
  for (const name of await nodeFsPromises().readdir(folder)) {
    const writer = UNFINISHED.exec(name)?.[1];
    if (writer !== undefined && Number(writer) !== process.pid)
      await nodeFsPromises().rm(join(folder, name), { force: true });
  }
}

async function readIfThere(path: string): Promise<string | null> {
  try {
    return await nodeFsPromises().readFile(path, "utf8");
  } catch (error) {
    if (error instanceof Error && readField(error, "code") === "ENOENT") return null;
    throw error;
  }
}
