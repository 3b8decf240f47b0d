// `faultline workflow`: files are checked; runs start, wait, fail, are left and resumed.

import { existsSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { openJournal } from "../../src/journal/open-journal.ts";
import { compileSchema } from "../../src/schema/index.ts";
import { ownSignals } from "../support/this-process.ts";
import { GATED, lastLine, QUICK, WorkflowWorld } from "./workflow-world.ts";

const ESCAPE = "\u001b";

describe("a workflow file", () => {
  it("that is valid is reported in one line", async () => {
    const world = new WorkflowWorld();
    const file = world.write("gated.yaml", GATED);
    expect(await world.call(["workflow", "check", file])).toEqual({
      stdout: `✓ ${file}: 0 errors, 0 warnings\n`,
      stderr: "",
      exit: "ok",
    });
  });

  it("that is invalid is shown with the position of each mistake", async () => {
    const world = new WorkflowWorld();
    const good = world.write("good.yaml", QUICK);
    const bad = world.write("bad.yaml", QUICK.replace("type: transform", "type: transfrom"));
    const got = await world.call(["workflow", "check", good, bad]);
    expect(got.exit).toBe("config");
    expect(got.stderr).toContain(`--> ${bad}:7:16`);
    expect(got.stderr).toContain("did you mean `transform`?");
    expect(got.stdout).toBe(`✓ ${good}: 0 errors, 0 warnings\n✗ ${bad}: 1 error, 0 warnings\n`);
  });

  it("is a JSON document with --json, as a policy is", async () => {
    const world = new WorkflowWorld();
    const bad = world.write("bad.yaml", QUICK.replace("type: transform", "type: transfrom"));
    const { file, ok, diagnostics } = await world.json(["workflow", "check", bad]);
    expect({ file, ok }).toEqual({ file: bad, ok: false });
    expect(diagnostics).toMatchObject([{ severity: "error", file: bad, line: 7, column: 16 }]);
  });

  it("that does not exist is a wrong call", async () => {
    const world = new WorkflowWorld();
    const got = await world.call(["workflow", "run", world.path("none.yaml")]);
    expect(got).toMatchObject({ stdout: "", exit: "usage" });
    expect(got.stderr).toContain("there is no such file");
  });

  it("with mistakes starts nothing", async () => {
    const world = new WorkflowWorld();
    const bad = world.write("bad.yaml", QUICK.replace("type: transform", "type: transfrom"));
    const got = await world.call(["workflow", "run", bad]);
    expect(got.exit).toBe("config");
    expect(lastLine(got)).toContain("has 1 error; correct it and try again");
    expect(existsSync(world.path("runs.db"))).toBe(false);
  });

  it.each([
    ["that is not there", "none.yaml"],
    ["with mistakes", "bad.yaml"],
  ])("%s leaves no journal behind", async (_what, name) => {
    const world = new WorkflowWorld();
    world.write("bad.yaml", QUICK.replace("type: transform", "type: transfrom"));
    expect((await world.call(["workflow", "run", world.path(name)])).exit).not.toBe("ok");
    expect(existsSync(world.path("runs.db"))).toBe(false);
  });
});

describe("workflow schema", () => {
  it("is a JSON Schema that accepts a good file and rejects a bad one", async () => {
    const { stdout, stderr, exit } = await new WorkflowWorld().call(["workflow", "schema"]);
    expect({ stderr, exit }).toEqual({ stderr: "", exit: "ok" });
    const document = JSON.parse(stdout) as Record<string, unknown>;
    expect(document).toMatchObject({ $schema: "https://json-schema.org/draft/2020-12/schema", type: "object" });
    const check = compileSchema(document, "workflow files");
    expect(await check(parse(GATED))).toMatchObject({ ok: true });
    expect(await check(parse(GATED.replace("type: transform", "type: transfrom")))).toMatchObject({ ok: false });
  });
});

describe("a run", () => {
  it("prints its outcome on stdout and its progress on stderr", async () => {
    const world = new WorkflowWorld();
    const got = await world.call(["workflow", "run", world.write("quick.yaml", QUICK), "--run", "first"]);
    expect({ stdout: got.stdout, exit: got.exit }).toEqual({ stdout: "fine\n", exit: "ok" });
    expect(got.stderr).toContain("faultline: run first of quick\nfaultline: one: starts\nfaultline: one: done");
    expect(got.stderr).toContain("faultline: completed: fine.");
  });

  it("is one JSON document with --json, with the output of its last node", async () => {
    const world = new WorkflowWorld();
    const inputs = world.write("inputs.json", '{ "task": "from the file", "times": 2 }');
    const args = ["workflow", "run", world.write("quick.yaml", QUICK), "--inputs", inputs, "--input", "times=7"];
    expect(await world.json(args)).toMatchObject({
      workflow: "quick",
      status: "completed",
      outcome: "fine",
      standing: "over",
      output: { task: "from the file", times: 7 },
      survived: { retries: 0, switches: 0, waits: 0, regenerations: 0 },
      questions: [],
      actions: [],
      next: null,
    });
  });

  it("prints its events as CloudEvents with --jsonl, each once and in order", async () => {
    const world = new WorkflowWorld();
    const { stdout, exit } = await world.call(["workflow", "run", world.write("quick.yaml", QUICK), "--jsonl"]);
    const events = stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as { type: string; sequence: string });
    expect(exit).toBe("ok");
    expect(events.at(0)).toMatchObject({ specversion: "1.0", type: "dev.faultline.run.started" });
    expect(events.at(-1)?.type).toBe("dev.faultline.run.completed");
    expect(events.map(({ sequence }) => Number(sequence))).toEqual(events.map((_event, index) => index + 1));
  });

  it.each([
    ["an input that is none", ["--input", "tsk=x"], "did you mean task?"],
    ["an input that does not fit", ["--input", "times=many"], "must be a whole number"],
    ["an input without a value", ["--input", "task"], "write it as name=value"],
  ])("is not started with %s", async (_what, args, why) => {
    const world = new WorkflowWorld();
    const got = await world.call(["workflow", "run", world.write("quick.yaml", QUICK), ...args]);
    expect(got).toMatchObject({ stdout: "", exit: "usage" });
    expect(got.stderr).toContain(why);
  });

  it("shows a node nothing of parallel nodes, however fast they were, but everything to the join and to the next round", async () => {
    const world = new WorkflowWorld();
    const seen = `value: "Object.keys(nodes)"`;
    const fanned = `faultline: 1
workflow: { id: fanned, version: "1" }
limits: { max_parallel: 1 }
nodes:
  split: { type: parallel, branches: [fast, slow], join: both }
  fast: { type: transform, ${seen}, next: more }
  more: { type: transform, ${seen}, next: both }
  slow: { type: transform, ${seen}, next: both }
  both: { type: merge, ${seen}, next: [{ to: split, max: 2 }, all] }
  all: { type: transform, value: "({ round: nodes.slow.execution, saw: nodes.slow.output, both: nodes.both.output })" }
`;
    const again = await world.json(["workflow", "run", world.write("fanned.yaml", fanned), "--run", "again"]);
    const everything = ["split", "fast", "slow", "more", "both"];
    expect(again["output"]).toEqual({ round: 2, saw: everything, both: everything });
    const once = world.write("once.yaml", fanned.replace("{ to: split, max: 2 }, all", "all"));
    const { output } = await world.json(["workflow", "run", once, "--run", "once"]);
    expect(output).toEqual({ round: 1, saw: ["split"], both: ["split", "fast", "slow", "more"] });
  });

  it("with a name that is taken is refused", async () => {
    const world = new WorkflowWorld();
    const args = ["workflow", "run", world.write("quick.yaml", QUICK), "--run", "mine"];
    await world.call(args);
    const got = await world.call(args);
    expect(got.exit).toBe("failed");
    expect(got.stderr).toContain("run mine already exists");
  });

  it("is only created with --detach, and continued later", async () => {
    const world = new WorkflowWorld();
    const got = await world.call(["workflow", "run", world.write("quick.yaml", QUICK), "--run", "later", "--detach"]);
    expect({ stdout: got.stdout, exit: got.exit }).toEqual({ stdout: "later\n", exit: "ok" });
    expect(lastLine(got)).toContain("faultline workflow resume later");
    expect((await world.call(["workflow", "resume", "later"])).stdout).toBe("fine\n");
  });

  it("speaks Chinese", async () => {
    const world = new WorkflowWorld();
    const got = await world.call(["workflow", "run", world.write("quick.yaml", QUICK), "--locale", "zh-CN"]);
    expect(got.stderr).toContain("faultline: 已完成：fine。");
  });
});

