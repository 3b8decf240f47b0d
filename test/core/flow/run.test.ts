// What a run can do next, and which visits a failing one stops.

import { describe, expect, it } from "vitest";
import { needsOf, siblingsOf } from "../../../src/core/flow/run.ts";
import { keyOf, type RunState } from "../../../src/core/flow/run-state.ts";
import type { Fan, Visit } from "../../../src/core/flow/visit.ts";

const visit = (node: string, more: Partial<Visit> = {}): Visit =>
  ({ node, execution: 1, attempt: 1, state: "ready", notBefore: 0, pause: null, fan: "", ...more }) as Visit;

function stateOf(
  visits: readonly Visit[],
  fans: Readonly<Record<string, Partial<Fan>>> = {},
  maxParallel = 2,
): RunState {
  return { visits: [...visits], fans, limits: { maxParallel } } as unknown as RunState;
}

const paused = (node: string, wakeAt: number | null): Visit =>
  visit(node, { state: "paused", pause: { why: "parked", questions: [], wakeAt } });

describe("what a run can do now", () => {
  const names = (visits: readonly Visit[]): readonly string[] => visits.map(({ node }) => node);
  const needs = (visits: readonly Visit[], busy: readonly Visit[] = [], maxParallel = 2) => {
    const {
      start,
      resume,
      paused: held,
      ...rest
    } = needsOf(stateOf(visits, {}, maxParallel), 100, new Set(busy.map(keyOf)));
    return { start: names(start), resume: names(resume), paused: names(held), ...rest };
  };
  const NOTHING = { start: [], resume: [], paused: [], places: 2, wakeAt: null, isOver: false };

  it.each<[string, readonly Visit[], object]>([
    ["nothing when all is over", [visit("a", { state: "completed" })], { isOver: true }],
    ["starts what is ready, in order", [visit("b"), visit("a"), visit("c")], { start: ["b", "a"] }],
    ["starts what is due just now", [visit("a", { notBefore: 100 })], { start: ["a"] }],
    ["waits for what is due later", [visit("a", { notBefore: 150 }), visit("b", { notBefore: 120 })], { wakeAt: 120 }],
    ["continues what an earlier process began", [visit("a", { state: "running" })], { resume: ["a"], places: 1 }],
    ["resumes a pause that is over", [paused("a", 100)], { resume: ["a"], places: 1 }],
    ["waits for a pause that is not", [paused("a", 101)], { paused: ["a"], wakeAt: 101 }],
    ["waits for an answer without a time", [paused("a", null)], { paused: ["a"] }],
    [
      "resumes before it starts, and no more than fit",
      [visit("a"), paused("b", 1), paused("c", 1)],
      { resume: ["b", "c"], places: 0 },
    ],
    [
      "counts what runs already",
      [visit("a", { state: "running" }), visit("b", { state: "running" }), visit("c")],
      { resume: ["a", "b"], places: 0 },
    ],
  ])("%s", (_what, visits, expected) => {
    expect(needs(visits)).toEqual({ ...NOTHING, ...expected });
  });

  it("leaves alone what is worked on, and counts its place", () => {
    const [a, b, c, d] = [visit("a"), paused("b", 1), visit("c", { state: "running" }), paused("d", null)];
    expect(needs([a, b, c, d], [a, b, c, d], 4)).toEqual({ ...NOTHING, places: 0 });
    expect(needs([a, visit("e")], [a])).toEqual({ ...NOTHING, start: ["e"], places: 1 });
  });
});

describe("a failing visit", () => {
  const fans = {
    outer: { failFast: true, outer: "" },
    inner: { failFast: false, outer: "outer" },
    patient: { failFast: false, outer: "" },
  };
  const all = [
    visit("failed", { fan: "inner" }),
    visit("beside", { fan: "inner" }),
    visit("outside", { fan: "outer" }),
    visit("elsewhere", { fan: "patient" }),
    visit("main", { state: "running" }),
    visit("over", { fan: "outer", state: "completed" }),
  ];
  const stopped = (node: string): readonly string[] => {
    const failed = all.find((one) => one.node === node);
    return failed === undefined ? [] : siblingsOf(stateOf(all, fans), failed).map((one) => one.node);
  };

  it.each([
    [
      "in a fan-out inside one that fails fast, stops all that is open in the outer one",
      "failed",
      ["beside", "outside"],
    ],
    ["in one that fails fast, stops the inner ones, too", "outside", ["failed", "beside"]],
    ["in one that does not fail fast stops nothing", "elsewhere", []],
    ["on the main path stops nothing", "main", []],
  ])("%s", (_what, node, expected) => {
    expect(stopped(node)).toEqual(expected);
  });
});
