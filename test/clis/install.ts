// Installs the agent CLIs, in the versions of the table, into a folder outside the repository.

import { join } from "node:path";
import type { AgentKind } from "../../src/index.ts";
import { installPackages } from "../support/install-packages.ts";

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
  const modules = installPackages({ name: "clis", dependencies, allowScripts: SCRIPTS }, () =>
    tell(`installing ${releases.map(({ kind }) => kind).join(", ")} (1.7 GB, about a minute)`),
  );
  return join(modules, ".bin");
}
