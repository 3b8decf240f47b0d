// Whether memory grows in a long-running process: the heap after every quarter of a million calls, of which one in a thousand fails twice.

import { print } from "../measure.ts";
import type { Scale } from "./scale.ts";
import { titleOf } from "./subject.ts";
import { withProcesses } from "./subject-process.ts";
import { GUARDS, SUBJECTS } from "./subjects.ts";
import { printAligned } from "./table.ts";

const STOPS = [0.25, 0.5, 0.75, 1];

export async function memoryOverTime({ lastingCalls }: Scale): Promise<void> {
  print(`\n7. Heap after garbage collection, in kB, over ${lastingCalls.toLocaleString("en")} calls`);
  const rows: string[][] = [];
  for (const id of GUARDS) {
    const subject = SUBJECTS[id];
    const bytes: number[] = [];
    await withProcesses([id], async (processes) => {
      for (const { ask } of processes) {
        for (const [index, stop] of STOPS.entries()) {
          const calls = lastingCalls * (stop - (STOPS[index - 1] ?? 0));
          bytes.push((await ask({ kind: "heap", calls })).bytes);
        }
      }
    });
    const growth = (bytes.at(-1) ?? NaN) - (bytes[0] ?? NaN);
    rows.push([
      titleOf(subject),
      ...bytes.map((held) => (held / 1024).toFixed(0)),
      (growth / (lastingCalls * 0.75)).toFixed(3),
      "",
    ]);
  }
  printAligned(["", ...STOPS.map((stop) => (lastingCalls * stop).toLocaleString("en")), "bytes a call", ""], rows);
}
