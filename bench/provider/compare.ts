// Compares the CPU time of different ways to make the same call. In each round every side makes a few calls, one side after the
// other, and the median call of each side counts. So all sides meet the same machine, whose speed can double within a second, and a
// garbage collection or other processes make no difference. A round gives the share that a side adds to the bare call; the result is
// the median of all rounds. Bootstrapping (drawing rounds again and again) gives the confidence interval.

const WARM_UP_ROUNDS = Number(process.env["BENCH_WARM_UP"] ?? 250);
const ROUNDS = Number(process.env["BENCH_ROUNDS"] ?? 80);
const CALLS_A_ROUND = 10;
const RESAMPLES = 400;

type Side = "bare" | "floor" | "ours";

/** `floor` can only abort a call and look at its answer: with less, nothing is protected. */
export type Sides = Readonly<Record<Side, () => Promise<unknown>>>;

/** CPU µs of the median call of each side. */
export type Round = Readonly<Record<Side, number>>;

/** µs per call of each side, what ours and the floor add as a share of the bare call, and the confidence interval of ours. */
export interface Compared extends Readonly<Record<Side, number>> {
  readonly floorAdds: number;
  readonly oursAdds: number;
  readonly from: number;
  readonly to: number;
}

const ORDERS: readonly (readonly Side[])[] = [
  ["bare", "floor", "ours"],
  ["ours", "floor", "bare"],
];

export async function makeRounds(sides: Sides): Promise<readonly Round[]> {
  const rounds: Round[] = [];
  for (let number = -WARM_UP_ROUNDS; number < ROUNDS; number++) {
    const round = { bare: 0, floor: 0, ours: 0 };
    for (const side of ORDERS[number % 2 === 0 ? 0 : 1] ?? []) {
      const times: number[] = [];
      for (let made = 0; made < CALLS_A_ROUND; made++) times.push(await cpuOf(sides[side]));
      round[side] = middle(times);
    }
    if (number >= 0) rounds.push(round);
  }
  return rounds;
}

/** `process.cpuUsage` is exact to the microsecond and includes garbage collection and compilation in other threads. */
async function cpuOf(call: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage();
  await call();
  const { user, system } = process.cpuUsage(before);
  return user + system;
}

export function compare(rounds: readonly Round[]): Compared {
  const oursAdds = rounds.map(({ bare, ours }) => ours / bare - 1);
  const drawn = Array.from({ length: RESAMPLES }, () => middle(draw(oursAdds))).sort((a, b) => a - b);
  const at = (share: number): number => drawn[Math.floor(share * RESAMPLES)] ?? NaN;
  return {
    bare: middle(rounds.map(({ bare }) => bare)),
    floor: middle(rounds.map(({ floor }) => floor)),
    ours: middle(rounds.map(({ ours }) => ours)),
    floorAdds: middle(rounds.map(({ bare, floor }) => floor / bare - 1)),
    oursAdds: middle(oursAdds),
    from: at(0.05),
    to: at(0.95),
  };
}

function middle(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const half = (sorted.length - 1) / 2;
  return ((sorted[Math.floor(half)] ?? NaN) + (sorted[Math.ceil(half)] ?? NaN)) / 2;
}

function draw(values: readonly number[]): readonly number[] {
  return values.map(() => values[Math.floor(Math.random() * values.length)] ?? 0);
}
