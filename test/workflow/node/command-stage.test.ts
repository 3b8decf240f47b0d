// Nodes that run commands: real processes, in turns of a real session, on a journal file.

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { NodeOptions } from "../../../src/workflow-model/node-options.ts";
import type { CommandOutput } from "../../../src/workflow/node/command-stage.ts";
import { until } from "../../support/look-again.ts";
import { processClock, startWitness, type Witness } from "../../agent/process/children.ts";
import { driven, edge, nodeBase, nodeResult, nodeWorld, type Visited, type World } from "./node-world.ts";

type CommandOptions = Extract<NodeOptions, { readonly kind: "command" }>;

function command(over: Partial<CommandOptions> = {}): CommandOptions {
  return {
    ...nodeBase({ id: "run_tests" }),
    kind: "command",
    run: { lines: ["node say.js hello"] },
    allow: { commands: ["node *"] },
    env: [],
    cwd: "",
    commandTimeoutMs: 60_000,
    failsAs: "TestsFailed",
    stopWhenRepeated: false,
    ...over,
  };
}

const SAY = `
  require("node:fs").appendFileSync("ran.txt", process.argv.slice(2).join(" ") + "\\n");
  console.log(process.argv.slice(2).join(" "));
  const code = process.argv.find((word) => word.startsWith("exit="));
  if (code) { console.error("it is broken"); process.exitCode = Number(code.slice(5)); }`;

function sayingWorld(): World {
  const world = nodeWorld();
  world.program("say.js", SAY);
  return world;
}

function ranIn({ folder }: World): readonly string[] {
  const file = join(folder, "ran.txt");
  return existsSync(file) ? readFileSync(file, "utf8").trim().split("\n") : [];
}

function failureOf({ end }: Visited): Extract<Visited["end"], { end: "failed" }> {
  if (end?.end !== "failed") throw new Error(`it did not fail: ${JSON.stringify(end)}`);
  return end;
}

describe("commands", () => {
  it("run one after the other, and their results are the output", async () => {
    const world = sayingWorld();
    const options = command({ run: { lines: ["node say.js {{ inputs.word }}", "node say.js 'b c'"] } });
    const { end, raw } = await world.visit(options, { inputs: { word: "a; rm -rf ." } });
    expect(end).toMatchObject({
      end: "completed",
      route: { kind: "end", outcome: "finished" },
      output: {
        failed: null,
        results: [
          { command: "node say.js 'a; rm -rf .'", exitCode: 0, stdout: "a; rm -rf .\n", stderr: "" },
          { command: "node say.js 'b c'", exitCode: 0, stdout: "b c\n" },
        ],
      },
    });
    expect(ranIn(world)).toEqual(["a; rm -rf .", "b c"]);
    expect(raw).toContain("$ node say.js 'b c'\nb c\n");
  });

  it("may come from an expression: as lines, or as words", async () => {
    const world = sayingWorld();
    const options = command({ run: { from: "nodes.tester.output.commands" } });
    const nodes = { tester: nodeResult({ commands: ["node say.js 'one two'", ["node", "say.js", "$(three)"]] }) };
    expect((await world.visit(options, { nodes })).end).toMatchObject({ end: "completed" });
    expect(ranIn(world)).toEqual(["one two", "$(three)"]);
  });

  it.each([
    ["an empty list", []],
    ["a number", 5],
    ["a list of nothing", [[]]],
    ["words that are none", [["node", 5]]],
    ["too many", Array.from({ length: 101 }, () => "node say.js x")],
    ["a line for a shell", ["node say.js a && node say.js b"]],
  ])("that are %s are refused, and nothing runs", async (_what, commands) => {
    const world = sayingWorld();
    const options = command({ run: { from: "nodes.tester.output" } });
    const tried = failureOf(await world.visit(options, { nodes: { tester: nodeResult(commands) } }));
    expect(tried.fault.code).toBe("InputInvalid");
    expect(tried.output).toMatchObject({ results: [], failed: { exitCode: null, stderr: tried.fault.message } });
    expect(ranIn(world)).toEqual([]);
  });

  it("see the environment they are given and run in their node's folder", async () => {
    const world = nodeWorld();
    world.program("env.mjs", "console.log(Object.keys(process.env).join(), process.cwd())");
    const options = command({ run: { lines: ["node ../env.mjs"] }, cwd: "sub" });
    expect(failureOf(await world.visit(options)).fault).toMatchObject({ code: "NotFound", context: { ran: false } });
    const here = command({ run: { lines: ["node env.mjs"] } });
    const { end } = await world.visit(here, { execution: 2 });
    const { results } = (end as { readonly output: CommandOutput }).output;
    expect(results[0]?.stdout.trim()).toBe(`PATH,FAULTLINE_INSIDE_RUN,FAULTLINE_PROCESS ${world.folder}`);
  });

  it("keep only the end of long output", async () => {
    const world = nodeWorld();
    world.program("flood.js", `process.stdout.write("x".repeat(3e5) + "é".repeat(5000) + "end"); process.exitCode = 3`);
    const { output } = failureOf(await world.visit(command({ run: { lines: ["node flood.js"] } })));
    const { failed } = output as CommandOutput;
    expect(Buffer.byteLength(failed?.stdout ?? "")).toBeLessThanOrEqual(8192);
    expect(failed?.stdout).toMatch(/^é+end$/);
  });
});

