// Files of a journal in folders of this machine. Invariants:
// F1  A file exists completely or not at all, and only its owner can read it.
// F2  What a crash left behind half-written is removed with the next file of its folder.

import { dirname, join, relative } from "node:path";
import { readField } from "../../core/try-read.ts";
import { nodeFs, nodeFsPromises } from "../../host/builtin.ts";
import { isMissingFile } from "../../host/missing-file.ts";
import { storeError } from "../store-errors.ts";
import { type FileStore, firstFreeName } from "./file-store.ts";
import { makeFolder } from "./make-folder.ts";

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
