// Two ways to make the same call, compared by what each takes of the processor. Single calls are measured, in blocks of one side
// and then the other, so that each side runs as it would alone and both meet the same machine. Of each side's calls the middle
// half counts: garbage collections and other people's work make some calls many times dearer than the rest. How sure the result
// is, is found by drawing the same number of calls from those made, again and again.

const WARM_UP_CALLS = Number(process.env["BENCH_WARM_UP"] ?? 2_000);
const CALLS = Number(process.env["BENCH_CALLS"] ?? 2_500);
const BLOCK = 25;
const RESAMPLES = 200;

export interface Sides {
  readonly bare: () => Promise<unknown>;
  readonly ours: () => Promise<unknown>;
}

/** In µs a call, and shares of the bare call. */
export interface Compared {
  readonly bare: number;
  readonly ours: number;
  readonly from: number;
  readonly to: number;
}

export async function compare(sides: Sides): Promise<Compared> {
  const times = { bare: [] as number[], ours: [] as number[] };
  for (let made = -WARM_UP_CALLS; made < CALLS; made += BLOCK) {
    const order = made % (2 * BLOCK) === 0 ? (["bare", "ours"] as const) : (["ours", "bare"] as const);
    for (const side of order) {
      for (let index = 0; index < BLOCK; index++) {
        const cpu = await cpuOf(sides[side]);
        if (made >= 0) times[side].push(cpu);
      }
    }
  }
  const added = Array.from({ length: RESAMPLES }, () => middle(drawn(times.ours)) / middle(drawn(times.bare)) - 1);
  added.sort((a, b) => a - b);
  const at = (share: number): number => added[Math.floor(share * RESAMPLES)] ?? NaN;
  return { bare: middle(times.bare), ours: middle(times.ours), from: at(0.05), to: at(0.95) };
}

/** `process.cpuUsage` is exact to the microsecond, and counts what is collected and compiled in other threads too. */
async function cpuOf(call: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage();
  await call();
  const { user, system } = process.cpuUsage(before);
  return user + system;
}

function middle(values: readonly number[]): number {
  const half = values.toSorted((a, b) => a - b).slice(values.length / 4, (values.length * 3) / 4);
  return half.reduce((sum, value) => sum + value, 0) / half.length;
}

function drawn(values: readonly number[]): readonly number[] {
  return values.map(() => values[Math.floor(Math.random() * values.length)] ?? 0);
}
