// Output that is too large or too raw for the journal, such as a transcript, as files beside it. Without secrets,
// with a limit on their size, readable by their owner only, and gone with their session.

import { nodeFs } from "../../host/builtin.ts";
import { join } from "node:path";
import type { Redactor } from "../../core/fault/redact.ts";
import { fileNameOf, isFileName } from "./artefact-names.ts";
import { fit } from "./artefact-text.ts";
import { unfit } from "../journal-faults.ts";
import type { FileStore, JournalFiles } from "./file-store.ts";
import { folderStore } from "./folder-store.ts";

export interface Artefact {
  readonly session: string;
  readonly call: string;
  readonly name: string;
  readonly content: string | Uint8Array;
}

export interface KeptArtefact {
  /** Names it for `readArtefact`: `session/call/name`, as the files are called. */
  readonly ref: string;
  /** Hash and size of the file on disk. */
  readonly bytes: number;
  /** It was longer: its middle is missing. */
  readonly cut: boolean;
}

export interface ArtefactOptions {
  readonly maxBytes?: number;
  readonly redactor: Redactor;
}

const MAX_BYTES = 1024 * 1024;
/** A limit below this would leave nothing but the mark that says so. */
const LEAST_BYTES = 256;

/** The folder in which a journal keeps large outputs of failed attempts. */
export function artefactsFolder(journalPath: string): string {
  return `${journalPath}.artefacts`;
}

/** Where the files about failed stages of runs are, a folder for each run. */
export function runsFolder(journalPath: string): string {
  return `${journalPath}.runs`;
}

/** The files of a journal in a file of its own. */
export function filesBeside(journalPath: string): JournalFiles {
  return { artefacts: folderStore(artefactsFolder(journalPath)), runs: folderStore(runsFolder(journalPath)) };
}

/** Writes the file and syncs it, so that an entry that names it never points at nothing. A second one of the same name gets a number. */
export async function keepArtefact(
  store: FileStore,
  { session, call, name, content }: Artefact,
  { maxBytes = MAX_BYTES, redactor }: ArtefactOptions,
): Promise<KeptArtefact> {
  if (!(maxBytes >= LEAST_BYTES)) throw unfit(`maxBytes must be at least ${LEAST_BYTES}, and is ${maxBytes}.`);
  const { bytes, cut } = fit(content, maxBytes, redactor);
  const folder = `${fileNameOf(session)}/${fileNameOf(call)}`;
  const file = await store.writeNew(folder, fileNameOf(name), bytes);
  return { ref: `${folder}/${file}`, bytes: bytes.length, cut };
}

/** Whether it has the form of a `ref`; one that has not could lead out of the folder. */
export function isArtefactRef(ref: string): boolean {
  const parts = ref.split("/");
  return parts.length === 3 && parts.every(isFileName);
}

/** `place`: the artefacts of a journal (`journal.files.artefacts`), or their folder. null when it is not there: its session was removed. */
export async function readArtefact(place: string | FileStore, ref: string): Promise<Uint8Array | null> {
  if (!isArtefactRef(ref)) {
    throw unfit(`${JSON.stringify(ref)} names no artefact. Use the ref of an artefact-kept entry.`);
  }
  return (typeof place === "string" ? folderStore(place) : place).read(ref);
}

/** In one go, because the session is removed within a transaction. */
export function removeArtefacts(folder: string, session: string): void {
  nodeFs().rmSync(join(folder, fileNameOf(session)), { recursive: true, force: true });
}
