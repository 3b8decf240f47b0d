// The tables of what becomes of a node that cannot run.

import { expect, it } from "vitest";
import { fault } from "../../../src/core/index.ts";
import { endUnrun, endWithoutNeed, faultWithoutNeed, isUsable } from "../../../src/core/flow/round.ts";

const node = (optional: boolean, hasDefault: boolean): Parameters<typeof endWithoutNeed>[0] => ({
  id: "n",
  tool: "t",
  label: "n",
  needs: [],
  optional,
  hasDefault,
});

it.each([
  [true, true, "skipped", "defaulted"],
  [true, false, "skipped", "skipped"],
  [false, true, "defaulted", "defaulted"],
  [false, false, "failed", "failed"],
])("optional %s, default %s: without a need %s, out of time %s", (optional, hasDefault, withoutNeed, outOfTime) => {
  expect(endWithoutNeed(node(optional, hasDefault))).toBe(withoutNeed);
  expect(endUnrun(node(optional, hasDefault))).toBe(outOfTime);
});

it("takes a whole, a partial and a declared result as usable, and nothing else", () => {
  const all = ["done", "partial", "defaulted", "skipped", "surfaced", "failed", "cancelled"] as const;
  expect(all.filter(isUsable)).toEqual(["done", "partial", "defaulted"]);
});

it("keeps class, code, timing and evidence of the fault that began it, and names the need", () => {
  const root = fault("RateLimited", { message: "slow down", retryAfterMs: 5, context: { tool: "hotel" } });
  expect(faultWithoutNeed(root, "hotel", "surfaced")).toMatchObject({
    class: "ProviderTransient",
    code: "RateLimited",
    message: "needs hotel, which failed: slow down",
    retryAfterMs: 5,
    context: { tool: "hotel", need: "hotel" },
    cause: root,
  });
  expect(faultWithoutNeed(root, "x", "cancelled").message).toBe("needs x, which was cancelled: slow down");
});
