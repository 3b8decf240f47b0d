// Visits: what they wait for, which of them run side by side, and the names of their attempts.

import { describe, expect, it } from "vitest";
import { callWaitOf, isBeside, placeOf, switchedTo, turnOf, type VisitCall } from "../../../src/core/flow/visit.ts";

const call = (nextAt: number | null, target = "west"): VisitCall => ({
  ...{ target, attempt: 2, of: 3, code: null, held: null },
  nextAt,
});

describe("what a visit waits for", () => {
  it.each<[string, "running" | "paused", Record<string, VisitCall> | undefined, number | null]>([
    ["no call", "running", {}, null],
    ["no calls known", "running", undefined, null],
    ["one call that waits", "running", { a: call(150) }, 150],
    ["the call that continues first", "running", { a: call(300), b: call(150), c: call(200) }, 150],
    ["nothing while a call runs", "running", { a: call(150), b: call(null) }, null],
    ["nothing while a call is due", "running", { a: call(150), b: call(100) }, null],
    ["nothing of its calls while it is paused", "paused", { a: call(150) }, null],
  ])("is %s", (_what, state, calls, expected) => {
    const visit = calls === undefined ? { state } : { state, calls };
    expect(callWaitOf(visit, 100)?.nextAt ?? null).toBe(expected);
  });
});

describe("two visits", () => {
  it.each<[string, readonly string[] | undefined, readonly string[] | undefined, boolean]>([
    ["on two branches of one fork", ["a#1.0"], ["a#1.1"], true],
    ["on two branches of an inner fork", ["a#1.0", "b#1.0"], ["a#1.0", "b#1.2"], true],
    ["on the same branch", ["a#1.0"], ["a#1.0"], false],
    ["before and in a fork", [], ["a#1.0"], false],
    ["in and after a fork", ["a#1.0"], [], false],
    ["in forks that follow each other", ["a#1.0"], ["c#1.1"], false],
    ["in two rounds of one fork", ["a#1.0"], ["a#2.1"], false],
    ["of an older program", undefined, undefined, false],
  ])("%s run side by side: %j, %j", (_what, one, other, expected) => {
    const visit = (path: readonly string[] | undefined): object => (path === undefined ? {} : { path });
    expect(isBeside(visit(one), visit(other))).toBe(expected);
  });
});

describe("an attempt", () => {
  it("has a name that can be read back", () => {
    const place = { node: "a#b", execution: 12, attempt: 3 };
    expect(turnOf(place)).toBe("a#b#12.3");
    expect(placeOf("a#b#12.3")).toEqual(place);
    expect(placeOf("t1")).toBeNull();
  });

  it("goes to the target that an operator chose", () => {
    const chosen = (params: object): string | null =>
      switchedTo({ action: "switch-provider", params: { ...params }, by: "ada" });
    expect([chosen({ target: "east" }), chosen({ target: 7 }), chosen({}), switchedTo(null)]).toEqual([
      "east",
      null,
      null,
      null,
    ]);
  });
});
