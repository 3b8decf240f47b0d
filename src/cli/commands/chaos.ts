// `faultline chaos`: a loopback model provider that fails on demand, for people who test their own agents.

import { type Command, InvalidArgumentError } from "commander";
import { cliOf } from "../cli.ts";
import type { Io } from "../io.ts";
import type { ChaosCommandOptions } from "../chaos/run-chaos.ts";
import { toPort } from "../options.ts";

/** Free on most machines, and easy to remember because it ends in 429. */
const DEFAULT_PORT = 7429;

export function addChaos(program: Command, io: Io): void {
  program
    .command("chaos")
    .summary("start a model provider that fails on demand")
    .description(
      "Starts a server on this machine that speaks OpenAI chat completions and responses, Anthropic messages and Google generateContent, and fails on demand.",
    )
    .option("--port <number>", "the port to listen on; 0 takes a free one", toPort, DEFAULT_PORT)
    .option("--host <address>", "the address to listen on", "127.0.0.1")
    .option("--scenario <file>", "a YAML file that says which request gets which fault")
    .option("--seed <number>", "the seed of all probabilities", seedOf)
    .option("--list", "list all faults and end")
    .addHelpText(
      "after",
      `
A fault is chosen by the name of the model, by a header, or by the scenario:
  model "overloaded", "chaos-overloaded" or "any/overloaded"
  model "rate-limit:retry-after=7"
  header "x-chaos: cut-stream; after=3"

Examples:
  $ faultline chaos
  $ faultline chaos --scenario flaky.yaml --seed 7
  $ faultline chaos --list`,
    )
    .action(async (options: ChaosCommandOptions & { list?: true }, command: Command) => {
      const cli = cliOf(command, io);
      // Loaded on demand: its validator takes longer to load than everything else together.
      if (options.list === true) return (await import("../chaos/list-faults.ts")).listFaults(cli);
      return (await import("../chaos/run-chaos.ts")).runChaos(options, cli);
    });
}

function seedOf(value: string): number {
  if (!/^\d{1,15}$/.test(value)) throw new InvalidArgumentError("It must be a whole number, 0 or more.");
  return Number(value);
}
