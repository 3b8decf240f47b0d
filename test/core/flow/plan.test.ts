// What a valid plan is, and how an invalid one is refused.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { checkPlan, type Plan, type PlanNode } from "../../../src/core/flow/plan.ts";
import { samples } from "../../support/grid.ts";

function node(id: string, needs: readonly string[] = []): PlanNode {
  return { id, tool: "t", label: id, needs, optional: false, hasDefault: false };
}

function accepted(nodes: readonly PlanNode[]): Plan {
  const { plan, fault } = checkPlan(nodes);
  if (plan === null) throw new Error(fault.message);
  return plan;
}

const MANY = 10_000;
const ids = Array.from({ length: MANY }, (_, index) => `n${index}`);

describe("a plan", () => {
  it("knows who may begin and who waits for whom", () => {
    const plan = accepted([node("car", ["hotel", "flight"]), node("flight"), node("hotel", ["flight", "flight"])]);
    expect(plan.roots).toEqual(["flight"]);
    expect([...plan.dependents]).toEqual([
      ["car", []],
      ["flight", ["car", "hotel"]],
      ["hotel", ["car"]],
    ]);
    expect(plan.nodes.get("hotel")?.needs).toEqual(["flight"]);
  });

  it("may be empty", () => {
    expect(accepted([])).toMatchObject({ roots: [] });
  });

  it("may use any name, even one that every object inherits", () => {
    const plan = accepted([node("__proto__"), node("constructor", ["__proto__"])]);
    expect(plan.dependents.get("__proto__")).toEqual(["constructor"]);
  });

  it.each<[string, readonly PlanNode[], string, object]>([
    ["an empty id", [node("a"), node("")], "node 2 of the plan has no id: give it one", { field: "id", index: 1 }],
    [
      "an id given twice",
      [node("a"), node("a")],
      'two nodes of the plan are called "a": rename one of them',
      { field: "id", node: "a" },
    ],
    [
      "a need that is itself",
      [node("a", ["a"])],
      'node "a" of the plan needs "a", which is itself: take this need away',
      { field: "needs", node: "a", need: "a" },
    ],
    [
      "an unknown need",
      [node("a", ["moon"])],
      'node "a" of the plan needs "moon", which is not in the plan: add it, or take this need away',
      { field: "needs", node: "a", need: "moon" },
    ],
    [
      "two that need each other",
      [node("a", ["b"]), node("b", ["a"])],
      "nodes of the plan need each other in a ring: a → b → a: take one of these needs away",
      { field: "needs", node: "a", ring: "a → b → a" },
    ],
    [
      "a ring that others wait for, and only the ring",
      [node("x", ["c"]), node("a", ["b"]), node("b", ["c"]), node("c", ["free", "a"]), node("free")],
      "nodes of the plan need each other in a ring: c → a → b → c: take one of these needs away",
      { field: "needs", node: "c", ring: "c → a → b → c" },
    ],
  ])("is refused for %s", (_what, nodes, message, context) => {
    expect(checkPlan(nodes)).toMatchObject({ plan: null, fault: { code: "ShapeInvalid", message, context } });
  });

  it.each([
    ["Hotel_search", "in another letter case"],
    ["hotel_serch", "with a character left out"],
    ["hotel_seaarch", "with one too many"],
    ["hotel_soarch", "with one mistaken"],
    ["hotel_saerch", "with two that changed places"],
  ])("says that %s may be hotel_search %s", (need) => {
    const { fault } = checkPlan([node("car", [need]), node("hotel_search")]);
    expect(fault?.message).toContain('did you mean "hotel_search"?');
  });

  it.each([
    ["ab", "a"],
    ["a", "ab"],
    ["b", "ab"],
    ["ab", "ba"],
    ["aa", "a"],
    ["xb", "ab"],
    ["aab", "ab"],
    ["abb", "ab"],
  ])("says that %s may be %s", (need, known) => {
    expect(checkPlan([node("zzzz", [need]), node(known)]).fault?.message).toContain(`did you mean "${known}"?`);
  });

  it.each([
    ["abc", "a"],
    ["ab", "cd"],
    ["abc", "axd"],
    ["abcd", "badc"],
    ["abc", "cab"],
    ["aab", "b"],
    ["baa", "b"],
  ])("does not guess that %s may be %s", (need, known) => {
    expect(checkPlan([node("zzzz", [need]), node(known)]).fault?.message).not.toContain("did you mean");
  });

  it.each([
    [60, "x".repeat(60)],
    [61, `${"x".repeat(60)}…`],
  ])("shows the first 60 characters of a name of %d", (length, shown) => {
    const id = "x".repeat(length);
    expect(checkPlan([node("car", [id])]).fault?.message).toContain(`needs "${shown}",`);
    expect(checkPlan([node(id, [id])]).fault?.message).toContain(shown);
    expect(checkPlan([node(id, ["b"]), node("b", [id])]).fault?.message).toContain(`${shown} → b → ${shown}`);
  });

  it.each(["hotel", "h_search", "hotel_xxarch", "search_hotel"])("does not guess at %s", (need) => {
    const { fault } = checkPlan([node("car", [need]), node("hotel_search")]);
    expect(fault?.message).not.toContain("did you mean");
  });

  it("of ten thousand in a chain, forwards or backwards, is checked without a deep stack", () => {
    const chain = ids.map((id, index) => node(id, index === 0 ? [] : [`n${index - 1}`]));
    expect(accepted(chain).roots).toEqual(["n0"]);
    expect(accepted(chain.toReversed()).roots).toEqual(["n0"]);
  });

  it("of ten thousand around one is checked too", () => {
    expect(accepted([node("hub"), ...ids.map((id) => node(id, ["hub"]))]).dependents.get("hub")).toHaveLength(MANY);
    expect(accepted([node("hub", ids), ...ids.map((id) => node(id))]).roots).toHaveLength(MANY);
  });

  it("names a long ring by its beginning", () => {
    const ring = ids.map((id, index) => node(id, [`n${(index + 1) % MANY}`]));
    const { fault } = checkPlan(ring);
    expect(fault?.context["ring"]).toBe("n0 → n1 → n2 → n3 → n4 → n5 → n6 → n7 → … 9992 more … → n0");
  });

  it("quotes a long id by its beginning", () => {
    const { fault } = checkPlan([node("a", ["x".repeat(5000)])]);
    expect(fault?.message.length).toBeLessThan(200);
  });
});

