// Output that is too large or too raw for the journal, such as a transcript, as files beside it. Without secrets,
// with a limit on their size, readable by their owner only, and gone with their session.

import { nodeFs, nodeFsPromises } from "../../host/builtin.ts";
import { join } from "node:path";
import type { Redactor } from "../../core/fault/redact.ts";
import { readField } from "../../core/try-read.ts";
import { fileNameOf, isFileName } from "./artefact-names.ts";
import { fit } from "./artefact-text.ts";
import { unfit } from "../journal-faults.ts";
import { storeError } from "../store-errors.ts";
import { isMissingFile } from "../../host/missing-file.ts";
import { makeFolder } from "./make-folder.ts";

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
const MAX_SAME_NAME = 1000;

/** The folder in which a journal keeps large outputs of failed attempts. */
export function artefactsFolder(journalPath: string): string {
  return `${journalPath}.artefacts`;
}

/** Where the files about failed stages of runs are, a folder for each run. */
export function runsFolder(journalPath: string): string {
  return `${journalPath}.runs`;
}

/** Writes the file and syncs it, so that an entry that names it never points at nothing. A second one of the same name gets a number. */
export async function keepArtefact(
  folder: string,
  { session, call, name, content }: Artefact,
  { maxBytes = MAX_BYTES, redactor }: ArtefactOptions,
): Promise<KeptArtefact> {
  if (!(maxBytes >= LEAST_BYTES)) throw unfit(`maxBytes must be at least ${LEAST_BYTES}, and is ${maxBytes}.`);
  const { bytes, cut } = fit(content, maxBytes, redactor);
  const path = [fileNameOf(session), fileNameOf(call)] as const;
  const fileName = fileNameOf(name);
  try {
    await makeFolder(join(folder, ...path), { mode: 0o700 });
    const file = await writeNew(join(folder, ...path), fileName, bytes);
    return { ref: [...path, file].join("/"), bytes: bytes.length, cut };
  } catch (error) {
    throw storeError(error);
  }
}

/** Whether it has the form of a `ref`; one that has not could lead out of the folder. */
export function isArtefactRef(ref: string): boolean {
  const parts = ref.split("/");
  return parts.length === 3 && parts.every(isFileName);
}

/** null when it is not there: its session was removed. */
export async function readArtefact(folder: string, ref: string): Promise<Uint8Array | null> {
  const parts = ref.split("/");
  if (!isArtefactRef(ref)) {
    throw unfit(`${JSON.stringify(ref)} names no artefact. Use the ref of an artefact-kept entry.`);
  }
  try {
    return await nodeFsPromises().readFile(join(folder, ...parts));
  } catch (error) {
    if (isMissingFile(error)) return null;
    throw storeError(error);
  }
}

/** In one go, because the session is removed within a transaction. */
export function removeArtefacts(folder: string, session: string): void {
  nodeFs().rmSync(join(folder, fileNameOf(session)), { recursive: true, force: true });
}

async function writeNew(folder: string, name: string, bytes: Uint8Array): Promise<string> {
  for (let number = 1; ; number++) {
    const file = number === 1 ? name : `${name}~${number}`;
    try {
      const handle = await nodeFsPromises().open(join(folder, file), "wx", 0o600);
      try {
        await handle.writeFile(bytes);
        await handle.sync();
      } finally {
        await handle.close();
      }
      return file;
    } catch (error) {
      if (!hasCode(error, "EEXIST") || number === MAX_SAME_NAME) throw error;
    }
  }
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && readField(error, "code") === code;
}
