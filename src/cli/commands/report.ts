// `faultline report`: writes the incident report about a run or session. The work is loaded when it runs.

import type { Command } from "commander";
import { withJournalOption } from "./workflow.ts";
import { doing } from "../cli.ts";
import type { Io } from "../io.ts";

export function addReport(program: Command, io: Io): void {
  withJournalOption(
    program
      .command("report")
      .summary("write an incident report about a run")
      .description(
        "Writes what happened in a run or session as Markdown: timeline, causes, decisions with reasons, cost, who did what, and what to do next. Secrets and paths are removed.",
      ),
  )
    .argument("<run>", "a run: its id, the beginning of its id, or `last`; or the name of a session")
    .option("-o, --out <file>", "write to this new file instead of stdout")
    .addHelpText(
      "after",
      `
Examples:
  $ faultline report last
  $ faultline report run_9f1c --out incident.md
  $ faultline report order-7 --journal agent.db --locale zh-CN`,
    )
    .action(doing(io, async () => (await import("../runs/report-run.ts")).reportRun));
}