describe("a run with a command that fails", () => {
  it.each([
    ["en", "sh -c 'exit 3'", "failed at go: sh -c 'exit 3' ended with exit code 3 (provider_runtime_error)."],
    ["en", "sh -c 'kill -9 $$'", "failed at go: sh -c 'kill -9 $$' was ended by SIGKILL (provider_runtime_error)."],
    ["zh-CN", "sh -c 'exit 3'", "在 go 失败：sh -c 'exit 3' 以退出码 3 结束（provider_runtime_error）。"],
  ])("says which command and how it ended, in %s: %s", async (locale, command, sentence) => {
    const world = new WorkflowWorld();
    const text = `faultline: 1\nworkflow: { id: w, version: "1" }\nnodes:\n  go: { type: command, run: ["${command}"], allow: ["sh *"] }\n`;
    const got = await world.call(["workflow", "run", world.write("go.yaml", text), "--locale", locale]);
    expect(got).toMatchObject({ exit: "failed", stdout: "provider_runtime_error\n" });
    expect(got.stderr).toContain(sentence);
  });
});

describe("a run with a gate", () => {
  it("ends with how to answer if no one can be asked, and continues after the answer", async () => {
    const world = new WorkflowWorld();
    const file = world.write("gated.yaml", GATED);
    const asked = await world.call(["workflow", "run", file, "--run", "ship", "--input", "task=it"]);
    expect({ stdout: asked.stdout, exit: asked.exit }).toEqual({ stdout: "", exit: "waiting" });
    expect(asked.stderr).toContain("faultline: ask: asks: Ship it?");
    expect(lastLine(asked)).toBe("faultline: Next: faultline runs answer ship 'yes|no'");
    const wrong = await world.call(["runs", "answer", "ship", "perhaps"]);
    expect(wrong).toMatchObject({ stdout: "", exit: "usage" });
    const right = await world.call(["runs", "answer", "ship", "yes", "--no-wait"]);
    expect(right.exit).toBe("ok");
    expect(lastLine(right)).toBe("faultline: Next: faultline workflow resume ship");
    expect(await world.json(["workflow", "resume", "ship"])).toMatchObject({
      outcome: "shipped",
      output: { task: "it", said: true },
    });
  });

  it("first says how to fix what kept every agent from answering, not how to confirm it", async () => {
    const world = new WorkflowWorld(true);
    const speaker = (name: string, next: string): string =>
      `${name}: { type: agent, agent: writer, prompt: Speak., resolution: skip, next: ${next} }`;
    const gate =
      "gate: { type: human_gate, ask: Select, prompt: Go on?, options: [{ id: confirm, label: Yes }, { id: continue, label: More }] }";
    const { chaos, file } = await world.withModels([speaker("a", "b"), speaker("b", "gate"), gate]);
    chaos.script(["invalid-key", "invalid-key", "invalid-key", "ok"]);
    const silent = await world.call(["workflow", "run", file, "--run", "silent"]);
    expect(silent.exit).toBe("waiting");
    expect(silent.stderr).toContain("  every agent failed: ");
    expect(lastLine(silent)).toMatch(/^faultline: Next: .*key.*\. Then: faultline runs continue silent --text '…'$/);
    expect(await world.json(["workflow", "resume", "silent"])).toMatchObject({
      next: expect.stringMatching(/key.*\. Then: faultline runs continue/) as string,
    });
    const heard = await world.call(["workflow", "run", file, "--run", "heard"]);
    expect(heard.stderr).not.toContain("every agent failed");
    expect(lastLine(heard)).toContain("faultline runs answer heard 'confirm|continue'");
  });

  it("shows no control character of a prompt", async () => {
    const world = new WorkflowWorld();
    const task = `${ESCAPE}]0;evil\u0007${ESCAPE}[2Jx\u202e`;
    const args = ["workflow", "run", world.write("gated.yaml", GATED), "--run", "evil", "--input", `task=${task}`];
    const outputs = [await world.call(args), await world.call(["runs", "show", "evil"])];
    outputs.push(await world.call(["runs", "show", "evil", "--json"]), await world.call(["runs", "list"]));
    await world.call(["runs", "answer", "evil", "no"]);
    outputs.push(await world.call(["workflow", "resume", "evil", "--json"]));
    for (const { stdout, stderr } of outputs) expect(stdout + stderr).not.toMatch(/[\u0007\u001b\u202e]/);
    expect(outputs[0]?.stderr).toContain("asks: Ship");
  });

  it("reports its result when it is resumed after its end", async () => {
    const world = new WorkflowWorld();
    await world.call(["workflow", "run", world.write("quick.yaml", QUICK)]);
    const got = await world.call(["workflow", "resume", "last"]);
    expect({ stdout: got.stdout, exit: got.exit }).toEqual({ stdout: "fine\n", exit: "ok" });
  });
});

