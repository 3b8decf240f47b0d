// Grids of tests that combine everything with everything. Most of their combinations take the same way through the code, so `npm test` runs a
// share of them in which each value still occurs, most often with each other value, and `npm run test:grids` runs all. Properties have their
// samples from there, too: another seed each time, a few hundred samples in `npm test`, and thousands in `npm run test:grids`.

const isWhole = process.env["FAULTLINE_GRIDS"] === "whole";

/**
 * Every `every`-th item, beginning at another one for each `row`: rows that follow each other share the items among them.
 * The whole grid has all items in all rows.
 */
export function shareOf<T>(items: readonly T[], every: number, row: number): readonly T[] {
  return isWhole ? items : items.filter((_item, index) => index % every === row % every);
}

/**
 * As few of the cases as contain every value, and every two values together, of what each of `axes` reads from a case. Most defects need one
 * value or two that meet. The whole grid has all cases.
 */
export function everyPair<T>(cases: readonly T[], ...axes: readonly ((one: T) => unknown)[]): readonly T[] {
  if (isWhole) return cases;
  const pairsOf = pairReader(axes);
  const all = cases.map((one) => ({ one, pairs: pairsOf(one) }));
  const seen = new Set<string>();
  const kept = new Set<T>();
  // Cases with most new pairs first. A case never gets more of them, so one look at each case for each number is enough.
  for (let most = (axes.length * (axes.length - 1)) / 2; most > 0; most--) {
    for (const { one, pairs } of all) {
      if (pairs.filter((pair) => !seen.has(pair)).length < most) continue;
      kept.add(one);
      for (const pair of pairs) seen.add(pair);
    }
  }
  return cases.filter((one) => kept.has(one));
}

/** Returns the pairs of values that a case has. Two values are the same if they are identical. */
function pairReader<T>(axes: readonly ((one: T) => unknown)[]): (one: T) => readonly string[] {
  const numbers = axes.map(() => new Map<unknown, number>());
  return (one) => {
    const values = axes.map((axis, at) => {
      const known = numbers[at] ?? new Map<unknown, number>();
      const value = axis(one);
      if (!known.has(value)) known.set(value, known.size);
      return `${at}:${known.get(value)}`;
    });
    return values.flatMap((value, at) => values.slice(at + 1).map((other) => `${value} ${other}`));
  };
}

/** How many samples of a property are tried. */
export function samples(short: number, whole: number): number {
  return isWhole ? whole : short;
}
