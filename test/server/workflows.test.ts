// Workflows over HTTP: which there are, what they look like, and what is wrong with a text.

import { describe, expect, it } from "vitest";
import { defineWorkflow } from "../../src/workflow/define.ts";
import { createWorkflows } from "../../src/workflow/workflows.ts";
import { ENV, fromText, GATED, runWorld } from "./run-world.ts";

describe("workflows over HTTP", () => {
  it("are those of the server, and those of runs that were started elsewhere", async () => {
    const { workflow, journal } = await fromText("gated.yaml", GATED);
    const own = defineWorkflow({ id: "own", stages: { only: { act: () => "ok" } } });
    const world = await runWorld([own], { journal, env: ENV, drive: false });
    expect((await world.viewer.listWorkflows()).items.map(({ id }) => id)).toEqual(["own"]);
    await createWorkflows({ journal: world.journal, env: ENV }).runs.start(workflow, { run: "one" });
    const { items } = await world.viewer.listWorkflows();
    expect(items).toMatchObject([
      { id: "own", canStart: true, nodes: 1 },
      { id: "gated", canStart: false, nodes: 4 },
    ]);
    const shown = await world.operator.showWorkflow({ params: { workflow: "gated" } });
    expect(shown).toMatchObject({
      start: ["build"],
      outline: {
        inputs: {
          type: "object",
          properties: { task: { type: "string", default: "a page" }, token: { writeOnly: true } },
        },
        edges: [
          { from: "build", to: "find", kind: "next" },
          { from: "find", to: "ask", kind: "next" },
          { from: "ask", to: "last" },
          { from: "last", to: "end", outcome: "shipped" },
        ],
      },
      text: GATED,
    });
    expect(shown.outline.inputs).not.toHaveProperty("properties.token.default");
    const viewed = await world.viewer.showWorkflow({ params: { workflow: "gated" } });
    expect(viewed).not.toHaveProperty("text");
    expect(viewed).not.toHaveProperty("file");
    expect((await world.viewer.listTools()).items).toMatchObject([
      { id: "lookup", workflow: "gated", kind: "command", idempotent: true, usedBy: ["find"] },
    ]);
    const started = await world.send("/v1/runs", { method: "POST", body: { workflow: "gated" } });
    expect(started.status).toBe(404);
  });

  it("are checked with the place of every mistake, and nothing is read or started", async () => {
    const world = await runWorld([], { drive: false });
    expect(await world.viewer.checkWorkflow({ body: { text: GATED } })).toMatchObject({
      workflow: { id: "gated", outline: { nodes: [{ id: "build" }, { id: "find" }, { id: "ask" }, { id: "last" }] } },
    });
    const text = GATED.replace("next: last", "next: lst");
    const { workflow, diagnostics } = await world.viewer.checkWorkflow({ body: { text, name: "mine.yaml" } });
    expect(workflow).toBeNull();
    expect(diagnostics).toMatchObject([{ severity: "error", file: "mine.yaml", line: 11 }]);
    expect(diagnostics[0]?.column).toBe((text.split("\n")[10]?.indexOf("lst") ?? 0) + 1);
    const reading = GATED.replace("nodes:", "policy: /etc/passwd\nnodes:");
    expect((await world.viewer.checkWorkflow({ body: { text: reading } })).workflow).toBeNull();
  });
});
