// Which target a run asks now, and which one answered: in the list, in the run itself, as text and as JSON.

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { QUICK, WorkflowWorld } from "../workflow-world.ts";

const WRITE = "write: { type: agent, agent: patient, prompt: Write. }";

/** A run whose first target is gone, so the second one answers. */
async function fallenBack(): Promise<WorkflowWorld> {
  const world = new WorkflowWorld(true);
  const { chaos, file } = await world.withModels([WRITE]);
  chaos.script(["not-found", "ok"]);
  expect((await world.call(["workflow", "run", file, "--run", "one"])).exit).toBe("ok");
  return world;
}

describe("the target of a run", () => {
  it("is the one that answered, after a fallback", async () => {
    const world = await fallenBack();
    const [head = "", line] = (await world.call(["runs", "list"])).stdout.split("\n");
    expect(head).toMatch(/^run +workflow +status +node +target +started \(UTC\) +cost +next$/);
    expect(line).toContain("openai/gpt-5.4");
    const listed = JSON.parse((await world.call(["runs", "list", "--json"])).stdout) as unknown;
    expect(listed).toMatchObject([{ run: "one", target: "openai/gpt-5.4" }]);
  });

  it("is named by the stage it answered, in both languages", async () => {
    const world = await fallenBack();
    expect((await world.call(["runs", "show", "one"])).stdout).toMatch(
      /✓ write +\S+ · answered by openai\/gpt-5\.4 · /,
    );
    expect((await world.call(["runs", "show", "one", "--locale", "zh-CN"])).stdout).toContain("由 openai/gpt-5.4 答复");
    expect((await world.call(["runs", "list", "--locale", "zh-CN"])).stdout).toMatch(/节点 +目标 +开始/);
    expect(await world.json(["runs", "show", "one"])).toMatchObject({
      target: "openai/gpt-5.4",
      visits: [{ node: "write", target: "openai/gpt-5.4" }],
    });
  });

  it("is the one that a person switched to", async () => {
    const world = new WorkflowWorld(true);
    const { chaos, file } = await world.withModels([WRITE]);
    chaos.script(["bad-request", "ok"]);
    expect((await world.call(["workflow", "run", file, "--run", "one"])).exit).toBe("failed");
    const { run } = await world.json(["runs", "switch", "one", "--to", "openai/gpt-5.4"]);
    expect(await world.json(["runs", "show", String(run)])).toMatchObject({ visits: [{ target: "openai/gpt-5.4" }] });
    expect(await world.json(["runs", "show", "one"])).toMatchObject({ visits: [{ target: "openai/gpt-5.5" }] });
  });

  it("is listed while it is asked", async () => {
    const world = new WorkflowWorld();
    const seen: string[] = [];
    const server = createServer((_request, response) => {
      void Promise.all([world.call(["runs", "list", "--json"]), world.call(["runs", "show", "one"])]).then(
        ([list, shown]) => {
          seen.push(list.stdout, shown.stdout);
          response.writeHead(400, { "content-type": "application/json" }).end('{"error":{"message":"no"}}');
        },
      );
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo;
    const file = world.write(
      "asks.yaml",
      [
        "faultline: 1",
        'workflow: { id: asks, version: "1" }',
        `providers: { openai: { base_url: "http://127.0.0.1:${port}/v1", api_key_env: OPENAI_API_KEY } }`,
        "agents: { writer: { model: openai/gpt-5.5 } }",
        "nodes: { write: { type: agent, agent: writer, prompt: Write. } }",
        "",
      ].join("\n"),
    );
    await world.call(["workflow", "run", file, "--run", "one"]);
    const [list = "", shown] = seen;
    expect(JSON.parse(list)).toMatchObject([{ status: "running", nodes: ["write"], target: "openai/gpt-5.5" }]);
    expect(shown).toContain("asks openai/gpt-5.5");
  });

  it("is null for a run that asks none", async () => {
    const world = new WorkflowWorld();
    await world.call(["workflow", "run", world.write("quick.yaml", QUICK), "--run", "one"]);
    const listed = JSON.parse((await world.call(["runs", "list", "--json"])).stdout) as unknown;
    expect(listed).toMatchObject([{ run: "one", target: null }]);
    expect(await world.json(["runs", "show", "one"])).toMatchObject({ target: null, visits: [{ target: null }] });
  });
});
