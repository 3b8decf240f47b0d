// The scripts, in the shells themselves.

import { spawnSync } from "node:child_process";
import { chmodSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { describe, expect, it } from "vitest";
import { SHELL_SCRIPTS, SHELLS } from "../../src/cli/completion/shells.ts";
import { ROOT } from "../package/stranger.ts";
import { runCli } from "../support/run-cli.ts";

const hasShell = (shell: string): boolean => spawnSync(shell, ["-c", "true"]).status === 0;

/** A folder with the program under its own name. */
const BIN = mkdtempSync(join(tmpdir(), "faultline-completion-"));
const SCRIPT = `#!/bin/sh\nexec "${process.execPath}" "${join(ROOT, "src/cli/main.ts")}" "$@"\n`;
writeFileSync(join(BIN, "faultline"), SCRIPT);
chmodSync(join(BIN, "faultline"), 0o755);
const env = { ...process.env, PATH: `${BIN}${delimiter}${process.env["PATH"] ?? ""}`, LANG: "C.UTF-8" };

function said(shell: string, flag: string, program: string): readonly string[] {
  const { stdout, stderr } = spawnSync(shell, [flag, "-c", program], { env, encoding: "utf8" });
  expect(stderr).toBe("");
  return stdout.split("\n").filter(Boolean);
}

const LINES: readonly (readonly [readonly string[], readonly string[]])[] = [
  [["runs", "re"], ["retry"]],
  [["runs", "list", "--st"], ["--status"]],
  [
    ["runs", "list", "--status", "c"],
    ["completed", "cancelled"],
  ],
  [["policy", "show", "--preset", "e"], ["eager"]],
  [["completion", ""], [...SHELLS]],
];

describe("completion", () => {
  it.each(SHELLS)("prints a script for %s", async (shell) => {
    const { stdout } = await runCli(["completion", shell]);
    expect(stdout).toBe(SHELL_SCRIPTS[shell]);
    expect(JSON.parse((await runCli(["completion", shell, "--json"])).stdout)).toEqual({ shell, script: stdout });
  });

  it.skipIf(!hasShell("bash")).each(LINES)("in bash, %j gives %j", (words, wanted) => {
    const quoted = words.map((word) => `'${word}'`).join(" ");
    const ask = `${SHELL_SCRIPTS.bash}\nCOMP_WORDS=(faultline ${quoted}); COMP_CWORD=${words.length}; _faultline; printf '%s\\n' "\${COMPREPLY[@]}"`;
    expect(said("bash", "--norc", ask)).toEqual(wanted);
  });

  it.skipIf(!hasShell("fish")).each(LINES)("in fish, %j gives %j", (words, wanted) => {
    const ask = `${SHELL_SCRIPTS.fish}\ncomplete -C "faultline ${words.join(" ")}"`;
    const values = said("fish", "--no-config", ask).map((line) => line.split("\t")[0] ?? "");
    expect([...values].sort()).toEqual(expect.arrayContaining([...wanted].sort()));
  });

  it.skipIf(!hasShell("zsh")).each(LINES)("in zsh, %j gives %j", (words, wanted) => {
    // The parts of zsh that draw a menu are replaced by ones that print.
    const stubs = 'compdef() { :; }\n_files() { :; }\n_describe() { print -l -- "${(@)found%%:*}"; }';
    const quoted = words.map((word) => `'${word}'`).join(" ");
    const ask = `${stubs}\n${SHELL_SCRIPTS.zsh}\nwords=(faultline ${quoted}); CURRENT=${words.length + 1}; _faultline`;
    expect(said("zsh", "-f", ask)).toEqual(wanted);
  });
});
