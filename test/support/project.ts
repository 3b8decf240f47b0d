// A project that has Faultline and the packages of this repository installed.

import { mkdirSync, mkdtempSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

export function createProject(files: Iterable<readonly [name: string, text: string]>): string {
  const folder = mkdtempSync(join(tmpdir(), "faultline-project-"));
  mkdirSync(join(folder, "node_modules"));
  for (const name of readdirSync(join(ROOT, "node_modules")).filter((one) => !one.startsWith(".")))
    symlinkSync(join(ROOT, "node_modules", name), join(folder, "node_modules", name));
  symlinkSync(ROOT, join(folder, "node_modules", "faultline"));
  writeFileSync(join(folder, "package.json"), JSON.stringify({ type: "module" }));
  for (const [name, text] of files) writeFileSync(join(folder, name), text);
  return folder;
}
