// `faultline doctor`: which agent CLIs are installed, in which version, whether they are logged in, and what to do next.

import { type Command, InvalidArgumentError } from "commander";
import { cliOf } from "../cli.ts";
import type { Io } from "../io.ts";
import type { DoctorOptions } from "../doctor/run-doctor.ts";

/** The first start of a large CLI on a slow disk takes a few seconds. */
const DEFAULT_TIMEOUT_SECONDS = 15;

interface RawOptions {
  readonly journal?: string;
  readonly workflow?: string;
  readonly timeout: number;
}

export function addDoctor(program: Command, io: Io): void {
  program
    .command("doctor")
    .summary("show which agent CLIs work here, and how to fix the others")
    .description(
      "Shows which agent CLIs are installed, in which version, and whether they are logged in. It only looks at files and variables: it sends nothing, starts no login and reads no secret.",
    )
    .argument("[cli...]", "the CLIs you need (claude, codex, gemini, opencode, qwen, goose); default: all")
    .option("--journal <file|url>", "also check this journal")
    .option("--workflow <file>", "also check this workflow; reports agents whose targets all fail together")
    .option("--timeout <seconds>", "how long a CLI may take to print its version", secondsOf, DEFAULT_TIMEOUT_SECONDS)
    .addHelpText(
      "after",
      `
Exit code 0: everything that you named can be used. Exit code 1: something cannot.

Examples:
  $ faultline doctor
  $ faultline doctor claude codex --json
  $ faultline doctor claude --journal agent.db`,
    )
    .action(async (names: readonly string[], raw: RawOptions, command: Command) => {
      const { journal = null, workflow = null, timeout } = raw;
      const options: DoctorOptions = { names, journal, workflow, timeoutMs: timeout * 1000 };
      // Loaded on demand: the code that starts processes is slow to load.
      const { runDoctor } = await import("../doctor/run-doctor.ts");
      return runDoctor(options, cliOf(command, io));
    });
}

function secondsOf(value: string): number {
  const seconds = /^\d{1,3}(?:\.\d{1,3})?$/.test(value) ? Number(value) : 0;
  if (seconds === 0) throw new InvalidArgumentError("It must be a number of seconds, more than 0 and less than 1000.");
  return seconds;
}
