// Grids of tests that combine everything with everything. Most of their combinations take the same way through the code, so `npm test` runs a
// share of them in which each value still occurs, and `npm run test:grids` runs all. Properties have their samples from there, too: another seed
// each time, a few hundred samples in `npm test`, and thousands in `npm run test:grids`.

const isWhole = process.env["FAULTLINE_GRIDS"] === "whole";

/**
 * Every `every`-th item, beginning at another one for each `row`: rows that follow each other share the items among them.
 * The whole grid has all items in all rows.
 */
export function shareOf<T>(items: readonly T[], every: number, row: number): readonly T[] {
  return isWhole ? items : items.filter((_item, index) => index % every === row % every);
}

/** How many samples of a property are tried. */
export function samples(short: number, whole: number): number {
  return isWhole ? whole : short;
}
