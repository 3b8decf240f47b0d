// Metrics per tool stay bounded when tool names come from a model or a user, and no count is lost.

import { describe, expect, it } from "vitest";
import { BoundedCounters, OTHER_TOOLS } from "../../src/runtime/tool/binding.ts";
import type { AnyTool } from "../../src/runtime/tool/tool.ts";
import { tool, type Tool } from "../../src/index.ts";
import { failure, world } from "../support/world.ts";

const MOST = 20;
const oneOff = (id: string, isDown = false): Tool<string, string> =>
  tool<string, string>({
    id,
    retry: "none",
    run: (text) => {
      if (isDown) throw failure("ToolUnavailable");
      return text;
    },
  });

describe("metrics of unboundedly many tools", () => {
  it("have a row each up to the limit, and one row for all the others together", async () => {
    const { fl } = world({ maxTargets: MOST });
    for (let made = 0; made < 500; made++) await fl.protect(oneOff(`made-up ${made}`, made % 5 === 0), "x");
    const metrics = fl.metrics();
    expect(Object.keys(metrics)).toHaveLength(MOST + 1);
    expect(metrics["made-up 0"]).toMatchObject({ call_count: 1, error_count: 1 });
    const all = Object.values(metrics);
    expect(all.reduce((sum, row) => sum + row.call_count, 0)).toBe(500);
    expect(all.reduce((sum, row) => sum + row.success_count, 0)).toBe(400);
    expect(all.reduce((sum, row) => sum + row.error_count, 0)).toBe(100);
    expect(metrics[OTHER_TOOLS]?.call_count).toBe(500 - MOST);
  });

  it("always have a row for a registered tool", async () => {
    const registered = oneOff("registered");
    const { fl } = world({ maxTargets: MOST, tools: [registered] });
    for (let made = 0; made < 3 * MOST; made++) await fl.protect(oneOff(`made-up ${made}`), "x");
    await fl.protect(registered, "x");
    expect(fl.metrics()["registered"]).toMatchObject({ call_count: 1, success_count: 1 });
    expect(fl.metrics()[OTHER_TOOLS]?.call_count).toBe(2 * MOST);
  });

  it("have no row for others while there are none", async () => {
    const { fl } = world({ maxTargets: MOST });
    for (let made = 0; made < MOST; made++) await fl.protect(oneOff(`made-up ${made}`), "x");
    expect(Object.keys(fl.metrics())).toHaveLength(MOST);
    expect(fl.metrics()).not.toHaveProperty(OTHER_TOOLS);
  });
});

describe("the rows of each target", () => {
  const named = (target: string): AnyTool =>
    tool<string, string>({ id: `tool of ${target}`, target, run: (text) => text });

  it("are known of as many targets as there may be", () => {
    const counters = new BoundedCounters(2, () => false);
    for (const target of ["a", "b", "c", "a"]) counters.rowApart(named(target));
    expect(["a", "b", "c"].map((target) => counters.rowsOf(target))).toEqual([["tool of a"], ["tool of b"], []]);
  });

  it("are the first twenty", () => {
    const counters = new BoundedCounters(2, () => false);
    const names = Array.from({ length: 25 }, (_, at) => `t${at}`);
    for (const id of names) counters.rowApart(tool<string, string>({ id, target: "shared", run: (text) => text }));
    expect(counters.rowsOf("shared")).toEqual(names.slice(0, 20));
  });
});
