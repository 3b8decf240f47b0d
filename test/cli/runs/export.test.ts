// `faultline runs export`: journal lines, CloudEvents, and a folder with everything.

import { existsSync, readdirSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { QUICK, WorkflowWorld } from "../workflow-world.ts";

describe("exporting", () => {
  it("writes journal lines and CloudEvents to stdout or a new file", async () => {
    const world = new WorkflowWorld();
    await world.call(["workflow", "run", world.write("quick.yaml", QUICK), "--run", "e"]);
    const lines = await world.call(["runs", "export", "e"]);
    const out = world.path("e.jsonl");
    expect(await world.call(["runs", "export", "e", "--out", out])).toMatchObject({
      stdout: `✓ Run e is in ${out}.\n`,
    });
    expect(world.read("e.jsonl")).toBe(lines.stdout);
    expect((await world.call(["runs", "export", "e", "--out", out])).exit).toBe("usage");
    const events = await world.call(["runs", "export", "e", "--format", "cloudevents"]);
    expect(events.stdout).toBe((await world.call(["runs", "watch", "e", "--jsonl"])).stdout);
  });

  it("makes a folder with everything about the run", async () => {
    const world = new WorkflowWorld(true);
    const { chaos, file } = await world.withModels(["write: { type: agent, agent: writer, prompt: Write. }"]);
    chaos.script(["bad-request"]);
    await world.call(["workflow", "run", file, "--run", "b"]);
    const out = world.path("bundle");
    expect((await world.call(["runs", "export", "b", "--format", "bundle"])).exit).toBe("usage");
    expect(await world.json(["runs", "export", "b", "--format", "bundle", "--out", out])).toEqual({
      run: "b",
      format: "bundle",
      out,
    });
    expect(readdirSync(out).toSorted()).toEqual([
      "entries.jsonl",
      "events.jsonl",
      "files",
      "run.json",
      "workflow.yaml",
    ]);
    expect(existsSync(`${out}/files/rounds/01/write_raw.md`)).toBe(true);
    expect(JSON.parse(world.read("bundle/run.json"))).toMatchObject({
      run: "b",
      status: "failed",
    });
    expect((await world.call(["runs", "export", "b", "--format", "bundle", "--out", out])).exit).toBe("usage");
  });
});
