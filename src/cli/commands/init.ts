// `faultline init`: writes starter files, such as a team of agents for a repository.

import type { Command } from "commander";
import { cliOf } from "../cli.ts";
import type { Io } from "../io.ts";

interface RawInit {
  readonly with?: string;
  readonly force?: true;
  readonly list?: true;
}

export function addInit(program: Command, io: Io): void {
  program
    .command("init")
    .summary("write starter files, such as a team of agents")
    .description("Writes the files of a template into a folder. Existing files are not overwritten.")
    .argument("[template]", "the template; --list lists them")
    .argument("[folder]", "the target folder; for a team, the root of its repository", ".")
    .option("--with <variant>", "for `team`: agent CLIs (`clis`, the default) or models with an API key (`models`)")
    .option("--force", "overwrite existing files")
    .option("--list", "list the templates and end")
    .addHelpText(
      "after",
      `
Examples:
  $ faultline init team
  $ faultline init team ../my-repo --with models
  $ faultline init gateway
  $ faultline init --list`,
    )
    .action(async (template: string | undefined, folder: string, options: RawInit, command: Command) => {
      const cli = cliOf(command, io);
      const { listTemplates, runInit } = await import("../init/run-init.ts");
      if (options.list === true) return listTemplates(cli);
      const { with: variant = null, force = false } = options;
      return runInit({ template: template ?? null, folder, variant, force }, cli);
    });
}
