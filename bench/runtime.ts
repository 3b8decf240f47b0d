// `npm run bench:runtime -- [section …] [--quick]`: what protecting a call costs, compared with similar libraries and with the
// same code written by hand. Every subject runs in its own process; subjects take turns, and the median of their rounds counts.

import { failuresThenSuccess, openBreakerRefusal, successPath } from "./runtime/calls.ts";
import { inFlight } from "./runtime/in-flight.ts";
import { journalSpeed, resumeSpeed } from "./runtime/journal.ts";
import { memoryOverTime } from "./runtime/memory.ts";
import { FULL, QUICK, type Scale } from "./runtime/scale.ts";
import { print } from "./measure.ts";

const SECTIONS: Readonly<Record<string, (scale: Scale) => Promise<void>>> = {
  "success": successPath,
  "failures": failuresThenSuccess,
  "open-breaker": openBreakerRefusal,
  "in-flight": inFlight,
  "journal": journalSpeed,
  "resume": resumeSpeed,
  "memory": memoryOverTime,
};

const words = process.argv.slice(2).filter((word) => !word.startsWith("--"));
const unknown = words.filter((word) => !(word in SECTIONS));
if (unknown.length > 0) {
  print(`No such section: ${unknown.join(", ")}. There are: ${Object.keys(SECTIONS).join(", ")}.`);
  process.exitCode = 2;
} else {
  const scale = process.argv.includes("--quick") ? QUICK : FULL;
  print(
    `Node ${process.version}. CPU time unless a unit says otherwise; medians of ${scale.rounds} interleaved rounds.`,
  );
  print("Ratios compare times or bytes; below 1 means better.");
  for (const [name, run] of Object.entries(SECTIONS)) if (words.length === 0 || words.includes(name)) await run(scale);
}
