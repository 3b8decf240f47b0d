// `faultline runs answer` answers a run's question and continues the run.

import { describe, expect, it } from "vitest";
import { GATED, gated, QUICK, WorkflowWorld } from "../workflow-world.ts";

describe("answering", () => {
  it("accepts the id of an option, and the first answer counts", async () => {
    const world = new WorkflowWorld();
    const select = GATED.replace(
      "ask: Confirm,",
      "ask: Select, options: [{ id: ship, label: Ship }, { id: stop, label: Stop }],",
    ).replace("nodes.ask.output.approved", "nodes.ask.output.choice");
    await world.call(["workflow", "run", world.write("select.yaml", select), "--run", "s"]);
    const shown = await world.json(["runs", "show", "s"]);
    const [{ id }] = shown["questions"] as readonly [{ id: string }];
    const wrong = await world.call(["runs", "answer", "s", "perhaps"]);
    expect(wrong).toMatchObject({ stdout: "", exit: "usage" });
    expect(wrong.stderr).toContain("ship (Ship), stop (Stop)");
    expect(await world.json(["runs", "answer", id, "stop", "--by", "ada", "--no-wait"])).toMatchObject({
      question: id,
      run: "s",
      by: "ada",
    });
    const late = await world.call(["runs", "answer", id, "ship"]);
    expect(late.exit).toBe("failed");
    expect(late.stderr).toContain("ada");
    expect(await world.json(["workflow", "resume", "s"])).toMatchObject({
      output: { said: "stop" },
    });
  });

  it("continues the run, and the question is no longer listed as open", async () => {
    const world = await gated();
    await world.call(["runs", "answer", "ship", "yes", "--no-wait"]);
    const { questions, actions, message } = await world.json(["runs", "show", "ship"]);
    expect(questions).toEqual([]);
    expect(message).toContain("ask has its answer and runs next");
    const { stdout } = await world.call(["runs", "show", "ship"]);
    expect(stdout).toMatch(/ask +answered/);
    expect(stdout).not.toContain("was stopped");
    expect(stdout).not.toMatch(/waits for|waiting/);
    expect(stdout).toContain("faultline workflow resume ship");
    expect((actions as readonly { id: string }[]).map(({ id }) => id)).not.toContain("answer");
    expect((await world.call(["runs", "list"])).stdout).toMatch(/ship .* resume\n/);
    const other = await gated();
    expect(await other.json(["runs", "answer", "ship", "yes"])).toMatchObject({
      status: "completed",
      by: "cli",
    });
    expect((await other.call(["runs", "output", "ship"])).exit).toBe("ok");
    expect((await other.call(["runs", "output", "ship", "nowhere"])).stderr).toContain("It has reached: ");
  });

  it("may be a no to any question", async () => {
    const world = await gated();
    expect((await world.call(["runs", "answer", "ship", "--reject", "not now", "--no-wait"])).exit).toBe("ok");
    expect((await world.call(["runs", "answer", "ship", "yes"])).exit).toBe("failed");
  });

  it("requires an answer and a question", async () => {
    const world = await gated();
    const missing = await world.call(["runs", "answer", "ship"]);
    expect(missing.exit).toBe("usage");
    // Pasted as it is, the command answers nothing: the shell passes both words as one.
    expect(missing.stderr).toContain("reason: faultline runs answer ship 'yes|no'");
    expect((await world.call(["runs", "answer", "ship", "yes|no"])).exit).toBe("usage");
    expect((await world.call(["runs", "answer", "q_nothing", "yes"])).exit).toBe("usage");
    await world.call(["workflow", "run", world.write("quick.yaml", QUICK), "--run", "done"]);
    const none = await world.call(["runs", "answer", "done", "yes"]);
    expect(none.exit).toBe("failed");
    expect(none.stderr).toContain("has no open question");
  });
});
