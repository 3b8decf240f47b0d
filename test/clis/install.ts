// Installs the agent CLIs, in the versions of the table, into a folder outside the repository.

import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import type { AgentKind } from "../../src/index.ts";

export type RealCli = Exclude<AgentKind, "generic">;

export interface Release {
  readonly kind: RealCli;
  readonly npmPackage: string;
  readonly version: string;
  /** Where the package is available. */
  readonly runsHere: boolean;
}

const isLinuxX64 = process.platform === "linux" && process.arch === "x64";

export const RELEASES: readonly Release[] = [
  { kind: "claude", npmPackage: "@anthropic-ai/claude-code", version: "2.1.325", runsHere: true },
  { kind: "codex", npmPackage: "@openai/codex", version: "0.166.0", runsHere: true },
  { kind: "gemini", npmPackage: "@google/gemini-cli", version: "0.61.0", runsHere: true },
  { kind: "opencode", npmPackage: "opencode-ai", version: "1.18.33", runsHere: true },
  { kind: "qwen", npmPackage: "@qwen-code/qwen-code", version: "0.24.4", runsHere: true },
  { kind: "goose", npmPackage: "@aaif/goose-binary-linux-x64", version: "0.20.1", runsHere: isLinuxX64 },
];

/** Two of them download their program after the install; the scripts of the others build what a single run never uses. */
const SCRIPTS: Readonly<Record<string, boolean>> = {
  "@anthropic-ai/claude-code": true,
  "opencode-ai": true,
  "node-pty": false,
  "@github/keytar": false,
  "@qwen-code/audio-capture": false,
};

/** The folder of their commands. Installed CLIs in these versions are reused. */
export function installClis(releases: readonly Release[], tell: (line: string) => void): string {
  const dependencies = Object.fromEntries(releases.map(({ npmPackage, version }) => [npmPackage, version]));
  const manifest = JSON.stringify({ name: "agent-clis", private: true, dependencies, allowScripts: SCRIPTS });
  const name = createHash("sha256").update(manifest).digest("hex").slice(0, 12);
  const folder = join(tmpdir(), `faultline-clis-${name}`);
  const commands = join(folder, "node_modules", ".bin");
  const stamp = join(folder, "installed");
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === manifest) return commands;
  tell(`installing ${releases.map(({ kind }) => kind).join(", ")} (1.7 GB, about a minute)`);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "package.json"), manifest);
  npmInstall(folder);
  writeFileSync(stamp, manifest);
  return commands;
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
    throw new Error(`npm could not install the CLIs (exit code ${done.status ?? "none"}). Is there a network?`);
  }
}
