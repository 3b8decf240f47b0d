// Timing that survives a busy machine: subjects take turns, and the median of their rounds counts. CPU time, not wall time.

import { readFileSync } from "node:fs";

export interface Timed {
  readonly name: string;
  readonly run: (rounds: number) => void;
}

export interface Speed {
  readonly name: string;
  readonly perSecond: number;
}

export function interleaved(
  subjects: readonly Timed[],
  { rounds, perRound }: { rounds: number; perRound: number },
): readonly Speed[] {
  const micros = subjects.map(() => [] as number[]);
  for (const { run } of subjects) run(perRound);
  for (let round = 0; round < rounds; round++) {
    for (const [index, { run }] of subjects.entries()) {
      const before = process.cpuUsage();
      run(perRound);
      const { user, system } = process.cpuUsage(before);
      micros[index]?.push(user + system);
    }
  }
  return subjects.map(({ name }, index) => ({ name, perSecond: (perRound / median(micros[index] ?? [])) * 1e6 }));
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? NaN;
}

export function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

/**
 * The time that the processes of a PostgreSQL server, by its main one, have had a CPU; 0 where the system does not say. `isCounted` is asked about
 * the title of each.
 */
export function serverCpuMicros(pid: number, isCounted: (title: string) => boolean = () => true): number {
  try {
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ");
    const nanos = children
      .filter((child) => isCounted(readFileSync(`/proc/${child}/cmdline`, "utf8")))
      .map((child) => Number(readFileSync(`/proc/${child}/schedstat`, "utf8").split(" ")[0]));
    return nanos.reduce((sum, value) => sum + value, 0) / 1_000;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return 0;
    throw error;
  }
}
