// Ways to make the same call, compared by what each takes of the processor. In each round every side makes a few calls, one side
// after the other, and what counts is the middle one of each: so all sides meet the same machine, which may be twice as fast a
// second later, and a garbage collection or other people's work makes no difference. A round says what share a side adds to the
// bare call; the middle of all rounds is the result. How sure it is, is found by drawing as many rounds from those made, again
// and again.

const WARM_UP_ROUNDS = Number(process.env["BENCH_WARM_UP"] ?? 250);
const ROUNDS = Number(process.env["BENCH_ROUNDS"] ?? 80);
const CALLS_A_ROUND = 10;
const RESAMPLES = 400;

type Side = "bare" | "floor" | "ours";

/** `floor` can do no more than give a call up and look at its answer: less than that protects nobody. */
export type Sides = Readonly<Record<Side, () => Promise<unknown>>>;

/** CPU µs of the middle call of each side. */
export type Round = Readonly<Record<Side, number>>;

/** µs a call of each side, what ours and the floor add as a share of the bare call, and between which shares ours is for sure. */
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

/** `process.cpuUsage` is exact to the microsecond, and counts what is collected and compiled in other threads too. */
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
