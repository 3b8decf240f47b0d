// Accuracy on real failures must not fall. `npm run bench:classify` prints the figures; these are the floors.

import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { measure, parseCorpus } from "../../../bench/corpus.ts";

describe.each([
  { file: "failures.jsonl", threeWay: 0.99, exact: 0.97, timing: 0.99 },
  { file: "more-failures.jsonl", threeWay: 0.98, exact: 0.95, timing: 0.99 },
  { file: "documented-failures.jsonl", threeWay: 0.98, exact: 0.98, timing: 0.99 },
  { file: "unseen-failures.jsonl", threeWay: 0.97, exact: 0.9, timing: 0.97 },
])("corpus/$file", ({ file, threeWay, exact, timing }) => {
  const cases = parseCorpus(readFileSync(new URL(`../../../corpus/${file}`, import.meta.url), "utf8"));
  const found = measure(cases);

  it("has failures in it", () => {
    expect(cases.length).toBeGreaterThan(100);
  });

  it(`gets at least ${threeWay * 100} % right on retryable, overflow or other`, () => {
    expect(found.threeWay).toBeGreaterThanOrEqual(threeWay);
  });

  it(`names the code for at least ${exact * 100} %`, () => {
    expect(found.exact).toBeGreaterThanOrEqual(exact);
  });

  it(`reads the retry time of at least ${timing * 100} %`, () => {
    expect(found.timing).toBeGreaterThanOrEqual(timing);
  });
});
