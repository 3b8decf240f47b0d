// `faultline runs`: shows, watches and acts on workflow runs. Each command loads its implementation on demand.

import { type Command, InvalidArgumentError, Option } from "commander";
import type { RunStatus } from "../../core/flow/run-state.ts";
import { ofOperator } from "./of-operator.ts";
import { cliOf, doing } from "../cli.ts";
import type { Io } from "../io.ts";
import { toCount, toMs, collect } from "../options.ts";
import type { ActionCommandOptions } from "../runs/act-on-run.ts";
import { SHOWN_STATUSES } from "../runs/shown-status.ts";
import { withGoingOn, withJournalOption } from "./workflow.ts";

/** What the library knows, and then the words of the list for a run that is not over. */
const STATUSES: readonly string[] = [
  ...(["running", "paused", "completed", "failed", "cancelled"] satisfies readonly RunStatus[]),
  ...Object.keys(SHOWN_STATUSES),
];
const SHOWN_RUNS = 50;

export function addRuns(program: Command, io: Io): void {
  const runs = program
    .command("runs")
    .summary("show, watch and act on workflow runs")
    .description("Shows and watches workflow runs, answers their questions, and acts on runs that failed.")
    .addHelpText(
      "after",
      `
Name a run by its id, the beginning of its id, or \`last\`. Acting on a run that has ended starts a new run that continues it.

Examples:
  $ faultline runs list --status failed
  $ faultline runs show last
  $ faultline runs answer last yes
  $ faultline runs retry last
  $ faultline runs switch last --to codex
  $ faultline runs watch last --jsonl
  $ faultline runs output last reviewer
  $ faultline runs continue last --text "keep the old API"
  $ faultline runs do last raise-limit --max-cost-usd 5
  $ faultline runs cancel last
  $ faultline runs export last --format bundle --out incident`,
    );
  addLooking(runs, io);
  addActing(runs, io);
}

function addLooking(runs: Command, io: Io): void {
  withJournalOption(runs.command("list").description("Lists runs, the newest first, with what to do next."))
    .addOption(new Option("--status <status>", "only runs with this status").choices(STATUSES))
    .option("--workflow <id>", "only runs of this workflow")
    .option("--limit <number>", "how many at most", toCount, SHOWN_RUNS)
    .action(doing(io, async () => (await import("../runs/list-runs.ts")).listRuns));
  withRun(runs.command("show").description("Shows a run: its stages, open questions, and what you can do.")).action(
    doing(io, async () => (await import("../runs/show-run.ts")).showRun),
  );
  withRun(
    runs.command("output").description("Prints the output of a node: the last finished one, or the one you name."),
  )
    .argument("[node]", "a node of the workflow")
    .action(doing(io, async () => (await import("../runs/print-output.ts")).printOutput));
  withRun(runs.command("watch").description("Watches a run from its beginning until it ends."))
    .option("--jsonl", "print every event as a line of JSON (CloudEvents)")
    .option("--after <number>", "only events after this number", toSequence, 0)
    .action(doing(io, async () => (await import("../runs/watch-run.ts")).watchRun));
  withRun(runs.command("export").description("Writes a run as journal lines, as CloudEvents, or as a folder."))
    .addOption(
      new Option("--format <format>", "the output format").choices(["jsonl", "cloudevents", "bundle"]).default("jsonl"),
    )
    .option("-o, --out <file>", "write to this new file or folder instead of stdout")
    .action(doing(io, async () => (await import("../runs/export-run.ts")).exportRun));
}

function addActing(runs: Command, io: Io): void {
  const operator = (name: string): Command => ofOperator(runs.command(name), io);
  const act = async (run: string, action: string, options: ActionCommandOptions, command: Command): Promise<void> => {
    const { actOnRun } = await import("../runs/act-on-run.ts");
    await actOnRun(run, action, options, cliOf(command, io));
  };
  withGoingOn(withRunArgument(operator("retry").description("Retries the stage that failed or waits.")))
    .option("--now", "retry now instead of at the planned time")
    .action((run: string, { now, ...options }: ActionCommandOptions & { now?: true }, command: Command) =>
      act(run, now === true ? "retry-now" : "retry-stage", options, command),
    );
  withGoingOn(withRunArgument(operator("switch").description("Retries the stage with another provider.")))
    .option("--to <target>", "which one; not needed if there is only one")
    .action((run: string, { to, ...options }: ActionCommandOptions & { to?: string }, command: Command) =>
      act(run, "switch-provider", to === undefined ? options : { ...options, target: to }, command),
    );
  withGoingOn(withRunArgument(operator("continue").description("Continues a discussion with a comment from you.")))
    .requiredOption("--text <text>", "what you say")
    .action((run: string, options: ActionCommandOptions, command: Command) =>
      act(run, "continue-discussion", options, command),
    );
  withRun(operator("cancel").description("Stops a run for good."))
    .option("--detach", "do not wait until the process that works on it has stopped")
    .action(doing(io, async () => (await import("../runs/act-on-run.ts")).cancelRun));
  withJournalOption(
    operator("answer").description("Answers what a run asks and continues the run. The first answer counts."),
  )
    .argument("<run>", "the run, if it has one open question; or the question's id")
    .argument("[answer]", "yes, no, the id of an option, a text or JSON; `-` reads it from stdin")
    .option("--reject <reason>", "say no to any kind of question")
    .option("--by <name>", "who answers", "cli")
    .option("--jsonl", "print every event as a line of JSON (CloudEvents)")
    .option("--no-wait", "only answer; another process continues the run")
    .action(doing(io, async () => (await import("../runs/answer-run.ts")).answerRun));
  withGoingOn(withRunArgument(operator("do").description("Takes any other action that `runs show` offers.")))
    .argument(
      "<action>",
      "e.g. send-back, edit-and-retry, regenerate-once, shorten-context, grant-and-retry, sign-in-again, accept-partial, raise-limit",
    )
    .option("--text <text>", "the new text for the node")
    .option("--target <target>", "another provider")
    .option("--command <command>", "a command to allow; can be repeated", collect)
    .option("--tool <tool>", "a tool to allow; can be repeated", collect)
    .option("--max-cost-usd <dollars>", "a higher cost limit", toDollars)
    .option("--timeout <duration>", "a longer time limit, e.g. 90s, 15m, 2h", toMs)
    .option("--max-nodes <number>", "a higher limit on node visits", toCount)
    .option("--turn-cap <number>", "a higher limit on the stage's rounds", toCount)
    .option("--key <key>", "which of several offers of the same action; a repeated key has no effect")
    .action((run: string, action: string, options: ActionCommandOptions, command: Command) =>
      act(run, action, options, command),
    );
}

function withRun(command: Command): Command {
  return withJournalOption(withRunArgument(command));
}

function withRunArgument(command: Command): Command {
  return command.argument("<run>", "its id, the beginning of its id, or `last`");
}

function toSequence(value: string): number {
  if (!/^\d{1,12}$/.test(value)) throw new InvalidArgumentError("It must be a whole number from 0 up.");
  return Number(value);
}

function toDollars(value: string): number {
  if (!/^\d{1,7}(?:\.\d{1,4})?$/.test(value) || Number(value) === 0)
    throw new InvalidArgumentError("It must be an amount in dollars, e.g. 5 or 0.50.");
  return Number(value);
}
