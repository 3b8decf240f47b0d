// The commands that act on a run: retry, switch, send back, continue, cancel, raise a limit.

import { describe, expect, it } from "vitest";
import { openJournal } from "../../../src/journal/open-journal.ts";
import { createWorkflows, defineWorkflow, stage } from "../../../src/workflow/index.ts";
import { GATED, gated, lastLine, QUICK, WorkflowWorld } from "../workflow-world.ts";

interface Action {
  readonly id: string;
  readonly key: string;
  readonly command: string;
}

const actionsOf = (shown: Record<string, unknown>): readonly Action[] => shown["actions"] as readonly Action[];

describe("acting on a run", () => {
  it("that waits retries it now, in the same run", async () => {
    const world = new WorkflowWorld(true);
    const { chaos, file } = await world.withModels(["write: { type: agent, agent: writer, prompt: Write. }"]);
    chaos.script([{ "fault": "quota-reset", "retry-after": 3600 }, "ok"]);
    expect((await world.call(["workflow", "run", file, "--run", "p"])).exit).toBe("parked");
    const got = await world.json(["runs", "retry", "p", "--now"]);
    expect(got).toMatchObject({
      run: "p",
      status: "completed",
      action: "retry-now",
      predecessor: null,
    });
  });

  it("that failed continues in another run; with --detach that run is only created", async () => {
    const world = new WorkflowWorld(true);
    const { chaos, file } = await world.withModels(["write: { type: agent, agent: writer, prompt: Write. }"]);
    chaos.script(["invalid-key", "ok"]);
    expect((await world.call(["workflow", "run", file, "--run", "f"])).exit).toBe("failed");
    const [first] = actionsOf(await world.json(["runs", "show", "f"]));
    const begun = await world.call(["runs", "do", "f", first?.id ?? "", "--key", first?.key ?? "", "--detach"]);
    const successor = begun.stdout.trim();
    expect(begun.exit).toBe("ok");
    expect(successor).toMatch(/^run_/);
    const twice = await world.json(["runs", "do", "f", first?.id ?? "", "--key", first?.key ?? "", "--detach"]);
    expect(twice).toMatchObject({
      run: successor,
      did: false,
      predecessor: "f",
    });
    expect((await world.call(["workflow", "resume", successor])).stdout).toBe("completed\n");
    expect((await world.call(["runs", "list"])).stdout).toContain(`→ ${successor}`);
  });

  it("switches to the other provider if there is one", async () => {
    const world = new WorkflowWorld(true);
    const { chaos, file } = await world.withModels(["write: { type: agent, agent: patient, prompt: Write. }"]);
    chaos.script(["bad-request", "ok"]);
    expect((await world.call(["workflow", "run", file, "--run", "p"])).exit).toBe("failed");
    const wrong = await world.call(["runs", "switch", "p", "--to", "none"]);
    expect(wrong).toMatchObject({ stdout: "", exit: "usage" });
    expect(wrong.stderr).toContain("one of the targets that are offered");
    expect(await world.json(["runs", "switch", "p"])).toMatchObject({
      status: "completed",
      action: "switch-provider",
    });
  });

  it("continues a discussion with a comment", async () => {
    const world = new WorkflowWorld();
    const select = GATED.replace(
      "ask: Confirm,",
      "ask: Select, options: [{ id: continue, label: Go on }, { id: stop, label: Stop }],",
    ).replace("nodes.ask.output.approved", "nodes.ask.output");
    await world.call(["workflow", "run", world.write("select.yaml", select), "--run", "d"]);
    const got = await world.json(["runs", "continue", "d", "--text", "think of the old clients"]);
    expect(got).toMatchObject({
      status: "completed",
      action: "continue-discussion",
    });
    expect(JSON.stringify(got["output"])).toContain("think of the old clients");
  });

  it("cancels a waiting run, and says so", async () => {
    const world = await gated();
    const got = await world.call(["runs", "cancel", "ship"]);
    expect(got).toMatchObject({
      stdout: "✓ Run ship is cancelled.\n",
      exit: "ok",
    });
    expect(await world.json(["runs", "show", "ship"])).toMatchObject({
      status: "cancelled",
    });
    const again = await world.call(["runs", "cancel", "ship"]);
    expect(again.exit).toBe("failed");
    expect(again.stderr).toContain("run ship is over");
    expect((await world.call(["workflow", "resume", "ship"])).exit).toBe("cancelled");
  });

  it("cannot cancel a finished run, and suggests what fits its end", async () => {
    const world = new WorkflowWorld(true);
    await world.call(["workflow", "run", world.write("quick.yaml", QUICK), "--run", "done"]);
    const { chaos, file } = await world.withModels(["write: { type: agent, agent: writer, prompt: Write. }"]);
    chaos.script(["bad-request"]);
    await world.call(["workflow", "run", file, "--run", "broken"]);
    await world.call(["workflow", "run", file, "--run", "gone", "--detach"]);
    await world.call(["runs", "cancel", "gone"]);
    const said = async (run: string): Promise<string> => lastLine(await world.call(["runs", "cancel", run]));
    expect(await said("done")).toBe(
      "faultline: run done is over (completed, fine); it completed its work; start another run to repeat it.",
    );
    expect(await said("broken")).toMatch(/\(failed, \w+\); show it to see which actions continue it\.$/);
    expect(await said("gone")).toMatch(/\(cancelled, \w+\); a cancelled run cannot continue; start another run\.$/);
  });

  it("cancels a run of a TypeScript workflow that the command line does not know", async () => {
    const world = new WorkflowWorld();
    const workflows = createWorkflows({
      journal: await openJournal(world.path("runs.db")),
    });
    const asks = {
      payload: { kind: "Confirm", prompt: "Ship it?" },
      timeoutMs: null,
    } as const;
    const typed = defineWorkflow({
      id: "gated",
      stages: { gate: stage({ act: (_r, { ask }) => ask(asks) }) },
    });
    await workflows.runs.start(typed, { run: "ship" });
    expect((await workflows.runs.advance("ship")).status).toBe("paused");
    await workflows.close();
    const resumed = await world.call(["workflow", "resume", "ship"]);
    expect([resumed.exit, resumed.stderr]).toEqual(["config", expect.stringContaining("definition") as string]);
    const got = await world.call(["runs", "cancel", "ship"]);
    expect(got).toMatchObject({
      stdout: "✓ Run ship is cancelled.\n",
      exit: "ok",
    });
    const shown = await world.json(["runs", "show", "ship"]);
    expect(shown).toMatchObject({
      status: "cancelled",
      outcome: "canceled",
      questions: [],
    });
    expect((await world.call(["runs", "show", "ship"])).stdout).toMatch(/^run ship {2}cancelled\n/);
    const { stdout } = await world.call(["runs", "watch", "ship", "--jsonl"]);
    expect(stdout.match(/"run\.cancelled"/g)).toHaveLength(1);
  });

  it("asks the process that advances it to cancel", async () => {
    const world = await gated();
    const journal = await openJournal(world.path("runs.db"));
    const now = world.clock.now();
    await journal.hold("ship", "elsewhere:1:x", now + 60_000, now);
    const got = await world.call(["runs", "cancel", "ship", "--detach"]);
    await journal.close();
    expect(got.stdout).toBe("✓ Asked the process that works on run ship to stop it.\n");
  });

  it("refuses actions that are not offered or unknown", async () => {
    const world = await gated();
    const got = await world.call(["runs", "retry", "ship"]);
    expect(got).toMatchObject({ stdout: "", exit: "failed" });
    expect(got.stderr).toContain("offered now: answer, resume, cancel");
    const none = await world.call(["runs", "do", "ship", "send-bck"]);
    expect(none.exit).toBe("usage");
    expect(none.stderr).toContain("Did you mean `send-back`?");
  });

  it("raises a limit", async () => {
    const world = new WorkflowWorld();
    const file = world.write(
      "two.yaml",
      `faultline: 1
workflow: { id: two, version: "1" }
limits: { max_nodes: 1 }
nodes:
  one: { type: transform, value: "1", next: two }
  two: { type: transform, value: "2" }
`,
    );
    const failed = await world.call(["workflow", "run", file, "--run", "n"]);
    expect(failed.exit).toBe("failed");
    expect(lastLine(failed)).toBe("faultline: Next: faultline runs do n raise-limit --max-nodes '…'");
    const got = await world.json(["runs", "do", "n", "raise-limit", "--max-nodes", "5"]);
    expect(got).toMatchObject({
      status: "completed",
      output: 2,
      predecessor: "n",
    });
  });
});
