// Where a journal keeps files: beside its own file, or in its database. Paths have `/` between their parts, whatever the system.

import { dirname, join, relative } from "node:path";
import { readField } from "../../core/try-read.ts";
import { nodeFs, nodeFsPromises } from "../../host/builtin.ts";
import { isMissingFile } from "../../host/missing-file.ts";
import { storeError } from "../store-errors.ts";

export interface FileStore {
  /** As people find it on this machine; null for files in a database. */
  readonly folder: string | null;
  /** Writes a file under a name that is free: a second one of the same name gets a number. Returns the name. It is on disk afterwards. */
  writeNew(folder: string, name: string, bytes: Uint8Array): Promise<string>;
  /** Writes a file, or replaces it: all of it or nothing. A file with this content is left alone. */
  replace(path: string, content: string | Uint8Array): Promise<void>;
  /** null when there is no file of that name. Follows no links. */
  read(path: string): Promise<Uint8Array | null>;
  /** The paths of all files, in order. */
  list(): Promise<readonly string[]>;
  /** The same for a folder in it. */
  within(folder: string): FileStore;
}

/** The files of a journal: what failed attempts printed, and what runs leave behind for people. */
export interface JournalFiles {
  readonly artefacts: FileStore;
  readonly runs: FileStore;
}

const MAX_SAME_NAME = 1000;

/** `name`, `name~2`, `name~3` …: the first one that `isNew` could write. */
export async function firstFreeName(name: string, isNew: (name: string) => Promise<boolean>): Promise<string> {
  for (let number = 1; number < MAX_SAME_NAME; number++) {
    const file = number === 1 ? name : `${name}~${number}`;
    if (await isNew(file)) return file;
  }
  throw new Error(`there are ${MAX_SAME_NAME} files called ${name}`);
}

// Files of a journal in folders of this machine. Invariants:
// F1  A file exists completely or not at all, and only its owner can read it.
// F2  What a crash left behind half-written is removed with the next file of its folder.

export function folderStore(root: string): FileStore {
  return {
    folder: root,
    async writeNew(folder, name, bytes) {
      const place = join(root, folder);
      try {
        await makeFolder(place, { mode: 0o700 });
        return await firstFreeName(name, (file) => writeIfNew(join(place, file), bytes));
      } catch (error) {
        throw storeError(error);
      }
    },
    async replace(path, content) {
      try {
        await replaceFile(join(root, path), Buffer.from(content));
      } catch (error) {
        throw storeError(error);
      }
    },
    read: (path) => readWithoutLinks(join(root, path)),
    async list() {
      try {
        const found = await nodeFsPromises().readdir(root, { recursive: true, withFileTypes: true });
        return found
          .filter((entry) => entry.isFile())
          .map(({ parentPath, name }) => relative(root, join(parentPath, name)))
          .toSorted();
      } catch (error) {
        if (isMissingFile(error)) return [];
        throw storeError(error);
      }
    },
    within: (folder) => folderStore(join(root, folder)),
  };
}

async function writeIfNew(path: string, bytes: Uint8Array): Promise<boolean> {
  try {
    const handle = await nodeFsPromises().open(path, "wx", 0o600);
    try {
      await handle.writeFile(bytes);
      await handle.sync();
    } finally {
      await handle.close();
    }
    return true;
  } catch (error) {
    if (error instanceof Error && readField(error, "code") === "EEXIST") return false;
    throw error;
  }
}

/** Two branches of a run may fail at once and write about the same round. */
let written = 0;
const UNFINISHED = /\.(\d+)-\d+\.tmp$/;

async function replaceFile(path: string, content: Buffer): Promise<void> {
  const there = await readWithoutLinks(path);
  if (there !== null && content.equals(there)) return;
  await makeFolder(dirname(path), { mode: 0o700 });
  await removeUnfinished(dirname(path));
  const unfinished = `${path}.${process.pid}-${++written}.tmp`;
  const handle = await nodeFsPromises().open(unfinished, "w", 0o600);
  try {
    await handle.writeFile(content);
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

async function readWithoutLinks(path: string): Promise<Uint8Array | null> {
  const { constants } = nodeFs();
  try {
    const handle = await nodeFsPromises().open(path, constants.O_RDONLY | constants.O_NOFOLLOW);
    try {
      return await handle.readFile();
    } finally {
      await handle.close();
    }
  } catch (error) {
    if (isMissingFile(error)) return null;
    throw storeError(error);
  }
}

// Makes a folder and the folders above it. Node's own `mkdir(…, { recursive: true })` never returns where a file system answers
// "no such file" although the parent exists, as /proc does: it makes the parent and tries again, for ever.

/** Rejects with the system's error when a folder cannot be created; an existing folder is left unchanged. */
export async function makeFolder(path: string, options: { readonly mode?: number } = {}): Promise<void> {
  const missing: string[] = [];
  let at = path;
  while (!(await isThere(at))) {
    missing.push(at);
    if (dirname(at) === at) break;
    at = dirname(at);
  }
  for (const folder of missing.toReversed()) await makeOne(folder, options);
  if (missing.length === 0 && !(await nodeFsPromises().stat(path)).isDirectory())
    await nodeFsPromises().mkdir(path, options);
}

async function makeOne(folder: string, options: { readonly mode?: number }): Promise<void> {
  try {
    await nodeFsPromises().mkdir(folder, options);
  } catch (error) {
    // Another process may have made it at the same moment.
    if (codeOf(error) !== "EEXIST" || !(await nodeFsPromises().stat(folder)).isDirectory()) throw error;
  }
}

async function isThere(path: string): Promise<boolean> {
  try {
    await nodeFsPromises().stat(path);
    return true;
  } catch (error) {
    if (codeOf(error) === "ENOENT") return false;
    throw error;
  }
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && "code" in error ? error.code : undefined;
}