describe("a file that has changed", () => {
  async function changed(isAnswered = true) {
    const world = new WorkflowWorld();
    const file = world.write("gated.yaml", GATED);
    await world.call(["workflow", "run", file, "--run", "r1"]);
    if (isAnswered) await world.call(["runs", "answer", "r1", "yes", "--no-wait"]);
    world.write("gated.yaml", GATED.replace("outcome: shipped", "outcome: sent"));
    return world;
  }

  it.each([
    { command: ["workflow", "resume", "r1"], isAnswered: true },
    { command: ["runs", "answer", "r1", "yes"], isAnswered: false },
    { command: ["runs", "do", "r1", "resume"], isAnswered: true },
  ])("is refused by $command, with both ways to continue", async ({ command, isAnswered }) => {
    const world = await changed(isAnswered);
    const got = await world.call(command);
    expect(got).toMatchObject({ stdout: "", exit: "config" });
    expect(lastLine(got)).toContain(
      "Next: faultline workflow resume r1 --changed accept, or: faultline workflow resume r1 --changed as-started",
    );
  });

  it("is used when that is accepted", async () => {
    const world = await changed();
    const waits = await world.call(["workflow", "resume", "r1", "--changed", "accept"]);
    // Work that started with the old definition starts again, including the gate.
    const end = waits.exit === "waiting" ? await world.call(["runs", "answer", "r1", "yes"]) : waits;
    expect(end.stdout).toBe("sent\n");
  });

  it("does not stop a run from being cancelled", async () => {
    const world = await changed();
    expect(await world.call(["runs", "do", "r1", "cancel"])).toMatchObject({ exit: "cancelled" });
  });

  it.each([true, false])(
    "does not matter to a run that continues as it was started (answered before: %s)",
    async (isAnswered) => {
      const world = await changed(isAnswered);
      // The answer counts, although the run did not continue.
      if (!isAnswered) await world.call(["runs", "answer", "r1", "yes"]);
      expect((await world.call(["workflow", "resume", "r1", "--changed", "as-started"])).stdout).toBe("shipped\n");
    },
  );
});

