// `faultline runs list`: how each run stands, and what to do next.

import { describe, expect, it } from "vitest";
import { gated, QUICK, WorkflowWorld } from "../workflow-world.ts";

describe("the list of runs", () => {
  it("says that it is empty before the first run", async () => {
    const world = new WorkflowWorld();
    expect((await world.call(["runs", "list"])).exit).toBe("usage");
    await world.call(["workflow", "run", world.write("quick.yaml", QUICK), "--input", "none=1"]);
    const got = await world.call(["runs", "list"]);
    expect(got).toMatchObject({ stdout: "", exit: "ok" });
    expect(got.stderr).toContain("There are no runs in this journal yet");
  });

  it("shows the status of each run and what to do next, newest first", async () => {
    const world = await gated();
    await world.call(["workflow", "run", world.write("quick.yaml", QUICK), "--run", "second"]);
    const { stdout } = await world.call(["runs", "list"]);
    const [head, first, second] = stdout.split("\n");
    expect(head).toMatch(/^run +workflow +status +node +started \(UTC\) +cost +next$/);
    expect(first).toMatch(/^second +quick +completed: fine +\d{4}-\d\d-\d\d \d\d:\d\d +\$0\.00$/);
    expect(second).toMatch(/^ship +gated +needs you +ask +.* +\$0\.00 +answer$/);
  });

  it("says why a run failed in words, and names the outcome for programs", async () => {
    const world = new WorkflowWorld();
    const failing = `faultline: 1
workflow: { id: failing, version: "1" }
nodes: { a: { type: command, run: ["ls /nowhere"], allow: ["ls *"] } }
`;
    await world.call(["workflow", "run", world.write("failing.yaml", failing), "--run", "f"]);
    expect((await world.call(["runs", "list"])).stdout).toContain("failed: tool failed");
    expect((await world.call(["runs", "list", "--locale", "zh-CN"])).stdout).toContain("工具失败");
    const { stdout } = await world.call(["runs", "list", "--json"]);
    expect(JSON.parse(stdout)).toMatchObject([{ outcome: "provider_runtime_error" }]);
  });

  it("names a next step that the run offers: no node gets the work of a failed test command back", async () => {
    const world = new WorkflowWorld();
    const tests = `faultline: 1
workflow: { id: tests, version: "1" }
nodes: { check: { type: command, run: ["ls /nowhere"], allow: ["ls *"], fails_as: TestsFailed } }
`;
    await world.call(["workflow", "run", world.write("tests.yaml", tests), "--run", "t"]);
    expect((await world.call(["runs", "list"])).stdout).toMatch(/ Retry this stage$/m);
    expect((await world.call(["runs", "retry", "t"])).stderr).toContain("✓ Retry this stage");
  });

  it("shortens ids on a narrow terminal as long as they stay distinct", async () => {
    const world = new WorkflowWorld();
    const file = world.write("quick.yaml", QUICK);
    for (const run of ["run_0123456789abcd", "run_0123456780abcd"])
      await world.call(["workflow", "run", file, "--run", run]);
    const { stdout } = await world.call(["runs", "list"], { columns: 75 });
    expect(stdout).toMatch(/^run_0123456780 {2}quick/m);
    expect(stdout).toMatch(/^run_0123456789 {2}quick/m);
    for (const line of stdout.split("\n")) expect(line.length).toBeLessThanOrEqual(75);
  });

  it("filters by status and workflow, and prints JSON on request", async () => {
    const world = await gated();
    await world.call(["workflow", "run", world.write("quick.yaml", QUICK), "--run", "second"]);
    const { stdout } = await world.call(["runs", "list", "--status", "paused", "--json"]);
    expect(JSON.parse(stdout)).toMatchObject([{ run: "ship", status: "paused", held: false }]);
    expect(JSON.parse((await world.call(["runs", "list", "--workflow", "quick", "--json"])).stdout)).toHaveLength(1);
    // The words that the list shows find the same runs.
    const asking = await world.call(["runs", "list", "--status", "needs-you", "--json"]);
    expect(JSON.parse(asking.stdout)).toMatchObject([{ run: "ship" }]);
    expect((await world.call(["runs", "list", "--status", "stopped"])).stdout).toBe("");
    const none = await world.call(["runs", "list", "--status", "failed"]);
    expect(none).toMatchObject({ stdout: "", exit: "ok" });
    expect((await world.call(["runs", "list", "--limit", "1"])).stderr).toContain("more than 1");
  });
});
