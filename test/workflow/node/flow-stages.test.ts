// Nodes that only decide: conditions, transforms, and paths that fork and join.

import { describe, expect, it } from "vitest";
import type { Edge, NodeOptions } from "../../../src/workflow-model/node-options.ts";
import type { StageScope } from "../../../src/workflow-model/stage.ts";
import { edge, nodeBase, nodeResult, nodeWorld, type Visited } from "./node-world.ts";

function visit(options: NodeOptions, scope: Partial<StageScope> = {}): Promise<Visited> {
  return nodeWorld().visit(options, scope);
}

function condition(expression: string, cases: Readonly<Record<string, Edge>>): NodeOptions {
  return { ...nodeBase({ id: "check" }), kind: "condition", expression, cases };
}

const THEN_ELSE = { true: edge("b"), false: edge("c") };
const NODES = { a: nodeResult({ n: 4, size: "big" }) };

describe("a condition", () => {
  it.each([
    ["nodes.a.output.n > 3", true, "b"],
    ["nodes.a.output.n > 4", false, "c"],
    ["nodes.a.output.n", true, "b"],
    ["nodes.a.output.missing", false, "c"],
  ] as const)("%s is %s and leads to %s", async (expression, output, to) => {
    const { end } = await visit(condition(expression, THEN_ELSE), { nodes: NODES });
    expect(end).toEqual({ end: "completed", output, route: { kind: "to", nodes: [to] } });
  });

  it("with cases takes the one it names", async () => {
    const cases = { small: edge("b"), big: edge("end", { outcome: "too_big" }), 4: edge("d") };
    const { end } = await visit(condition("nodes.a.output.size", cases), { nodes: NODES });
    expect(end).toEqual({ end: "completed", output: "big", route: { kind: "end", outcome: "too_big" } });
    const byNumber = await visit(condition("nodes.a.output.n", cases), { nodes: NODES });
    expect(byNumber.end).toMatchObject({ output: "4", route: { nodes: ["d"] } });
  });

  it.each(["'huge'", "'constructor'", "null", "({ big: 1 })", "true"])(
    "that gives %s names no case, and says which there are",
    async (expression) => {
      const { end } = await visit(condition(expression, { small: edge("b"), big: edge("c") }));
      expect(end).toMatchObject({ end: "failed", fault: { code: "SandboxFailed", context: { stage: "check" } } });
      expect(JSON.stringify(end)).toContain("The cases are: small, big");
    },
  );

  it("whose only case is true has none for false", async () => {
    const { end } = await visit(condition("false", { true: edge("b") }));
    expect(end).toMatchObject({ end: "failed", fault: { code: "SandboxFailed" } });
  });

  it("whose case is closed continues like a node without it", async () => {
    const { end } = await visit(condition("true", { true: edge("b", { max: 2 }), false: edge("c") }), {
      executionsOf: () => 2,
    });
    expect(end).toMatchObject({ end: "completed", route: { kind: "end", outcome: "finished" } });
  });

  it("that is skipped takes no case", async () => {
    const options = { ...condition("true", THEN_ELSE), onlyIf: "false", next: [edge("d")] };
    expect((await visit(options)).end).toMatchObject({ end: "skipped", route: { kind: "to", nodes: ["d"] } });
  });
});

describe("a transform", () => {
  it("returns the value of its expression", async () => {
    const options: NodeOptions = { ...nodeBase(), kind: "transform", expression: "({ twice: nodes.a.output.n * 2 })" };
    expect((await visit(options, { nodes: NODES })).end).toMatchObject({ end: "completed", output: { twice: 8 } });
  });

  it("that returns nothing is a fault", async () => {
    const options: NodeOptions = { ...nodeBase(), kind: "transform", expression: "nodes.a.output.missing" };
    expect((await visit(options, { nodes: NODES })).end).toMatchObject({
      end: "failed",
      fault: { code: "SandboxFailed" },
    });
  });
});

describe("a parallel", () => {
  const options: NodeOptions = {
    ...nodeBase({ id: "both" }),
    kind: "parallel",
    branches: ["a", "b"],
    join: "m",
    failFast: true,
  };

  it("starts its branches, to meet at its join", async () => {
    const route = { kind: "fan", nodes: ["a", "b"], join: "m", failFast: true };
    expect((await visit(options)).end).toEqual({ end: "completed", output: null, route });
  });

  it("that is skipped continues at its join", async () => {
    const { end } = await visit({ ...options, onlyIf: "false" });
    expect(end).toMatchObject({ end: "skipped", route: { kind: "to", nodes: ["m"] } });
  });
});

describe("a merge", () => {
  const nodes = {
    a: nodeResult(1),
    b: nodeResult({ x: 2 }),
    c: nodeResult(undefined, { status: "skipped" }),
    m: nodeResult(9),
  };

  it("returns the joined outputs, by node", async () => {
    const { end } = await visit({ ...nodeBase({ id: "m" }), kind: "merge", expression: null }, { nodes });
    expect(end).toMatchObject({ end: "completed", output: { a: 1, b: { x: 2 } } });
    expect(Object.keys((end as { readonly output: object }).output)).toEqual(["a", "b"]);
  });

  it("returns what its expression makes of them", async () => {
    const expression = "nodes.a.output + nodes.b.output.x";
    const { end } = await visit({ ...nodeBase({ id: "m" }), kind: "merge", expression }, { nodes });
    expect(end).toMatchObject({ end: "completed", output: 3 });
  });
});
