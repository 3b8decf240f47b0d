// A reader that closes early, such as `| head -1`, must not change how a command ends. Each row runs twice: once with a reader
// that takes everything, once, in a shell, with one that takes nothing.

import { describe, expect, it } from "vitest";
import { splitCommand } from "../../src/cli/run/run-targets.ts";
import { EXIT_CODES } from "../../src/cli/exit-codes.ts";
import { everyPair } from "../support/grid.ts";
import { runCli, runShell } from "../support/run-cli.ts";

const FILES = {
  "bad.yaml": "version: 1\nnodes: 7\n",
  "lines.jsonl": '{"id":1,"surface":"http","status":529}\nnot json\n',
};

type Printed = "one line" | "lines" | "a sentence" | "lines and sentences" | "what a child prints";

// prettier-ignore
const COMMANDS: readonly (readonly [command: string, exit: string, printed: Printed])[] = [
  ["--help", "ok", "lines"],
  ["--version", "ok", "one line"],
  ["no-such-command", "usage", "a sentence"],
  ["workflow run bad.yaml", "config", "a sentence"],
  ["workflow check bad.yaml", "config", "lines and sentences"],
  ["policy check bad.yaml", "config", "lines and sentences"],
  ["policy show", "ok", "lines"],
  ["tools check bad.yaml", "config", "lines and sentences"],
  ["explain RateLimited", "ok", "lines"],
  ["explain NoSuchCode", "ok", "lines"],
  ["classify --jsonl lines.jsonl", "failed", "lines and sentences"],
  ["journal list missing.db", "usage", "a sentence"],
  ["runs list", "usage", "a sentence"],
  ["runs show missing", "usage", "a sentence"],
  ["doctor --json", "ok", "one line"],
  ["run -- echo hi", "ok", "what a child prints"],
  ["run -- sh -c 'echo out; echo err >&2; exit 7'", "failed", "what a child prints"],
  ["run --passthrough -- sh -c 'echo out; echo err >&2; exit 7'", "7", "what a child prints"],
  ["run --json -- false", "failed", "one line"],
  ["run -- no-such-program", "missing", "a sentence"],
];

async function exitWithoutReader(command: string): Promise<string> {
  const line = `{ { faultline ${command}; echo "exit $?" >&3; } 2>&1 | true; } 3>&1`;
  const { stdout } = await runShell(line, { files: FILES });
  return stdout;
}

describe("a reader that closes at once", () => {
  it.each(
    everyPair(
      COMMANDS,
      ([, exit]) => exit,
      ([, , printed]) => printed,
    ),
  )("does not change the exit code of `faultline %s`", async (command, exit) => {
    // It inherits the streams of its process, and ends with an exit code that is not Faultline's.
    const asProcess = command.includes("--passthrough");
    const heard = await runCli(splitCommand(command), { files: FILES, isHere: true, asProcess });
    expect(heard.exit.replace("unknown code ", "")).toBe(exit);
    const code = Object.entries(EXIT_CODES).find(([name]) => name === exit)?.[1].code ?? exit;
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
