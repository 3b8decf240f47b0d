// Packages that are too heavy for the repository, installed into a folder outside of it and reused.

import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";

export interface Packages {
  /** Part of the folder's name. */
  readonly name: string;
  readonly dependencies: Readonly<Record<string, string>>;
  /** Which of their install scripts may run. */
  readonly allowScripts?: Readonly<Record<string, boolean>>;
  /** Versions of what they depend on. */
  readonly overrides?: Readonly<Record<string, string>>;
}

/** Returns their folder `node_modules`. `tell` hears that an install begins. */
export function installPackages({ name, ...wanted }: Packages, tell: () => void): string {
  const manifest = JSON.stringify({ name, private: true, ...wanted });
  const hash = createHash("sha256").update(manifest).digest("hex").slice(0, 12);
  const folder = join(tmpdir(), `faultline-${name}-${hash}`);
  const modules = join(folder, "node_modules");
  const stamp = join(folder, "installed");
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === manifest) return modules;
  tell();
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "package.json"), manifest);
  npmInstall(folder);
  writeFileSync(stamp, manifest);
  return modules;
}

/** With this Node first on the PATH: with an older one npm silently installs older versions. */
export const PATH_WITH_THIS_NODE = [dirname(process.execPath), process.env["PATH"] ?? ""].join(delimiter);

function npmInstall(folder: string): void {
  // npm passes its own location to scripts, and also its working folder, which is the repository.
  const npmCli = process.env["npm_execpath"];
  const args = ["install", "--prefix", folder, "--no-audit", "--no-fund", "--loglevel=error"];
  const [command, ...before] = npmCli?.endsWith(".js") === true ? [process.execPath, npmCli] : ["npm"];
  const done = spawnSync(command, [...before, ...args], {
    cwd: folder,
    env: { ...process.env, npm_config_local_prefix: undefined, PATH: PATH_WITH_THIS_NODE },
    stdio: ["ignore", "inherit", "inherit"],
  });
  if (done.status !== 0) {
    throw new Error(`npm could not install ${folder} (exit code ${done.status ?? "none"}). Is there a network?`);
  }
}
