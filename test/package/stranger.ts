// The package as a stranger has it: in a project of their own, with its dependencies and nothing else.

import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

export const ROOT = fileURLToPath(new URL("../..", import.meta.url));

export interface Manifest {
  readonly version: string;
  readonly exports: Readonly<Record<string, string | Readonly<Record<string, string | object>>>>;
  readonly files: readonly string[];
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
  readonly peerDependencies: Readonly<Record<string, string>>;
  readonly peerDependenciesMeta: Readonly<Record<string, { readonly optional?: boolean }>>;
  readonly repository?: { readonly url: string };
  readonly homepage?: string;
  readonly bugs?: object;
  readonly keywords?: readonly string[];
  readonly publishConfig?: object;
}

export const manifestOf = (folder: string): Manifest =>
  JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as Manifest;

/** Doors for tests. They import Vitest, which a program may not have, and which refuses `require()`. */
export const NEEDS_VITEST: readonly string[] = ["faultline/testing/journal-suite", "faultline/testing/vitest"];

/** The doors for programs, by the name that a program imports. */
export const DOORS: readonly string[] = Object.entries(manifestOf(ROOT).exports).flatMap(([path, target]) =>
  typeof target === "string" ? [] : [path.replace(".", "faultline")],
);

/** The package as `npm pack` makes it. */
export function pack(): string {
  const folder = mkdtempSync(join(tmpdir(), "faultline-packed-"));
  const flags = ["pack", "--ignore-scripts", "--silent", "--pack-destination", folder];
  return join(folder, execFileSync("npm", flags, { cwd: ROOT, encoding: "utf8" }).trim());
}

/** A project with this package, what it depends on, and `also` of this repository's packages. */
export function strangerProject({
  also = [],
  type = "module",
}: { also?: readonly string[]; type?: string } = {}): string {
  const folder = mkdtempSync(join(tmpdir(), "faultline-stranger-"));
  const modules = join(folder, "node_modules");
  const add = (name: string): void => {
    mkdirSync(dirname(join(modules, name)), { recursive: true });
    symlinkSync(join(ROOT, "node_modules", name), join(modules, name), "junction");
  };
  const wanted = [...Object.keys(manifestOf(ROOT).dependencies ?? {}), ...also];
  const installed = new Set<string>();
  for (let name = wanted.pop(); name !== undefined; name = wanted.pop()) {
    if (installed.has(name)) continue;
    installed.add(name);
    add(name);
    wanted.push(...Object.keys(manifestOf(join(ROOT, "node_modules", name)).dependencies ?? {}));
  }
  for (const name of ["@types/node", "undici-types"]) add(name);
  // A copy: what it imports must be found from this folder.
  mkdirSync(join(modules, "faultline"));
  for (const part of ["dist", "package.json"])
    cpSync(join(ROOT, part), join(modules, "faultline", part), { recursive: true });
  writeFileSync(join(folder, "package.json"), JSON.stringify({ type }));
  return folder;
}
