// A reader that closes early, such as `| head -1`, must not change how a command ends. Each row runs twice: once with a reader
// that takes everything, once, in a shell, with one that takes nothing.

import { describe, expect, it } from "vitest";
import { splitCommand } from "../../src/cli/run/run-targets.ts";
import { EXIT_CODES } from "../../src/cli/exit-codes.ts";
import { runCli, runShell } from "../support/run-cli.ts";

const FILES = {
  "bad.yaml": "version: 1\nnodes: 7\n",
  "lines.jsonl": '{"id":1,"surface":"http","status":529}\nnot json\n',
};

const COMMANDS: readonly string[] = [
  "--help",
  "--version",
  "no-such-command",
  "workflow run bad.yaml",
  "workflow check bad.yaml",
  "policy check bad.yaml",
  "policy show",
  "tools check bad.yaml",
  "explain RateLimited",
  "explain NoSuchCode",
  "classify --jsonl lines.jsonl",
  "journal list missing.db",
  "runs list",
  "runs show missing",
  "doctor --json",
  "run -- echo hi",
  "run -- sh -c 'echo out; echo err >&2; exit 7'",
  "run --passthrough -- sh -c 'echo out; echo err >&2; exit 7'",
  "run --json -- false",
  "run -- no-such-program",
];

async function exitWithoutReader(command: string): Promise<string> {
  const line = `{ { faultline ${command}; echo "exit $?" >&3; } 2>&1 | true; } 3>&1`;
  const { stdout } = await runShell(line, { files: FILES });
  return stdout;
}

describe("a reader that closes at once", () => {
  it.each(COMMANDS)("does not change the exit code of `faultline %s`", async (command) => {
    // It inherits the streams of its process, and ends with an exit code that is not Faultline's.
    const asProcess = command.includes("--passthrough");
    const { exit } = await runCli(splitCommand(command), { files: FILES, isHere: true, asProcess });
    const code =
      Object.entries(EXIT_CODES).find(([name]) => name === exit)?.[1].code ?? exit.replace("unknown code ", "");
    expect(await exitWithoutReader(command)).toBe(`exit ${code}\n`);
  });

  it("ends an endless command with SIGPIPE and without a message, as a shell does", async () => {
    const line = (command: string): string => `{ { ${command}; echo "exit $?" >&3; } | head -1; } 3>&1`;
    // Two processes print, in either order.
    for (const command of ["yes", "faultline run -- yes"]) {
      const { stdout, stderr } = await runShell(line(command), {});
      expect([stdout.trim().split("\n").sort(), stderr]).toEqual([["exit 141", "y"], ""]);
    }
  });

  it("is not a network failure of a command that ignores SIGPIPE", async () => {
    const script = "process.stderr.on('error', () => 0); for (;;) require('fs').writeSync(1, 'y\\n')";
    const { stderr } = await runShell(`faultline run -- node -e "${script}" | head -1`, {});
    expect(stderr).not.toContain("faultline:");
  });

  it("leaves exit code 3 to a workflow with errors", async () => {
    expect(await exitWithoutReader("workflow run bad.yaml")).toBe("exit 3\n");
  });
});
