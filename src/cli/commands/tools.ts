// `faultline tools`: checks a file of tool manifests, and prints its JSON Schema for editors.

import type { Command } from "commander";
import type { Locale } from "../../core/index.ts";
import { cliOf } from "../cli.ts";
import type { Io } from "../io.ts";
import { type CheckedFile, checkFile } from "../check-file.ts";

/** Loaded only by commands that need it: its validator takes longer to load than everything else together. */
const toolFile = () => import("../../tool-file/index.ts");

export function addTools(program: Command, io: Io): void {
  const tools = program
    .command("tools")
    .summary("check tool manifests")
    .description("Checks tool manifests, in which an operator describes tools.")
    .addHelpText(
      "after",
      `
Examples:
  $ faultline tools check tools.yaml
  $ faultline tools schema > tool-manifest.schema.json`,
    );
  tools
    .command("check")
    .description("Reports every mistake in a file of tool manifests, with its place and a hint.")
    .argument("<file>", "a YAML file with `tool` or `tools`")
    .option("--strict", "warnings count as errors")
    .action(async (file: string, options: { strict?: true }, command: Command) =>
      checkFile(file, parse, options.strict === true, cliOf(command, io)),
    );
  tools
    .command("schema")
    .description("Prints the JSON Schema of tool manifests, for editors.")
    .action(async () => io.stdout.write(`${JSON.stringify((await toolFile()).toolManifestJsonSchema(), null, 2)}\n`));
}

async function parse(source: string, file: string, locale: Locale): Promise<CheckedFile> {
  const { parseToolManifests } = await toolFile();
  const { manifests, diagnostics } = parseToolManifests(source, file, locale);
  return { usable: manifests !== null, diagnostics };
}
