// Agent CLIs that say again what real ones said: real processes on a PATH of their own, each run the next recording of its list.

import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { onTestFinished } from "vitest";
import type { AgentKind } from "../../../src/agent/parse/agent-state.ts";
import { type CliOptions, type CliTarget, cli } from "../../../src/index.ts";
import { captureOf } from "../captures/read-captures.ts";

export interface ReplayedClis {
  /** The CLI of this kind as a target that is found on the PATH. */
  readonly target: (kind: AgentKind, options?: CliOptions) => CliTarget;
  /** What each run was started with, oldest first. */
  readonly runs: () => readonly { readonly kind: string; readonly args: readonly string[]; readonly stdin: string }[];
}

const PROGRAM = `
import { readFileSync, writeFileSync, appendFileSync } from "node:fs";
const [kind, folder, ...args] = process.argv.slice(2);
const list = JSON.parse(readFileSync(folder + "/" + kind + ".json", "utf8"));
const run = list.length > 1 ? list.shift() : list[0];
writeFileSync(folder + "/" + kind + ".json", JSON.stringify(list));
let stdin = "";
for await (const chunk of process.stdin) stdin += chunk;
appendFileSync(folder + "/runs.jsonl", JSON.stringify({ kind, args, stdin }) + "\\n");
process.stdout.write(run.stdout);
process.stderr.write(run.stderr);
if (run.signal !== null) process.kill(process.pid, run.signal);
process.exitCode = run.exitCode ?? 1;
`;

/** Names of recordings by CLI; the last of a list is repeated. */
export function replayedClis(recordings: Readonly<Partial<Record<AgentKind, readonly string[]>>>): ReplayedClis {
  const folder = mkdtempSync(join(tmpdir(), "faultline-clis-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const bin = join(folder, "bin");
  mkdirSync(bin);
  writeFileSync(join(folder, "program.mjs"), PROGRAM);
  writeFileSync(join(folder, "runs.jsonl"), "");
  for (const [kind, names] of Object.entries(recordings)) {
    writeFileSync(join(folder, `${kind}.json`), JSON.stringify(names.map(captureOf)));
    const script = `#!/bin/sh\nexec "${process.execPath}" "${folder}/program.mjs" ${kind} "${folder}" "$@"\n`;
    writeFileSync(join(bin, kind), script);
    chmodSync(join(bin, kind), 0o755);
  }
  const env = { PATH: `${bin}${delimiter}/bin${delimiter}/usr/bin` };
  return {
    target: (kind, options = {}) => cli(kind, { ...options, env: { ...env, ...options.env } }),
    runs: () =>
      readFileSync(join(folder, "runs.jsonl"), "utf8")
        .split("\n")
        .filter((line) => line !== "")
        .map((line) => JSON.parse(line) as ReturnType<ReplayedClis["runs"]>[number]),
  };
}
