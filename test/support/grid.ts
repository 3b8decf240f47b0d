// Grids of tests that combine everything with everything. Most of their combinations take the same way through the code, so `npm test` runs a
// share of them in which each value still occurs, and `npm run test:grids` runs all.

const isWhole = process.env["FAULTLINE_GRIDS"] === "whole";

/**
 * Every `every`-th item, beginning at another one for each `row`: rows that follow each other share the items among them.
 * The whole grid has all items in all rows.
 */
export function shareOf<T>(items: readonly T[], every: number, row: number): readonly T[] {
  return isWhole ? items : items.filter((_item, index) => index % every === row % every);
}
