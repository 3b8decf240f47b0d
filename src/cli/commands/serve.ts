// `faultline serve` and `faultline token`: the server on a journal, and the tokens it accepts.

import { type Command, Option } from "commander";
import { ofOperator } from "./of-operator.ts";
import { cliOf, doing } from "../cli.ts";
import type { Io } from "../io.ts";
import { toPort } from "../options.ts";
import type { ServeCommandOptions } from "../serve/run-serve.ts";
import { withDriverOption } from "./worker.ts";
import { withJournalOption } from "./workflow.ts";

const DEFAULT_PORT = 7431;

export function addServe(program: Command, io: Io): void {
  const serve = ofOperator(program.command("serve"), io)
    .summary("start the server: dashboard, API, events, metrics, and the driver of runs")
    .description(
      "Starts a server on a journal. Programs in any language report failures and get decisions. People see runs and act on them in a dashboard, programs over the API. The server also advances the journal's runs.",
    );
  withDriverOption(withJournalOption(serve))
    .option("--port <number>", "the port to listen on; 0 takes a free one", toPort, DEFAULT_PORT)
    .option("--host <address>", "the address to listen on", "127.0.0.1")
    .option(
      "--workflows <folder>",
      "a folder with workflows, tool manifests and policy.yaml; changed files are reloaded",
    )
    .option("--gateway <file>", "also run a gateway on the same port, with the targets, routes and keys of this file")
    .option("--no-drive", "leave the runs to other processes")
    .option("--public-url <url>", "the address under which people reach the server through a proxy")
    .option(
      "--behind-tls-proxy",
      "a proxy with TLS is in front of the server; required for any address other than this machine's own",
    )
    .option(
      "--notify-url <url>",
      "post signed notices here (Standard Webhooks); the secret is in FAULTLINE_WEBHOOK_SECRET",
    )
    .option(
      "--notify-command <program>",
      "run this program for each notice, which it gets as JSON on its standard input",
    )
    .addOption(
      new Option("--notify-about <kinds...>", "what notices are about (default: all)").choices([
        "needs-you",
        "run-failed",
        "breaker-opened",
        "budget-low",
      ]),
    )
    .addHelpText(
      "after",
      `
The first start makes a token and writes it to operator.token beside the journal. On a terminal, serve also prints a link
that opens the dashboard, signed in. With --driver, the server hands runs over to Restate and \`faultline worker\` advances them.

Examples:
  $ faultline serve
  $ faultline serve --journal team.db --port 8080
  $ faultline serve --workflows ./workflows
  $ curl -H "Authorization: Bearer $(cat .faultline/operator.token)" http://127.0.0.1:7431/v1/whoami
  $ faultline token add grafana --role viewer`,
    )
    .action(async (options: ServeCommandOptions, command: Command) => {
      const { runServe } = await import("../serve/run-serve.ts");
      await runServe(options, program.version() ?? "0", cliOf(command, io));
    });
  addToken(program, io);
}

function addToken(program: Command, io: Io): void {
  const token = program
    .command("token")
    .summary("add, list and remove tokens of the server")
    .description(
      "Manages the tokens that the server of a journal accepts. A running server applies each change at once.",
    )
    .addHelpText(
      "after",
      `
Examples:
  $ faultline token add grafana --role viewer
  $ faultline token list
  $ faultline token remove grafana`,
    );
  withJournalOption(ofOperator(token.command("add"), io).description("Makes a token and prints it, once."))
    .argument("<name>", "names it in the audit log")
    .addOption(new Option("--role <role>", "what it may do").choices(["viewer", "operator"]).default("viewer"))
    .action(doing(io, async () => (await import("../serve/tokens.ts")).addTokenTo));
  withJournalOption(
    ofOperator(token.command("list"), io).description("Lists the tokens: name, role, and since when."),
  ).action(doing(io, async () => (await import("../serve/tokens.ts")).listTokensOf));
  withJournalOption(ofOperator(token.command("remove"), io).description("Removes a token."))
    .argument("<name>", "the name it was given")
    .action(doing(io, async () => (await import("../serve/tokens.ts")).removeTokenOf));
}
