// Many waiting calls at once: the memory each holds, and whether starting one costs more when there are more.

import { print } from "../measure.ts";
import type { Replies } from "./jobs.ts";
import type { Scale } from "./scale.ts";
import { titleOf, type Subject } from "./subject.ts";
import { withProcesses } from "./subject-process.ts";
import { GUARDS, SUBJECTS, type SubjectId } from "./subjects.ts";
import { printAligned, printComparison, type Measured } from "./table.ts";

/** How often a small number of calls is started, so that the clock can measure it. */
const CALLS_IN_ALL = 30_000;
const FEWEST_BATCHES = 3;

export async function inFlight({ inFlight: sizes }: Scale): Promise<void> {
  const most = Math.max(...sizes);
  const bare = await launchAll("bare", sizes);
  const guards: Launches[] = [];
  for (const id of GUARDS) guards.push(await launchAll(id, sizes));

  print(`\n4. ${most.toLocaleString("en")} calls in flight: heap each holds beyond the work's own`);
  printComparison(
    "bytes a call",
    guards.map(({ subject, launched }): Measured => {
      const size = Math.max(...launched.keys());
      const per = (field: "heldBytes" | "leftBytes"): number =>
        ((launched.get(size)?.[field] ?? NaN) - (bare.launched.get(size)?.[field] ?? NaN)) / size;
      const notes = [
        size < most ? `measured at ${size.toLocaleString("en")}` : "",
        per("leftBytes") > 16 ? `${per("leftBytes").toFixed(0)} bytes a call still held after the end` : "",
      ];
      return { subject, value: per("heldBytes"), note: notes.filter((note) => note !== "").join("; ") };
    }),
    (value) => value.toFixed(0),
  );

  print("\n   CPU µs to start one call, with so many started");
  printAligned(
    ["", ...sizes.map((size) => size.toLocaleString("en")), "last : first", ""],
    // The bare work shows how much of the growth comes from the garbage collector, which has more to scan.
    [...guards, bare].map(({ subject, launched }) => {
      const costs = [...launched].map(([size, { cpuMicros }]) => cpuMicros / size);
      const growth = (costs.at(-1) ?? NaN) / (costs[0] ?? NaN);
      const skipped = sizes.slice(costs.length).map(() => "–");
      return [
        titleOf(subject),
        ...costs.map((cost) => cost.toFixed(2)),
        ...skipped,
        `${growth.toFixed(1)}×`,
        skipped.length > 0 ? "stopped there: more would take minutes" : "",
      ];
    }),
  );
}

interface Launches {
  readonly subject: Subject;
  /** By number of calls, smallest first. */
  readonly launched: ReadonlyMap<number, Replies["launch"]>;
}

/** A new process for each, so that its heap contains nothing of an earlier measurement. */
async function launchAll(id: SubjectId, sizes: readonly number[]): Promise<Launches> {
  const subject: Subject = SUBJECTS[id];
  const launched = new Map<number, Replies["launch"]>();
  await withProcesses([id], async (processes) => {
    for (const { ask } of processes) {
      await ask({ kind: "launch", calls: 1_000, batches: 5 });
      for (const size of sizes.filter((wanted) => wanted <= (subject.limits.inFlight ?? wanted))) {
        const batches = Math.max(FEWEST_BATCHES, CALLS_IN_ALL / size);
        launched.set(size, await ask({ kind: "launch", calls: size, batches }));
      }
    }
  });
  return { subject, launched };
}
