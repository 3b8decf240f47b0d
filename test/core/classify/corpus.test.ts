// Accuracy on real failures must not fall. `npm run bench:classify` prints the figures; these are the floors. The files in `classified/` hold what
// is said about each failure: code, rule, wait, reset, context, rules that nearly matched, characters of the excerpt. A changed rule shows as a
// difference of these files (`npx vitest run test/core/classify/corpus.test.ts -u` writes them again).

import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { measure, parseCorpus } from "../../../bench/corpus.ts";
import { classify } from "../../../src/core/classify/classify.ts";

describe.each([
  { file: "failures.jsonl", threeWay: 0.99, exact: 0.97, timing: 0.99 },
  { file: "more-failures.jsonl", threeWay: 0.98, exact: 0.95, timing: 0.99 },
  { file: "documented-failures.jsonl", threeWay: 0.98, exact: 0.98, timing: 0.99 },
  { file: "unseen-failures.jsonl", threeWay: 0.97, exact: 0.9, timing: 0.97 },
])("corpus/$file", ({ file, threeWay, exact, timing }) => {
  const cases = parseCorpus(readFileSync(new URL(`../../../corpus/${file}`, import.meta.url), "utf8"));
  const found = measure(cases);

  it("says the same about every failure as the file that was reviewed", async () => {
    const lines = cases.map(({ id, evidence }) => {
      const { code, context, retryAfterMs = "-", resetAt = "-", evidence: seen } = classify(evidence);
      const { rule, nearly, excerpt } = seen;
      return `${id} ${code} ${rule} ${retryAfterMs} ${resetAt} ${JSON.stringify(context)} ${nearly.join(",")} ${excerpt.length}\n`;
    });
    await expect(lines.join("")).toMatchFileSnapshot(`classified/${file.replace("jsonl", "txt")}`);
  });

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
