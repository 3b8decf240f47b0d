// `faultline gateway`: four dialects of model APIs in front of chains, for clients in any language.

import type { Command } from "commander";
import { cliOf } from "../cli.ts";
import type { Io } from "../io.ts";
import type { GatewayCommandOptions } from "../gateway/run-gateway.ts";
import { ofOperator } from "./of-operator.ts";
import { toPort } from "../options.ts";

const DEFAULT_PORT = 7430;

export function addGateway(program: Command, io: Io): void {
  ofOperator(program.command("gateway"), io)
    .summary("start a gateway that lets clients survive failing providers")
    .description(
      "Starts a gateway that speaks OpenAI chat completions and responses, Anthropic messages and Google generateContent. Each request goes to the first target of its route that can answer.",
    )
    .option(
      "--journal <file|url>",
      "the journal with its breakers, budgets and ledger of calls: a file, or postgres://…",
    )
    .option("--config <file>", "targets, routes and keys; a changed file is reloaded (default: gateway.faultline.yaml)")
    .option("--port <number>", "the port to listen on; 0 takes a free one", toPort, DEFAULT_PORT)
    .option(
      "--host <address>",
      "the address to listen on; an address other than this machine's own needs keys",
      "127.0.0.1",
    )
    .option("--check", "check the file and end")
    .addHelpText(
      "after",
      `
Examples:
  $ faultline gateway
  $ faultline gateway --config team.faultline.yaml --port 8080
  $ faultline gateway --check
  $ ANTHROPIC_BASE_URL=http://127.0.0.1:7430 claude
  $ curl http://127.0.0.1:7430/v1/models`,
    )
    .action(async (options: GatewayCommandOptions, command: Command) => {
      const { boundMemory } = await import("../gateway/bound-memory.ts");
      if (options.check !== true) boundMemory();
      const { runGateway } = await import("../gateway/run-gateway.ts");
      await runGateway(options, cliOf(command, io));
    });
}
