// Many calls at once, all waiting: what each holds, and whether starting one costs more the more there are.

import { print } from "../measure.ts";
import type { Replies } from "./jobs.ts";
import type { Scale } from "./scale.ts";
import { titleOf, type Subject } from "./subject.ts";
import { withProcesses } from "./subject-process.ts";
import { GUARDS, SUBJECTS, type SubjectId } from "./subjects.ts";
import { printAligned, printComparison, type Measured } from "./table.ts";

type Launched = Replies["launch"];

/** Small numbers of calls are started this often, so that the clock can see them. */
const CALLS_IN_ALL = 30_000;
const FEWEST_BATCHES = 3;

export async function inFlight({ inFlight: sizes }: Scale): Promise<void> {
  const most = Math.max(...sizes);
  const bare = await launchAll("bare", sizes);
  const results = new Map<SubjectId, ReadonlyMap<number, Launched>>();
  for (const id of GUARDS) if (SUBJECTS[id].missing === null) results.set(id, await launchAll(id, sizes));

  print(`\n4. ${most.toLocaleString("en")} calls in flight: heap each holds beyond the work's own`);
  printComparison(
    "bytes a call",
    GUARDS.map((id): Measured => {
      const subject = SUBJECTS[id];
      const [size, launched] = [...(results.get(id) ?? [])].at(-1) ?? [];
      const without = size === undefined ? undefined : bare.get(size);
      if (size === undefined || launched === undefined || without === undefined) return { subject, value: null };
      const left = (launched.leftBytes - without.leftBytes) / size;
      return {
        subject,
        value: (launched.heldBytes - without.heldBytes) / size,
        note: [
          size < most ? `measured at ${size.toLocaleString("en")}` : "",
          left > 16 ? `${left.toFixed(0)} bytes a call still held after the end` : "",
        ]
          .filter((note) => note !== "")
          .join("; "),
      };
    }),
    (value) => value.toFixed(0),
  );

  print("\n   CPU µs to start one call, with so many started");
  printAligned(
    ["", ...sizes.map((size) => size.toLocaleString("en")), "last : first", ""],
    // The work alone tells how much of the growth is the garbage collector, which has more to look through.
    [...GUARDS, "bare" as const].map((id) => {
      const subject: Subject = SUBJECTS[id];
      const launched = id === "bare" ? bare : (results.get(id) ?? new Map<number, Launched>());
      const costs = sizes.map((size) => (launched.get(size)?.cpuMicros ?? NaN) / size);
      const known = costs.filter((cost) => !Number.isNaN(cost));
      const growth = (known.at(-1) ?? NaN) / (known[0] ?? NaN);
      return [
        titleOf(subject),
        ...costs.map((cost) => (Number.isNaN(cost) ? "–" : cost.toFixed(2))),
        Number.isNaN(growth) ? "" : `${growth.toFixed(1)}×`,
        subject.missing ?? (known.length < sizes.length ? "stopped there: more would take minutes" : ""),
      ];
    }),
  );
}

/** A new process for each, so that nothing of an earlier measurement lies in its heap. */
async function launchAll(id: SubjectId, sizes: readonly number[]): Promise<ReadonlyMap<number, Launched>> {
  const { limits }: Subject = SUBJECTS[id];
  const launched = new Map<number, Launched>();
  await withProcesses([id], async (processes) => {
    for (const { ask } of processes) {
      await ask({ kind: "launch", calls: 1_000, batches: 5 });
      for (const size of sizes.filter((wanted) => wanted <= (limits.inFlight ?? wanted))) {
        launched.set(
          size,
          await ask({ kind: "launch", calls: size, batches: Math.max(FEWEST_BATCHES, CALLS_IN_ALL / size) }),
        );
      }
    }
  });
  return launched;
}
