// Timing that survives a busy machine: subjects take turns, and the median of their rounds counts. CPU time, not wall time.

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

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? NaN;
}

export function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
