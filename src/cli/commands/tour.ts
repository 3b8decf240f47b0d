// `faultline tour`: shows real failures, how they are classified, and what Faultline would do about each.

import type { Command } from "commander";
import { cliOf } from "../cli.ts";
import type { Io } from "../io.ts";

export function addTour(program: Command, io: Io): void {
  program
    .command("tour")
    .summary("see real failures classified and decided")
    .description("Shows real failures, how they are classified, and what Faultline would do about each.")
    .action(async (_options: object, command: Command) =>
      (await import("../demo/tour.ts")).runTour(cliOf(command, io)),
    );
}