describe("a run with models", () => {
  it("survives transient failures, and lists them", async () => {
    const world = new WorkflowWorld(true);
    const { chaos, file } = await world.withModels(["write: { type: agent, agent: patient, prompt: Write. }"]);
    chaos.script([{ "fault": "rate-limit", "retry-after": 40 }, "overloaded", "ok"]);
    const got = await world.call(["workflow", "run", file]);
    expect({ stdout: got.stdout, exit: got.exit }).toEqual({ stdout: "completed\n", exit: "ok" });
    expect(got.stderr).toContain("write: Too many requests · openai/gpt-5.5 → openai/gpt-5.4\n");
    // The wait of 1 s has jitter, and is shown rounded up.
    expect(got.stderr).toMatch(/write: openai\/gpt-5\.4: Service overloaded, try 2\/3 in [12] s/);
    expect(got.stderr).toContain("survived 1 retry, 1 fallback");
  });

  it("tells watchers that an invalid answer is requested once more", async () => {
    const world = new WorkflowWorld(true);
    const { chaos, file } = await world.withModels(["write: { type: agent, agent: writer, prompt: Write. }"]);
    const schema = "output_schema: { type: object, required: [n] }";
    world.write("models.yaml", world.read("models.yaml").replace("gpt-5.5 }", `gpt-5.5, ${schema} }`));
    chaos.script([{ answer: "prose" }, { json: { n: 1 } }]);
    const got = await world.call(["workflow", "run", file, "--run", "again"]);
    expect({ stdout: got.stdout, exit: got.exit }).toEqual({ stdout: "completed\n", exit: "ok" });
    expect(got.stderr).toMatch(/write: .+ · openai\/gpt-5\.5 is asked again\n/);
    expect(got.stderr).toContain("survived 1 regeneration");
    const { stdout } = await world.call(["runs", "watch", "again", "--jsonl"]);
    const told = stdout.split("\n").filter((line) => line.includes("call.regenerating"));
    expect(told).toHaveLength(1);
    const { data } = JSON.parse(told[0] ?? "") as { readonly data: object };
    expect(data).toMatchObject({ data: { target: "openai/gpt-5.5", why: "SchemaInvalid" }, node: "write", attempt: 1 });
  });

  it("that is parked for long says until when, and how to continue", async () => {
    const world = new WorkflowWorld(true);
    const { chaos, file } = await world.withModels(["write: { type: agent, agent: writer, prompt: Write. }"]);
    chaos.script([{ "fault": "quota-reset", "retry-after": 3600 }]);
    const got = await world.call(["workflow", "run", file, "--run", "p"]);
    expect({ stdout: got.stdout, exit: got.exit }).toEqual({ stdout: "", exit: "parked" });
    expect(lastLine(got)).toBe("faultline: Next: after 2025-01-15 13:00 UTC: faultline workflow resume p");
    expect(got.stderr).toContain("faultline: parked until 2025-01-15 13:00 UTC (in 1 h).");
  });

  it("that failed says what can be done, and a retry continues in another run", async () => {
    const world = new WorkflowWorld(true);
    const { chaos, file } = await world.withModels([
      "first: { type: agent, agent: writer, prompt: One., next: second }",
      "second: { type: agent, agent: writer, prompt: Two. }",
    ]);
    chaos.script(["ok", "overloaded", "bad-request", "ok"]);
    const failed = await world.json(["workflow", "run", file, "--run", "f"]);
    expect(failed).toMatchObject({ status: "failed", node: "second", standing: "over" });
    const actions = failed["actions"] as readonly { id: string; command: string }[];
    expect(failed["next"]).toBe(actions[0]?.command);
    expect(actions.map(({ id }) => id)).toContain("edit-and-retry");
    // It has survived nothing.
    expect((await world.call(["workflow", "resume", "f"])).stderr).toContain("  after 1 retry · ");
    const again = await world.json(["runs", "do", "f", "edit-and-retry", "--text", "Two, please."]);
    expect(again).toMatchObject({ status: "completed", action: "edit-and-retry", did: true, predecessor: "f" });
    expect(again["run"]).not.toBe("f");
    // The first stage is kept.
    expect(chaos.received()).toHaveLength(4);
  });
});

