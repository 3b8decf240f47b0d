// `faultline drill`: runs an agent against a provider that fails, one fault at a time, and prints a scorecard.

import { type Command, Option } from "commander";
import { doing } from "../cli.ts";
import type { Io } from "../io.ts";
import { toMs, collect } from "../options.ts";

const DEFAULT_TIMEOUT_MS = 60_000;

export function addDrill(program: Command, io: Io): void {
  program
    .command("drill")
    .summary("run an agent against a provider that fails, and print a scorecard")
    .description(
      "Runs an agent once without a fault, then once with each fault: does it survive, answer wrongly, hang, crash, retry too hard or waste money?",
    )
    .argument("<command...>", "the agent and its arguments, after `--`; {url} and {prompt} are replaced")
    .option("--gateway", "put the gateway and a second provider between the agent and the fault")
    .option("--only <fault>", "only this drill; can be repeated", collect)
    .addOption(
      new Option("--timeout <duration>", "how long one run may take, e.g. 90s, 2m")
        .argParser(toMs)
        .default(DEFAULT_TIMEOUT_MS, "60s"),
    )
    .option("--markdown", "print the scorecard as Markdown, with a badge")
    .addHelpText(
      "after",
      `
The agent finds the provider by OPENAI_BASE_URL, ANTHROPIC_BASE_URL or GOOGLE_GEMINI_BASE_URL, or by {url} in its arguments.
It survives if it prints the model's answer and ends with exit code 0. No key and no network are needed.
Exit code 1 says that a fault was not handled.

Examples:
  $ faultline drill -- node agent.js
  $ faultline drill --gateway -- claude -p {prompt}
  $ faultline drill --only cut-stream --only quota -- python agent.py --base-url {url}/v1`,
    )
    .action(doing(io, async () => (await import("../drill/run-drill-command.ts")).runDrillCommand));
}