describe("a command that fails", () => {
  it("ends the node with the failure, and the next commands do not run", async () => {
    const world = sayingWorld();
    const lines = ["node say.js a", "node say.js b exit=3", "node say.js c"];
    const tried = failureOf(await world.visit(command({ run: { lines } })));
    expect(tried.fault).toMatchObject({
      code: "TestsFailed",
      message: "node say.js b exit=3 ended with exit code 3",
      context: { command: "node say.js b exit=3", exitCode: 3 },
      evidence: { excerpt: "it is broken" },
    });
    expect(tried.output).toMatchObject({
      failed: { command: "node say.js b exit=3", exitCode: 3, stdout: "b exit=3\n", stderr: "it is broken\n" },
      results: [{ exitCode: 0 }, { exitCode: 3 }],
    });
    expect(ranIn(world)).toEqual(["a", "b exit=3"]);
  });

  it("is a failed execution when the node says so, also when a signal ended it", async () => {
    const world = nodeWorld();
    world.program("die.js", "process.kill(process.pid, 'SIGTERM'); setInterval(() => {}, 1e6)");
    const options = command({ run: { lines: ["node die.js"] }, failsAs: "ExecutionFailed" });
    const tried = failureOf(await world.visit(options));
    expect(tried.fault).toMatchObject({ code: "ExecutionFailed", context: { signal: "SIGTERM" } });
    expect(tried.output).toMatchObject({ failed: { exitCode: null } });
  });

  it("leads to the repair node, whose prompt can include the failure", async () => {
    const world = sayingWorld();
    const when = "nodes.run_tests.output.failed.exitCode === 3 && output.failed.stderr.includes('broken')";
    const options = command({ run: { lines: ["node say.js exit=3"] }, onFailure: [edge("coder", { when, max: 3 })] });
    const { fault, output } = failureOf(await world.visit(options));
    const ending = { status: "failed", fault, output } as const;
    expect(await world.routeFrom(options, ending, { executionsOf: () => 2 })).toEqual({ kind: "to", nodes: ["coder"] });
    expect(await world.routeFrom(options, ending, { executionsOf: () => 3 })).toBeNull();
  });

  it("twice in the same way is not repaired again when the node says so", async () => {
    const world = sayingWorld();
    const options = command({
      run: { lines: ["node say.js exit=3"] },
      stopWhenRepeated: true,
      onFailure: [edge("coder")],
    });
    const first = failureOf(await world.visit(options));
    expect(first.fault.context["repeated"]).toBeUndefined();
    expect(await world.routeFrom(options, { status: "failed", ...first })).toEqual({ kind: "to", nodes: ["coder"] });
    const nodes = { run_tests: nodeResult(first.output, { status: "failed" }) };
    const second = failureOf(await world.visit(options, { nodes, execution: 2 }));
    expect(second.fault).toMatchObject({ code: "TestsFailed", context: { repeated: true } });
    expect(await world.routeFrom(options, { status: "failed", ...second })).toBeNull();
    // Another command that fails now is a new failure.
    const other = { ...options, run: { lines: ["node say.js exit=4"] } };
    expect(failureOf(await world.visit(other, { nodes, execution: 3 })).fault.context["repeated"]).toBeUndefined();
  });

  it("is reported the same way when its attempt is requested again", async () => {
    const world = sayingWorld();
    const options = command({ run: { lines: ["node say.js a", "node say.js b exit=3"] } });
    const first = await world.visit(options);
    expect(failureOf(await world.visit(options))).toEqual(failureOf(first));
    expect(ranIn(world)).toEqual(["a", "b exit=3"]);
  });
});

