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

  it("creates a folder with everything about the run", async () => {
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

  it("escapes control characters in every format, and keeps the value", async () => {
    const hostile = "a\u009b31mb\u202ec\u2066d\u200be\u0085f\u061cg";
    const world = new WorkflowWorld();
    const file = world.write("hostile.yaml", QUICK);
    await world.call(["workflow", "run", file, "--run", "h", "--input", `task=${hostile}`]);
    const out = world.path("bundle");
    await world.call(["runs", "export", "h", "--format", "bundle", "--out", out]);
    const exports = [
      (await world.call(["runs", "export", "h"])).stdout,
      (await world.call(["runs", "export", "h", "--format", "cloudevents"])).stdout,
      (await world.call(["journal", "export", world.path("runs.db"), "h"])).stdout,
      ...["entries.jsonl", "events.jsonl", "run.json"].map((name) => world.read(`bundle/${name}`)),
    ];
    for (const text of exports) {
      expect(text).not.toBe("");
      expect(text).not.toMatch(
        /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2066-\u2069]/,
      );
    }
    const values = (exports[0] ?? "")
      .trimEnd()
      .split("\n")
      .map((line) => JSON.stringify(JSON.parse(line)));
    expect(values.join("\n")).toContain(hostile);
  });
});
