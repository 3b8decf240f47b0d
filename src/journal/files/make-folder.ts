// Makes a folder and the folders above it. Node's own `mkdir(…, { recursive: true })` never returns where a file system answers
// "no such file" although the parent exists, as /proc does: it makes the parent and tries again, for ever.

import { nodeFsPromises } from "../../host/builtin.ts";
import { dirname } from "node:path";

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
