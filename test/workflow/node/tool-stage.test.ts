// Nodes that call one tool: templates build its input, and the result of the call is the result of the node.

import { describe, expect, it } from "vitest";
import { fault, FaultError, partial, tool, type ToolOptions } from "../../../src/index.ts";
import type { NodeOptions } from "../../../src/workflow-model/node-options.ts";
import type { StageScope } from "../../../src/workflow-model/stage.ts";
import { nodeBase, nodeResult, nodeWorld, type Visited } from "./node-world.ts";

type Made = Omit<ToolOptions<unknown, unknown>, "id">;

function calling(input: unknown): NodeOptions {
  return { ...nodeBase({ id: "lookup1" }), kind: "tool", tool: "lookup", input };
}

function visit(made: Made, input: unknown = {}, scope: Partial<StageScope> = {}): Promise<Visited> {
  const lookup = tool<unknown, unknown>({ ...made, id: "lookup" });
  return nodeWorld({ home: { tool: (id) => (id === "lookup" ? lookup : undefined) } }).visit(calling(input), scope);
}

const echo: Made = { run: (input) => ({ got: input }) };

describe("an input", () => {
  it("has templates at any depth; values other than text stay as they are", async () => {
    const input = { q: "find {{ inputs.task }}", list: ["{{ nodes.a.output.n }}", 5, null], flag: true };
    const { end } = await visit(echo, input, { inputs: { task: "it" }, nodes: { a: nodeResult({ n: 4 }) } });
    expect(end).toMatchObject({
      end: "completed",
      output: { got: { q: "find it", list: ["4", 5, null], flag: true } },
    });
  });

  it("that needs a missing value fails the node before the tool is called", async () => {
    let calls = 0;
    const { end } = await visit({ run: () => ++calls }, { q: "{{ inputs.task }}" });
    expect(end).toMatchObject({ end: "failed", fault: { code: "ShapeInvalid" } });
    expect(calls).toBe(0);
  });
});

describe("a call", () => {
  it("that failed fails the node with its fault", async () => {
    const run = (): never => {
      throw new FaultError(fault("NotFound", { message: "there is no such city" }));
    };
    expect((await visit({ run })).end).toMatchObject({
      end: "failed",
      fault: { code: "NotFound", class: "ToolTerminal" },
    });
  });

  it("that failed and has a default returns the default", async () => {
    const run = (): never => {
      throw new FaultError(fault("NotFound"));
    };
    expect((await visit({ run, default: "nothing" })).end).toMatchObject({ end: "completed", output: "nothing" });
  });

  it("of an optional tool returns null when it failed", async () => {
    const run = (): never => {
      throw new FaultError(fault("NotFound"));
    };
    expect((await visit({ run, optional: true })).end).toMatchObject({ end: "completed", output: null });
  });

  it("that is partly done returns the part, and tells models what is missing", async () => {
    const run: Made["run"] = () =>
      partial([1, 2], [{ item: "c", fault: fault("NotFound", { message: "in /home/ann" }) }]);
    const { end } = await visit({ run });
    expect(end).toMatchObject({
      end: "completed",
      output: { partial: true, value: [1, 2], errors: [{ item: "c", code: "NotFound" }] },
    });
    expect(JSON.stringify((end as { readonly output: unknown }).output)).not.toContain("ann");
  });

  it("that broke off with a part returns the part", async () => {
    const run: Made["run"] = (_input, context) => {
      context.partial(["a"]);
      throw new FaultError(fault("ExecutionFailed"));
    };
    const { end } = await visit({ run });
    expect(end).toMatchObject({
      end: "completed",
      output: { partial: true, value: ["a"], errors: [{ item: "call", code: "ExecutionFailed" }] },
    });
  });

  it("of a tool that the workflow does not define says so", async () => {
    const { end } = await nodeWorld().visit(calling({}));
    expect(end).toMatchObject({ end: "failed", fault: { code: "NotFound", context: { tool: "lookup", ran: false } } });
  });
});
