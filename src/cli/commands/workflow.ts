// `faultline workflow`: checks workflow files, starts runs and resumes them. Each command loads its implementation on demand.

import { type Command, Option } from "commander";
import { doing } from "../cli.ts";
import type { Io } from "../io.ts";
import { collect } from "../options.ts";
import { ofOperator } from "./of-operator.ts";

export function addWorkflow(program: Command, io: Io): void {
  const workflow = program
    .command("workflow")
    .summary("check, run and resume workflows")
    .description("Checks workflow files, starts runs and resumes them. A run survives the process that runs it.")
    .addHelpText(
      "after",
      `
Runs are stored in a journal: --journal, or the variable FAULTLINE_JOURNAL, or .faultline/journal.db in this folder.

Examples:
  $ faultline workflow check review.faultline.yaml
  $ faultline workflow run review.faultline.yaml --input task="Add a login page"
  $ faultline workflow resume last
  $ faultline workflow schema > workflow.schema.json
  $ faultline runs show last`,
    );
  workflow
    .command("check")
    .description("Reports every mistake in workflow files, with its place and a hint.")
    .argument("<file...>", "workflow files")
    .option("--strict", "warnings count as errors")
    .action(doing(io, async () => (await import("../workflow/check-workflow.ts")).checkWorkflows));
  withGoingOn(
    workflow.command("run").description("Starts a run of a workflow and advances it until it ends or has to wait."),
  )
    .argument("<file>", "a workflow file")
    .option("--input <name=value>", "an input of the workflow; can be repeated", collect)
    .option("--inputs <file>", "a JSON file with inputs; --input wins")
    .option("--run <id>", "the id of the run (default: a generated one)")
    .action(doing(io, async () => (await import("../workflow/run-workflow.ts")).runWorkflow));
  withGoingOn(
    ofOperator(workflow.command("resume"), io).description(
      "Resumes a run. If another process works on it, watches it.",
    ),
  )
    .argument("<run>", "its id, the beginning of its id, or `last`")
    .addOption(
      new Option("--changed <how>", "if the file has changed: refuse, continue with the new text, or with the old text")
        .choices(["refuse", "accept", "as-started"])
        .default("refuse"),
    )
    .option("--file <path>", "the workflow file (default: the one the run was started from)")
    .action(doing(io, async () => (await import("../workflow/run-workflow.ts")).resumeWorkflow));
  workflow
    .command("schema")
    .description("Prints the JSON Schema of workflow files, for editors.")
    .action(async () => {
      const { workflowJsonSchema } = await import("../../workflow-file/index.ts");
      await io.stdout.write(`${JSON.stringify(workflowJsonSchema(), null, 2)}\n`);
    });
}

/** The options of every command that continues a run. */
export function withGoingOn(command: Command): Command {
  return withJournalOption(command)
    .option("--jsonl", "print every event as a line of JSON (CloudEvents)")
    .option("--no-wait", "do not ask and do not wait: end as soon as the run has to wait")
    .option("--detach", "only record it; another process advances it");
}

export function withJournalOption(command: Command): Command {
  return command.option("--journal <file|url>", "the journal with the runs: a file, or postgres://…");
}