describe("any graph", () => {
  const graphs = fc
    .integer({ min: 1, max: 12 })
    .chain((size) =>
      fc.array(fc.tuple(fc.nat(size - 1), fc.nat(size - 1)), { maxLength: 24 }).map((edges) => ({ size, edges })),
    );

  it("is a plan if and only if following needs never comes back, and a ring that is named is one", () => {
    fc.assert(
      fc.property(graphs, ({ size, edges }) => {
        const needsOf = (index: number): readonly number[] =>
          edges.filter(([from]) => from === index).map(([, to]) => to);
        const nodes = Array.from({ length: size }, (_, index) =>
          node(
            `n${index}`,
            needsOf(index).map((to) => `n${to}`),
          ),
        );
        const { plan, fault } = checkPlan(nodes);
        expect(plan !== null).toBe(
          !Array.from({ length: size }, (_, start) => start).some((start) => comesBack(start, needsOf)),
        );
        if (fault?.context["ring"] === undefined) return;
        const ring = String(fault.context["ring"]).split(" → ");
        expect(ring.at(-1)).toBe(ring[0]);
        ring.slice(1).forEach((need, index) => {
          expect(nodes.find(({ id }) => id === ring[index])?.needs).toContain(need);
        });
      }),
      { numRuns: samples(300, 2_000) },
    );
  });

  /** Whether some path of needs leads from a node back to it. */
  function comesBack(start: number, needsOf: (index: number) => readonly number[]): boolean {
    const seen = new Set<number>();
    const next = [...needsOf(start)];
    for (let at = next.pop(); at !== undefined; at = next.pop()) {
      if (at === start) return true;
      if (!seen.has(at)) next.push(...needsOf(at));
      seen.add(at);
    }
    return false;
  }
});
