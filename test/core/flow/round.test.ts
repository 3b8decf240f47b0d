// A plan in progress: what may run, what ends without running, and at what cost.

import { describe, expect, it } from "vitest";
import { causeChain, fault, FaultError } from "../../../src/core/index.ts";
import { type NodeEnd, type NodeStatus, Round, type Settled } from "../../../src/core/flow/round.ts";
import { checkPlan, type Plan, type PlanNode } from "../../../src/core/flow/plan.ts";

type Extras = Partial<Pick<PlanNode, "optional" | "hasDefault">>;

function node(id: string, needs: readonly string[] = [], extras: Extras = {}): PlanNode {
  return { id, tool: "t", label: id, needs, optional: false, hasDefault: false, ...extras };
}

function planOf(...nodes: readonly PlanNode[]): Plan {
  const { plan, fault: refused } = checkPlan(nodes);
  if (plan === null) throw new Error(refused.message);
  return plan;
}

const DONE: NodeEnd = { status: "done", fault: null };
const DOWN = fault("ToolUnavailable", { message: "no route to hotel service" });
const FAILED: NodeEnd = { status: "failed", fault: DOWN };
const LATE = fault("TurnTimeout", { message: "the turn had 300 s" });

const briefly = (settled: readonly Settled[]): readonly string[] =>
  settled.map(({ node: id, status, because }) => `${id} ${status} because ${because}`);

describe("a round", () => {
  it("lets a node run when everything it needs is there", () => {
    const round = new Round(planOf(node("flight"), node("hotel"), node("car", ["flight", "hotel"])));
    expect(round.ready()).toEqual(["flight", "hotel"]);
    expect(round.settle("flight", DONE)).toEqual({ ready: [], settled: [] });
    expect(round.settle("hotel", DONE)).toEqual({ ready: ["car"], settled: [] });
    expect(round).toMatchObject({ open: 1 });
    round.settle("car", DONE);
    expect(round).toMatchObject({ open: 0 });
  });

  it("of an empty plan is done", () => {
    expect(new Round(planOf())).toMatchObject({ open: 0 });
  });

  it.each<[NodeStatus, boolean]>([
    ["done", true],
    ["partial", true],
    ["defaulted", true],
    ["skipped", false],
    ["surfaced", false],
    ["failed", false],
    ["cancelled", false],
  ])("continues after a node that is %s: %s", (status, usable) => {
    const round = new Round(planOf(node("a"), node("b", ["a"])));
    const { ready, settled } = round.settle("a", { status, fault: status === "done" ? null : DOWN });
    expect(ready).toEqual(usable ? ["b"] : []);
    expect(settled).toHaveLength(usable ? 0 : 1);
  });

  it.each<[string, Extras, string]>([
    ["is skipped when optional", { optional: true }, "skipped"],
    ["is skipped when optional even if it has a default", { optional: true, hasDefault: true }, "skipped"],
    ["has its default when required", { hasDefault: true }, "defaulted"],
    ["fails when required without a default", {}, "failed"],
  ])("with a failed need: the node %s", (_what, extras, status) => {
    const round = new Round(planOf(node("a"), node("b", ["a"], extras)));
    expect(round.settle("a", FAILED).settled).toMatchObject([{ node: "b", status, because: "a" }]);
    expect(round.open).toBe(0);
  });

  it("passes a failure on to all direct and indirect dependents, and leaves the others alone", () => {
    const round = new Round(
      planOf(node("a"), node("b", ["a"], { optional: true }), node("c", ["b"]), node("d", ["c"]), node("free")),
    );
    const { ready, settled } = round.settle("a", FAILED);
    expect(ready).toEqual([]);
    expect(briefly(settled)).toEqual(["b skipped because a", "c failed because b", "d failed because c"]);
    expect(round.open).toBe(1);
  });

  it("continues after a default", () => {
    const round = new Round(
      planOf(node("a"), node("b", ["a"], { hasDefault: true }), node("c", ["b"]), node("d", ["a", "c"])),
    );
    const { ready, settled } = round.settle("a", FAILED);
    expect(briefly(settled)).toEqual(["b defaulted because a", "d failed because a"]);
    expect(ready).toEqual(["c"]);
  });

  it("ends a node by the first need that is missing, once", () => {
    const round = new Round(planOf(node("a"), node("b"), node("c", ["a", "b"])));
    expect(briefly(round.settle("b", FAILED).settled)).toEqual(["c failed because b"]);
    expect(round.settle("a", FAILED)).toEqual({ ready: [], settled: [] });
  });

  it("gives a node that cannot run the class and code of the original failure, and names what it needed", () => {
    const round = new Round(planOf(node("hotel"), node("car", ["hotel"], { optional: true }), node("bill", ["car"])));
    const { settled } = round.settle("hotel", FAILED);
    expect(settled.map((end) => [end.fault.class, end.fault.code, end.fault.message])).toEqual([
      ["ToolTransient", "ToolUnavailable", "needs hotel, which failed: no route to hotel service"],
      ["ToolTransient", "ToolUnavailable", "needs car, which was skipped: no route to hotel service"],
    ]);
    expect(settled.every((end) => end.fault.cause === DOWN)).toBe(true);
  });

  it("ignores a second end", () => {
    const round = new Round(planOf(node("a"), node("b", ["a"])));
    round.settle("a", DONE);
    expect(round.settle("a", FAILED)).toEqual({ ready: [], settled: [] });
    expect(round.open).toBe(1);
    round.settle("b", DONE);
    round.settle("b", DONE);
    expect(round.open).toBe(0);
  });

  it("refuses the end of a node that was never ready, or is unknown", () => {
    const round = new Round(planOf(node("a"), node("b", ["a"])));
    expect(() => round.settle("b", DONE)).toThrow(FaultError);
    expect(() => round.settle("x", DONE)).toThrow(/node x ended before it was ready/);
  });

  it("says so when a node failed without a reason", () => {
    const round = new Round(planOf(node("a"), node("b", ["a"])));
    const { settled } = round.settle("a", { status: "failed", fault: null });
    expect(settled[0]?.fault).toMatchObject({
      code: "InvariantBroken",
      message: expect.stringContaining("without a reason") as unknown,
    });
  });
});