describe("a missing command", () => {
  it("is a missing binary, about which a person is asked; earlier commands do not rerun in the meantime", async () => {
    const world = sayingWorld();
    const options = command({
      run: { lines: ["node say.js a", "no-such-program-here x"] },
      allow: { commands: ["node *", "no-such-program-here *"] },
    });
    const { turn, end } = await world.visit(options);
    expect(end).toBeNull();
    expect(turn.status).toBe("waiting");
    expect(turn.questions[0]).toMatchObject({ code: "BinaryMissing" });
    const again = await world.visit(options);
    expect(again.turn.status).toBe("waiting");
    expect(again.raw).toContain("$ node say.js a\na\n");
    expect(ranIn(world)).toEqual(["a"]);
    const question = turn.questions[0]?.id ?? "";
    const rejected = await world.visit(options, {}, async (fl) => {
      expect(await fl.answer(question, { status: "rejected", reason: "it stays away" })).toBe(true);
    });
    expect(failureOf(rejected)).toMatchObject({
      fault: { code: "BinaryMissing", context: { command: "no-such-program-here x", ran: false } },
      output: {
        results: [{ command: "node say.js a" }],
        failed: { command: "no-such-program-here x", exitCode: null },
      },
    });
    expect(ranIn(world)).toEqual(["a"]);
  });
});

describe("a command that is not allowed", () => {
  it("is forbidden before anything runs", async () => {
    const world = sayingWorld();
    const options = command({
      run: { lines: ["node say.js a", "rm -rf x"] },
      allow: { commands: ["node say.js *"] },
    });
    const tried = failureOf(await world.visit(options));
    expect(tried.fault).toMatchObject({ code: "Forbidden", context: { command: "rm -rf x" } });
    const failed = { command: "rm -rf x", exitCode: null, stdout: "", stderr: tried.fault.message };
    expect(tried.output).toEqual({ results: [], failed });
    const nodes = { run_tests: nodeResult(tried.output, { status: "failed" }) };
    const stubborn = await world.visit({ ...options, stopWhenRepeated: true }, { nodes, execution: 2 });
    expect(failureOf(stubborn).fault).toMatchObject({ code: "Forbidden", context: { repeated: true } });
    expect(ranIn(world)).toEqual([]);
  });

  it("may run when an operator has granted it, and only that command", async () => {
    const world = sayingWorld();
    const options = command({ allow: { commands: [] } });
    const grant = (...commands: readonly unknown[]) => ({ action: "grant-and-retry", params: { commands }, by: "ann" });
    const tried = failureOf(await world.visit(options, { instruction: grant("node other.js", 7) }));
    expect(tried.fault.code).toBe("Forbidden");
    const again = { instruction: grant("node say.js hello"), attempt: 2 };
    expect((await world.visit(options, again)).end).toMatchObject({ end: "completed" });
    const otherAction = { instruction: { ...grant("node *"), action: "retry" }, attempt: 3 };
    expect(failureOf(await world.visit(options, otherAction)).fault.code).toBe("Forbidden");
  });
});

describe("a command that hangs", () => {
  let witness: Witness;
  beforeEach(async () => void (witness = await startWitness()));
  afterEach(() => witness.close());

  it("is ended at its time limit with all its children, and its output so far is reported", async () => {
    const clock = processClock();
    const world = nodeWorld({ clock });
    const deaf = `${witness.code} process.on("SIGTERM", () => {}); setInterval(() => {}, 1e6);`;
    world.program("deep.js", `${deaf} witness("grandchild")`);
    world.program(
      "hang.js",
      `${deaf} console.error("stuck at 7"); require("node:child_process").spawn(process.execPath, ["deep.js"], { stdio: "ignore" }); witness("child")`,
    );
    const options = command({ run: { lines: ["node hang.js"] }, commandTimeoutMs: 5_000 });
    const visited = world.visit(options);
    const both = Promise.all([witness.arrived("child"), witness.arrived("grandchild")]);
    await driven(clock, both, 0);
    await clock.advance(4_999);
    expect(witness.isThere("child")).toBe(true);
    await driven(clock, visited, 50);
    const tried = failureOf(await visited);
    await until(() => !witness.isThere("child") && !witness.isThere("grandchild"));
    expect(tried.fault).toMatchObject({
      code: "ExecutionTimeout",
      context: { command: "node hang.js", limit: 5_000 },
      evidence: { excerpt: "stuck at 7" },
    });
    expect(tried.output).toMatchObject({ failed: { command: "node hang.js", exitCode: null, stderr: "stuck at 7\n" } });
  });
});

it("a skipped node composes nothing", async () => {
  const world = sayingWorld();
  const options = command({ run: { from: "nodes.tester.output.commands" }, onlyIf: "'tester' in nodes" });
  expect((await world.visit(options)).end).toMatchObject({
    end: "skipped",
  });
});