describe("Ctrl-C", () => {
  it("leaves the run as it is, and says how to continue", async () => {
    const signals = ownSignals();
    const world = new WorkflowWorld(true);
    const { chaos, file } = await world.withModels(["write: { type: agent, agent: writer, prompt: Write. }"]);
    chaos.script([{ "fault": "rate-limit", "retry-after": 40 }, "ok"]);
    let isSent = false;
    const got = await world.call(["workflow", "run", file, "--run", "c"], {
      onStderr: (text) => {
        if (isSent || !text.includes("try 2/6")) return;
        isSent = true;
        world.clock.after(1_000, () => signals.send("SIGINT"));
      },
    });
    expect({ stdout: got.stdout, exit: got.exit }).toEqual({ stdout: "", exit: "cancelled" });
    expect(lastLine(got)).toBe("faultline: Next: faultline workflow resume c");
    // It ignores further signals while its process ends.
    expect(signals.listenersTo("SIGINT")).toBe(1);
    signals.forget();
    expect((await world.call(["workflow", "resume", "c"])).stdout).toBe("completed\n");
  });
});

describe("a run that another process advances", () => {
  it("is watched, and resumed when that process releases it", async () => {
    const world = new WorkflowWorld();
    const file = world.write("quick.yaml", QUICK);
    await world.call(["workflow", "run", file, "--run", "h", "--detach"]);
    const journal = await openJournal(world.path("runs.db"));
    const now = world.clock.now();
    await journal.hold("h", "elsewhere:1:x", now + 60_000, now);
    const got = await world.call(["workflow", "resume", "h"], {
      onStderr: (text) => {
        if (text.includes("another process works on h")) void journal.release("h", "elsewhere:1:x");
      },
    });
    await journal.close();
    expect({ stdout: got.stdout, exit: got.exit }).toEqual({ stdout: "fine\n", exit: "ok" });
    expect(got.stderr).toContain("another process works on h; watching it");
  });
});
