// Marks commands that decide about a run or its journal. They are for operators and refused inside a run's own processes.

import type { Command } from "commander";
import { cliOf } from "../cli.ts";
import type { Io } from "../io.ts";

export function ofOperator(command: Command, io: Io): Command {
  return command.hook("preAction", async (_parent, used) => {
    const { refuseInsideRun } = await import("../inside-run.ts");
    refuseInsideRun(cliOf(used, io));
  });
}
