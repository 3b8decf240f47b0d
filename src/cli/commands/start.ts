// `faultline start` (also `npm start`): a local demo in which a team of agents fixes a real repository while everything fails.

import { type Command, Option } from "commander";
import { cliOf } from "../cli.ts";
import type { Io } from "../io.ts";

interface RawStart {
  readonly ask?: true;
  readonly once?: true;
  readonly worker?: string;
  readonly workerRun?: string;
}

export function addStart(program: Command, io: Io): void {
  program
    .command("start")
    .alias("demo")
    .summary("see a team of agents survive failures, here and now")
    .description(
      "Lets a team of agents fix a bug in a small repository while its provider, its tools and its own process fail. Needs no key and no network, takes less than a minute, and leaves its files in a temporary folder. On a terminal, a dashboard of it stays up until Ctrl-C.",
    )
    .option("--ask", "ask you at the gate instead of confirming it")
    .option("--once", "end after the first run; without a terminal, and with --json, it always does")
    // Internal: this command starts itself as a worker, kills the worker and starts another.
    .addOption(new Option("--worker <journal>", "advance a run of this journal").hideHelp())
    .addOption(new Option("--worker-run <run>", "the run to advance").hideHelp())
    .addHelpText(
      "after",
      `
Examples:
  $ faultline demo
  $ faultline start
  $ faultline start --ask
  $ faultline start --once
  $ faultline start --json`,
    )
    .action(async ({ ask, once, worker, workerRun = "" }: RawStart, command: Command) => {
      if (worker !== undefined) return (await import("../demo/worker.ts")).runWorker(worker, workerRun, io);
      const [main = ""] = process.argv.slice(1);
      const { runStart } = await import("../demo/run-start.ts");
      const again = [process.execPath, ...process.execArgv, main, "start"];
      const version = program.version() ?? "0";
      const options = { ask: ask === true, once: once === true, version, program: again };
      return runStart(options, cliOf(command, io));
    });
}
