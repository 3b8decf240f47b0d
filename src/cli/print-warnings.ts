// Warnings from work that no command awaits. Node would print them as `(node:123) FaultlineWarning: …`; here they are lines of Faultline's,
// in the user's language, and the same warning appears once a minute.

import type { Locale } from "../core/index.ts";
import { isFault } from "../core/fault/fault.ts";
import { oncePerMinute } from "../workflow/driver.ts";
import { troubleLine } from "./fault-sentences/sentence.ts";
import type { Io } from "./io.ts";

/** The function returns false for a warning that is not Faultline's. */
export function warningPrinter(io: Pick<Io, "clock" | "stderr">, locale: Locale): (warning: Error) => boolean {
  const print = oncePerMinute(io.clock, (what, fault) => {
    void io.stderr.write(`faultline: ${troubleLine(fault, what, locale)}\n`);
  });
  return (warning) => {
    if (!("what" in warning && "fault" in warning) || !isFault(warning.fault)) return false;
    print(String(warning.what), warning.fault);
    return true;
  };
}
