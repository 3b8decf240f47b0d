// Ways to make the same call, compared by what each takes of the processor. Single calls are measured, in blocks of one side and
// then the next, so that each side runs as it would alone and all meet the same machine. Of each side's calls the middle half
// counts: garbage collections and other people's work make some calls many times dearer than the rest. How sure the result is,
// is found by drawing the same number of calls from those made, again and again.

const WARM_UP_CALLS = Number(process.env["BENCH_WARM_UP"] ?? 2_000);
const CALLS = Number(process.env["BENCH_CALLS"] ?? 2_500);
const BLOCK = 25;
const RESAMPLES = 200;

type Side = "bare" | "floor" | "ours";

/** `floor` can do no more than give a call up and look at its answer: less than that protects nobody. */
export type Sides = Readonly<Record<Side, () => Promise<unknown>>>;

/** µs a call of each side; and between which shares of the bare call ours adds. */
export interface Compared extends Readonly<Record<Side, number>> {
  readonly from: number;
  readonly to: number;
}

const ORDERS: readonly (readonly Side[])[] = [
  ["bare", "floor", "ours"],
  ["ours", "floor", "bare"],
];

export async function compare(sides: Sides): Promise<Compared> {
  const times: Record<Side, number[]> = { bare: [], floor: [], ours: [] };
  for (let made = -WARM_UP_CALLS; made < CALLS; made += BLOCK) {
    for (const side of ORDERS[made % (2 * BLOCK) === 0 ? 0 : 1] ?? []) {
      for (let index = 0; index < BLOCK; index++) {
        const cpu = await cpuOf(sides[side]);
        if (made >= 0) times[side].push(cpu);
      }
    }
  }
  const added = Array.from({ length: RESAMPLES }, () => middle(drawn(times.ours)) / middle(drawn(times.bare)) - 1);
  added.sort((a, b) => a - b);
  const at = (share: number): number => added[Math.floor(share * RESAMPLES)] ?? NaN;
  const [bare, floor, ours] = [middle(times.bare), middle(times.floor), middle(times.ours)];
  return { bare, floor, ours, from: at(0.05), to: at(0.95) };
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
