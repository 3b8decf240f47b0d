// What all nodes have in common: when they are skipped, what their output must satisfy, and where they lead.

import { describe, expect, it } from "vitest";
import { fault, isFaultError } from "../../../src/core/index.ts";
import { stageBase } from "../../../src/workflow/node/base.ts";
import { scopeAfter } from "../../../src/workflow/node/expression-scope.ts";
import type { NodeBase, NodeOptions } from "../../../src/workflow-model/node-options.ts";
import { thrownBy } from "../../support/thrown.ts";
import { edge, nodeBase, nodeResult, nodeWorld, stageScope } from "./node-world.ts";

function shape(expression: string, over: Partial<NodeBase> = {}): NodeOptions {
  return { ...nodeBase(over), kind: "transform", expression };
}

describe("only_if", () => {
  it.each([
    ["inputs.tone === 'x'", "skipped"],
    ["inputs.tone", "completed"],
    ["inputs.missing", "skipped"],
    ["run.execution === 2 && run.id === 'run-1' && run.attempt === 1", "completed"],
    ["0", "skipped"],
  ] as const)("%s: the node is %s", async (onlyIf, end) => {
    const visited = await nodeWorld().visit(shape("1", { onlyIf }), { inputs: { tone: "short" }, execution: 2 });
    expect(visited.end).toMatchObject({ end, route: { kind: "end", outcome: "finished" } });
  });

  it("that cannot be evaluated fails the node and names the place", async () => {
    const { end } = await nodeWorld().visit(shape("1", { onlyIf: "nodes.nobody.output.x" }));
    expect(end).toMatchObject({
      end: "failed",
      fault: { code: "SandboxFailed", context: { where: "only_if of node here" } },
    });
  });

  it("that takes too long is a transient fault", async () => {
    const { end } = await nodeWorld().visit(shape("1", { onlyIf: "(() => { while (true); })()" }));
    expect(end).toMatchObject({ end: "failed", fault: { code: "SandboxTimeout" } });
  });
});

describe("asserts", () => {
  const asserts = [
    { expression: "output.n > 0", reason: "there are none", verdict: "retry" },
    { expression: "output.found", reason: "nothing was found", verdict: "fail" },
  ] as const;

  it("that hold let the node continue", async () => {
    const { end } = await nodeWorld().visit(shape("({ n: 1, found: true })", { asserts }));
    expect(end).toMatchObject({ end: "completed", output: { n: 1, found: true } });
  });

  it("are evaluated in order, and the first that does not hold is reported", async () => {
    const { end } = await nodeWorld().visit(shape("({ n: 0 })", { asserts }));
    expect(end).toMatchObject({
      end: "failed",
      again: true,
      fault: { code: "AssertFailed", context: { stage: "here", assert: 1 } },
    });
    expect(JSON.stringify(end)).toContain("there are none");
  });

  it("about a missing field do not hold", async () => {
    const { end } = await nodeWorld().visit(shape("({ n: 1 })", { asserts }));
    expect(end).toMatchObject({ end: "failed", again: false, fault: { code: "AssertFailed", context: { assert: 2 } } });
  });
});

describe("edges", () => {
  const next = [
    edge("coder", { when: "nodes.here.output.decision !== 'approve'", max: 3 }),
    edge("end", { when: "output.decision !== 'approve'", outcome: "max_iterations_reached" }),
    edge("tester"),
  ];

  it("are tried in order and can see the node's own result", async () => {
    const world = nodeWorld();
    const node = shape("1", { next });
    const nodes = { here: nodeResult({ decision: "approve" }) };
    const ending = { output: { decision: "revise" } };
    const entered = (times: number) => ({ nodes, executionsOf: (id: string) => (id === "coder" ? times : 0) });
    expect(await world.routeFrom(node, ending, entered(2))).toEqual({ kind: "to", nodes: ["coder"] });
    expect(await world.routeFrom(node, ending, entered(3))).toEqual({ kind: "end", outcome: "max_iterations_reached" });
    expect(await world.routeFrom(node, { output: { decision: "approve" } }, entered(0))).toEqual({
      kind: "to",
      nodes: ["tester"],
    });
  });

  it("to the end use the workflow's default outcome if they have none, and have no limit", async () => {
    const world = nodeWorld();
    const toEnd = shape("1", { next: [edge("end", { max: 0 })] });
    expect(await world.routeFrom(toEnd, {})).toEqual({ kind: "end", outcome: "finished" });
  });

  it("for a failure are separate; if none is open, the resolution policy decides", async () => {
    const world = nodeWorld();
    const why = fault("TestsFailed", { message: "the secret place" });
    const failed = { status: "failed", fault: why, output: undefined } as const;
    expect(await world.routeFrom(shape("1", { next }), failed)).toBeNull();
    const onFailure = [edge("coder", { when: "nodes.here.fault.code === 'TestsFailed'" })];
    expect(await world.routeFrom(shape("1", { next, onFailure }), failed)).toEqual({ kind: "to", nodes: ["coder"] });
  });

  it("see of a fault only what a model may see", () => {
    const why = fault("TestsFailed", { message: "the secret place" });
    const seen = scopeAfter(stageScope(), { status: "failed", output: 1, capHit: false, fault: why });
    expect(JSON.stringify(seen)).not.toContain("secret place");
  });

  it("of a node with a strange name find its result", async () => {
    const world = nodeWorld();
    const node = shape("1", { id: "__proto__", next: [edge("a", { when: "nodes['__proto__'].output === 7" })] });
    expect(await world.routeFrom(node, { output: 7 })).toEqual({ kind: "to", nodes: ["a"] });
  });

  it("whose condition cannot be evaluated throw a fault that names both ends", async () => {
    const node = shape("1", { next: [edge("coder", { when: "nobody.x" })] });
    const error = await thrownBy(nodeWorld().routeFrom(node, {}));
    expect(isFaultError(error) && error.fault.message).toContain("the condition of the edge from here to coder");
  });
});

it("a coder has no role of its own, others keep theirs", () => {
  const { home } = nodeWorld();
  const roles = (["coder", "reviewer", "tester", null] as const).map(
    (role) => stageBase(nodeBase({ role }), home).role,
  );
  expect(roles).toEqual([null, "reviewer", "tester", null]);
});
