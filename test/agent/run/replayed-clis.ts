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

/** A shell says it: Node would take forty times as long to start. Its own run is in the list once it has read its input. */
const programOf = (folder: string, kind: string, last: number): string => `#!/bin/sh
read at < "${folder}/${kind}.at"
echo $((at < ${last} ? at + 1 : at)) > "${folder}/${kind}.at"
cat > "${folder}/$$.stdin"
for each; do printf '%s\\0' "$each"; done > "${folder}/$$.args"
echo "${kind} $$" >> "${folder}/runs"
cd "${folder}"
cat "${kind}.$at.stdout"
cat "${kind}.$at.stderr" >&2
. "./${kind}.$at.end"
`;

/** Names of recordings by CLI; the last of a list is repeated. */
export function replayedClis(recordings: Readonly<Partial<Record<AgentKind, readonly string[]>>>): ReplayedClis {
  const folder = mkdtempSync(join(tmpdir(), "faultline-clis-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const bin = join(folder, "bin");
  mkdirSync(bin);
  const write = (name: string, text: string): void => writeFileSync(join(folder, name), text);
  write("runs", "");
  for (const [kind, names] of Object.entries(recordings)) {
    for (const [at, { stdout, stderr, signal, exitCode }] of names.map(captureOf).entries()) {
      write(`${kind}.${at}.stdout`, stdout);
      write(`${kind}.${at}.stderr`, stderr);
      write(`${kind}.${at}.end`, signal === null ? `exit ${exitCode ?? 1}\n` : `kill -s ${signal.slice(3)} $$\n`);
    }
    write(`${kind}.at`, "0\n");
    write(`bin/${kind}`, programOf(folder, kind, names.length - 1));
    chmodSync(join(bin, kind), 0o755);
  }
  const env = { PATH: `${bin}${delimiter}/bin${delimiter}/usr/bin` };
  return {
    target: (kind, options = {}) => cli(kind, { ...options, env: { ...env, ...options.env } }),
    runs: () =>
      linesIn(join(folder, "runs")).map((line) => {
        const [kind = "", pid = ""] = line.split(" ");
        const textOf = (what: string): string => readFileSync(join(folder, `${pid}.${what}`), "utf8");
        return { kind, args: textOf("args").split("\0").slice(0, -1), stdin: textOf("stdin") };
      }),
  };
}

const linesIn = (path: string): readonly string[] =>
  readFileSync(path, "utf8")
    .split("\n")
    .filter((line) => line !== "");
