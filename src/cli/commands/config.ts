// `faultline config`: every setting of the command line, its value and where it comes from.

import type { Command } from "commander";
import { cliOf } from "../cli.ts";
import type { Io } from "../io.ts";
import type { ConfigCommandOptions } from "../config/show-config.ts";
import { withJournalOption } from "./workflow.ts";

export function addConfig(program: Command, io: Io): void {
  const config = program
    .command("config")
    .summary("list the settings and where they come from")
    .description(
      "Lists every setting of the command line with its value. --show-origin adds where it comes from: a flag, a variable, the project file or the default. Of a secret, it shows only whether it is set.",
    );
  withJournalOption(config)
    .option("--show-origin", "show where each value comes from")
    .option("--workflows <folder>", "a folder with workflows, tool manifests and policy.yaml")
    .option("--policy <file>", "a YAML policy file")
    .option("--config <file>", "targets, routes and keys of the gateway")
    .addHelpText(
      "after",
      `
Give the flags that you give the other command, to see what it would use.
The project file is faultline.config.yaml, in this folder or above it, up to the root of the repository.

Examples:
  $ faultline config --show-origin
  $ faultline config --show-origin --journal team.db
  $ faultline config --json`,
    )
    .action(async (options: ConfigCommandOptions, command: Command) => {
      const { showConfig } = await import("../config/show-config.ts");
      await showConfig(options, command.optsWithGlobals(), cliOf(command, io));
    });
}
