import assert from "node:assert/strict";
import { test } from "node:test";
import { split } from "../src/split.js";

test("a bill that can be split evenly is", () => {
  assert.deepEqual(split(900, 3), [300, 300, 300]);
});

test("one person pays it all", () => {
  assert.deepEqual(split(999, 1), [999]);
});

test("what people pay adds up to the bill", () => {
  for (const [totalCents, people] of [
    [1000, 3],
    [1001, 4],
    [5, 7],
  ]) {
    const sum = split(totalCents, people).reduce((all, share) => all + share, 0);
    assert.equal(sum, totalCents, `${people} people pay ${sum} for a bill of ${totalCents}`);
  }
});

test("nobody pays more than a cent more than another", () => {
  const shares = split(1001, 4);
  assert.ok(Math.max(...shares) - Math.min(...shares) <= 1, `they pay ${shares.join(", ")}`);
});