describe("at the deadline", () => {
  const plan = planOf(
    node("running"),
    node("queued", [], { optional: true }),
    node("both", ["running"], { optional: true, hasDefault: true }),
    node("optional", ["running"], { optional: true }),
    node("required", ["both"]),
  );

  it("ends what has not begun, each by what is declared for it, and leaves what runs", () => {
    const round = new Round(plan);
    const settled = round.expire(LATE, ["queued"]);
    expect(settled).toEqual([
      { node: "queued", status: "skipped", fault: LATE, because: "" },
      { node: "both", status: "defaulted", fault: LATE, because: "" },
      { node: "optional", status: "skipped", fault: LATE, because: "" },
      { node: "required", status: "failed", fault: LATE, because: "" },
    ]);
    expect(round).toMatchObject({ open: 1 });
    expect(round.settle("running", DONE)).toEqual({ ready: [], settled: [] });
    expect(round.open).toBe(0);
  });

  it("counts what was ready as begun, unless it is named", () => {
    const round = new Round(plan);
    expect(round.expire(LATE).map(({ node: id }) => id)).not.toContain("queued");
    expect(round.open).toBe(2);
  });

  it("ends nothing twice, and not what is named and unknown", () => {
    const round = new Round(plan);
    round.settle("running", DONE);
    round.expire(LATE, ["queued", "running", "nobody"]);
    expect(round.expire(LATE, ["queued"])).toEqual([]);
    expect(round.open).toBe(2);
  });
});

describe("the cost of a round", () => {
  const MANY = 10_000;
  const ids = Array.from({ length: MANY }, (_, index) => `n${index}`);

  /** The same plan, counting how often a need is looked at. */
  function counting(plan: Plan): { readonly plan: Plan; readonly visits: () => number } {
    let visits = 0;
    const dependents = new Map(
      Array.from(plan.dependents, ([id, list]) => [
        id,
        new Proxy(list, {
          get(target, key) {
            if (typeof key === "string" && key !== "length" && /^\d+$/.test(key)) visits++;
            return Reflect.get(target, key) as unknown;
          },
        }),
      ]),
    );
    return { plan: { ...plan, dependents }, visits: () => visits };
  }

  const edgesOf = (plan: Plan): number => [...plan.nodes.values()].reduce((sum, { needs }) => sum + needs.length, 0);

  it.each<[string, readonly PlanNode[]]>([
    ["a chain of ten thousand", ids.map((id, index) => node(id, index === 0 ? [] : [`n${index - 1}`]))],
    ["one that ten thousand need", [node("hub"), ...ids.map((id) => node(id, ["hub"]))]],
    ["one that needs ten thousand", [...ids.map((id) => node(id)), node("hub", ids)]],
    [
      "layers that all need each other",
      Array.from({ length: 2500 }, (_, index) =>
        node(
          `${index}`,
          index < 50 ? [] : Array.from({ length: 50 }, (_each, other) => `${Math.floor(index / 50) * 50 - 50 + other}`),
        ),
      ),
    ],
  ])("of %s is no more than its needs, whether all succeed or the first fails", (_what, nodes) => {
    for (const first of [DONE, FAILED]) {
      const { plan, visits } = counting(planOf(...nodes));
      const round = new Round(plan);
      const next = [...round.ready()];
      let ended = 0;
      for (let id = next.pop(); id !== undefined; id = next.pop()) {
        const { ready, settled } = round.settle(id, ended === 0 ? first : DONE);
        next.push(...ready);
        ended += 1 + settled.length;
      }
      expect(round.open).toBe(0);
      expect(ended).toBe(nodes.length);
      expect(visits()).toBeLessThanOrEqual(edgesOf(plan));
    }
  });

  it("does not grow the fault along a chain", () => {
    const round = new Round(planOf(...ids.map((id, index) => node(id, index === 0 ? [] : [`n${index - 1}`]))));
    const { settled } = round.settle("n0", FAILED);
    expect(settled).toHaveLength(MANY - 1);
    const last = settled.at(-1)?.fault;
    expect(last?.message).toBe("needs n9998, which failed: no route to hotel service");
    expect(last === undefined ? [] : causeChain(last)).toHaveLength(2);
  });
});
