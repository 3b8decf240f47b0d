// Writes files into a folder. Existing files with other contents are kept unless the user asked to overwrite them.
// F1  Nothing is written before every file has been checked.
// F2  Nothing is written outside the folder, not even through a link in it.
// F3  A file is written as a whole, or not at all.

import { readFile, realpath, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join, sep } from "node:path";
import { readField } from "../../core/try-read.ts";
import { UsageError } from "../io.ts";
import { isMissingFile } from "../../host/missing-file.ts";
import { makeFolder } from "../../journal/files/file-store.ts";
import { refusedFile } from "../system-refusal.ts";

export interface WrittenFiles {
  readonly written: readonly string[];
  readonly overwritten: readonly string[];
  /** They existed with the same contents. */
  readonly unchanged: readonly string[];
  /** They exist with other contents, so nothing was written. */
  readonly inTheWay: readonly string[];
  /** Lines added to `.gitignore`. */
  readonly ignored: readonly string[];
}

export const GITIGNORE = ".gitignore";

export async function writeFiles(
  folder: string,
  files: ReadonlyMap<string, string>,
  ignores: readonly string[],
  { force }: { readonly force: boolean },
): Promise<WrittenFiles> {
  for (const name of [...files.keys(), ...(ignores.length === 0 ? [] : [GITIGNORE])]) await refuseOutside(folder, name);
  const there = new Map<string, string | null>();
  for (const name of files.keys()) there.set(name, await textAt(join(folder, name)));
  const named = (test: (before: string | null | undefined, text: string) => boolean): readonly string[] =>
    [...files].filter(([name, text]) => test(there.get(name), text)).map(([name]) => name);
  const written = named((before) => before === null);
  const other = named((before, text) => before !== null && before !== text);
  const unchanged = named((before, text) => before === text);
  if (other.length > 0 && !force) return { written: [], overwritten: [], unchanged, inTheWay: other, ignored: [] };
  for (const name of [...written, ...other]) await put(join(folder, name), files.get(name) ?? "");
  return { written, overwritten: other, unchanged, inTheWay: [], ignored: await addIgnores(folder, ignores) };
}

/** Appends the missing entries to `.gitignore`. */
async function addIgnores(folder: string, ignores: readonly string[]): Promise<readonly string[]> {
  const before = (await textAt(join(folder, GITIGNORE))) ?? "";
  const lines = new Set(before.split(/\r?\n/).map((line) => bare(line)));
  const missing = ignores.filter((line) => !lines.has(bare(line)));
  if (missing.length === 0) return [];
  const gap = before === "" || before.endsWith("\n") ? "" : "\n";
  await put(join(folder, GITIGNORE), `${before}${gap}${missing.join("\n")}\n`);
  return missing;
}

/** `/.faultline`, `.faultline/` and `.faultline` ignore the same folder. */
function bare(line: string): string {
  return line.trim().replace(/^\/|\/$/g, "");
}

async function refuseOutside(folder: string, name: string): Promise<void> {
  const root = await realpathOf(folder);
  // The nearest existing part of the path decides where the file would land.
  let part = join(folder, name);
  let real = await realpathOf(part);
  while (real === null && dirname(part) !== part) {
    part = dirname(part);
    real = await realpathOf(part);
  }
  if (root === null || real === root || real?.startsWith(root + sep) === true) return;
  throw new UsageError({
    "en": `Cannot write ${name}: a link in its path leads out of ${folder}.`,
    "zh-CN": `无法写入 ${name}：其路径中的链接指向 ${folder} 之外。`,
  });
}

/** null when the path does not exist. */
async function realpathOf(path: string): Promise<string | null> {
  try {
    return await realpath(path);
  } catch (error) {
    if (isMissingFile(error)) return null;
    throw refusedFile("write", path, error);
  }
}

async function textAt(path: string): Promise<string | null> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    if (isMissingFile(error)) return null;
    throw refusedFile("write", path, error);
  }
}

async function put(path: string, text: string): Promise<void> {
  try {
    await makeFolder(dirname(path));
  } catch (error) {
    const named = readField(error as object, "path");
    const folder = typeof named === "string" ? named : dirname(path);
    throw refusedFile("folder", folder, error);
  }
  // A disk that is full must not leave half a file, or lose the one that was there.
  const draft = `${(await realpathOf(path)) ?? path}.new`;
  try {
    await writeFile(draft, text);
    await rename(draft, draft.slice(0, -".new".length));
  } catch (error) {
    await rm(draft, { force: true });
    throw refusedFile("write", path, error);
  }
}
