// Warnings from work that no command awaits. Node would print them as `(node:123) FaultlineWarning: …`; here they are lines of Faultline's,
// in the user's language, and the same warning appears once a minute.

import { type Fault, isFault } from "../core/fault/fault.ts";
import type { OnWarning } from "../journal/warnings.ts";
import { oncePerMinute } from "../workflow/driver.ts";
import type { Cli } from "./cli.ts";
import { troubleLine } from "./fault-sentences/sentence.ts";
import { fitted } from "./render/table.ts";

/** Prints warnings. A journal that is away warns with each attempt to reach it: the same warning appears once a minute. */
export function warningLines({ clock, stderr, locale }: Pick<Cli, "clock" | "stderr" | "locale">): OnWarning {
  const print = oncePerMinute<Fault>(clock, (what, fault) => {
    void stderr.write(`${fitted(`faultline: ${troubleLine(fault, what, locale)}`, stderr)}\n`);
  });
  return (fault, what) => print(what, fault);
}

/** The function returns false for a warning that is not Faultline's. */
export function warningPrinter(cli: Pick<Cli, "clock" | "stderr" | "locale">): (warning: Error) => boolean {
  const print = warningLines(cli);
  return (warning) => {
    if (!("what" in warning && "fault" in warning) || !isFault(warning.fault)) return false;
    print(warning.fault, String(warning.what));
    return true;
  };
}
