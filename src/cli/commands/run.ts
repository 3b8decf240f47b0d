// `faultline run`: runs any command with Faultline's failure handling.

import { type Command, InvalidArgumentError, Option } from "commander";
import { AGENT_KINDS } from "../../agent/parse/agent-state.ts";
import { PRESET_NAMES } from "../../core/index.ts";
import { cliOf, doing } from "../cli.ts";
import type { Io } from "../io.ts";
import { collect, errorOf, msIn } from "../options.ts";
import { commandLine } from "../render/program-name.ts";
import { RUN_WORDS } from "../render/words/run-words.ts";

/** `args` are those of the whole program, to suggest a corrected command line. */
export function addRun(program: Command, io: Io, args: readonly string[]): void {
  const command = program.command("run");
  command
    .configureOutput({
      outputError: (text, write) => {
        const line = withDashes(args, command);
        const { putBehind } = RUN_WORDS[cliOf(command, io).locale];
        const hint = text.includes("unknown option") && line !== null ? `${putBehind(line)}\n` : "";
        write(`${errorOf(text)}${hint}`);
      },
    })
    .summary("run any command; retry or fall back when it fails and that is safe")
    .description(
      "Runs a command and passes on its output. If it fails, names the failure, retries or falls back where that is safe, and prints what to type next.",
    )
    .argument("<command...>", "the command and its arguments, after `--`; passed on unchanged")
    .option("--retry <n>", "total attempts for transient failures (default: the policy's)", attemptsOf)
    .option("--fallback <command>", "another command to use as a fallback; can be repeated", collect)
    .addOption(new Option("--as <kind>", "how its output is read (default: by its name)").choices(AGENT_KINDS))
    .option("--journal <file|url>", "record the run in this journal; created if it does not exist")
    .option("--session <id>", "the session in the journal: a new one, or one to continue")
    .option("--timeout <duration>", "how long one attempt may take, e.g. 90s, 15m, 2h", durationOf)
    .option("--idle <duration>", "how long it may print nothing", durationOf)
    .option("--idempotent", "running it twice does no harm")
    .option("--stdin", "read stdin to its end and give it to every attempt")
    .option("--passthrough", "end with the command's own exit code")
    .option("--policy <file>", "a YAML policy file")
    .addOption(new Option("--preset <name>", "a built-in policy").choices(PRESET_NAMES).conflicts("policy"))
    .addHelpText(
      "after",
      `
A command that may have done something is not run again unless --idempotent says that this does no harm.
Of agent CLIs that print their events (claude --output-format stream-json, codex exec --json …) Faultline
sees whether they used a tool; for other commands it cannot know.
--fallback is split at spaces; '…' and "…" keep words together, \\ keeps the next character. No shell is involved.

Examples:
  $ faultline run -- claude -p "say hello" --verbose --output-format stream-json
  $ faultline run --retry 5 --idempotent -- curl -fsS https://example.com/health
  $ faultline run --journal runs.db --fallback "codex exec --json 'say hello'" -- claude -p "say hello"`,
    )
    .action(doing(io, async () => (await import("../run/run-command.ts")).runCommand));
}

/** The call with `--` in front of the command; null when no command was named. */
function withDashes(args: readonly string[], run: Command): string | null {
  const own = args.slice(args.indexOf(run.name()) + 1);
  let at = 0;
  while (at < own.length && own[at]?.startsWith("-") === true) {
    const option = run.options.find(({ long }) => long === own[at]);
    at += option?.required === true ? 2 : 1;
  }
  return at >= own.length ? null : commandLine("run", ...own.slice(0, at), "--", ...own.slice(at));
}

const MAX_ATTEMPTS = 1_000;

function attemptsOf(value: string): number {
  const attempts = /^\d{1,4}$/.test(value) ? Number(value) : 0;
  if (attempts < 1 || attempts > MAX_ATTEMPTS)
    throw new InvalidArgumentError(`It must be a whole number from 1 to ${MAX_ATTEMPTS}.`);
  return attempts;
}

const LONGEST_MS = 30 * 86_400_000;

function durationOf(value: string): number {
  const durationMs = msIn(value);
  if (durationMs < 1 || durationMs > LONGEST_MS)
    throw new InvalidArgumentError("It must be a time with its unit, up to 30d: 500ms, 90s, 15m, 2h.");
  return durationMs;
}
