// Tools defined by a workflow: commands that read JSON from stdin, and tools of a real MCP server process.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { systemClock } from "../../../src/host/clock.ts";
import { createFaultline, type Faultline, type Outcome } from "../../../src/index.ts";
import type { WordedTool } from "../../../src/workflow/node/agent-tools.ts";
import type { ToolSpec } from "../../../src/workflow-model/node-options.ts";
import { toolsOf, type WorkflowTools } from "../../../src/workflow/node/workflow-tools.ts";
import { until } from "../../support/look-again.ts";
import { processClock } from "../../agent/process/children.ts";
import { bundledProgram } from "../../support/bundled-program.ts";
import { driven } from "./node-world.ts";

interface Home {
  readonly fl: Faultline;
  readonly folder: string;
  readonly tools: WorkflowTools;
  readonly call: (id: string, input: unknown) => Promise<Outcome<unknown>>;
}

function homeOf(specs: readonly ToolSpec[], env: Readonly<Record<string, string>> = {}, clock = systemClock): Home {
  const folder = mkdtempSync(join(tmpdir(), "faultline-tools-"));
  const fl = createFaultline({ clock });
  const tools = toolsOf(specs, { runtime: fl, env: { PATH: process.env["PATH"], ...env }, cwd: folder, clock });
  onTestFinished(async () => {
    await tools.close();
    rmSync(folder, { recursive: true, force: true });
  });
  return {
    fl,
    folder,
    tools,
    call: (id, input) => {
      const found = tools.find(id);
      if (found === undefined) throw new Error(`there is no tool ${id}`);
      return fl.protect(found, input as never);
    },
  };
}

function spec(over: Partial<ToolSpec> & Pick<ToolSpec, "run">): ToolSpec {
  const declared = {
    idempotent: false,
    modelDetail: "none",
    optional: false,
    fallbackValue: null,
    alternatives: [],
  } as const;
  return { id: "it", description: "", input: null, timeoutMs: 60_000, maxAttempts: 1, ...declared, ...over };
}

function node(source: string, over: Partial<ToolSpec> = {}): ToolSpec {
  return spec({ run: { kind: "command", command: process.execPath, args: ["-e", source], env: [] }, ...over });
}

const READ = `const given = JSON.parse(require("node:fs").readFileSync(0, "utf8"));`;

describe("a tool that is a command", () => {
  it.each([
    [`${READ} console.log(JSON.stringify({ twice: given.n * 2 }))`, { twice: 4 }],
    [`${READ} console.log("n is " + given.n)`, "n is 2"],
    ["", ""],
  ])("gets its input on stdin and answers on stdout: %s", async (source, value) => {
    expect(await homeOf([node(source)]).call("it", { n: 2 })).toMatchObject({ status: "done", value });
  });

  it("refuses an input that does not fit its schema, and does not run", async () => {
    const input = { type: "object", required: ["q"], properties: { q: { type: "string" } } };
    const { call, folder } = homeOf([node(`require("node:fs").writeFileSync("ran", "")`, { input })]);
    expect(await call("it", { q: 5 })).toMatchObject({ fault: { code: "InputInvalid" } });
    expect(() => readFileSync(join(folder, "ran"))).toThrow("ENOENT");
  });

  it("that exits with a code other than 0 has failed; the end of its output is the evidence", async () => {
    const outcome = await homeOf([node(`console.error("no luck"); process.exitCode = 9`)]).call("it", {});
    expect(outcome).toMatchObject({
      fault: { code: "ExecutionFailed", context: { tool: "it", exitCode: 9 }, evidence: { excerpt: "no luck" } },
    });
  });

  it.each([
    ["429 Too Many Requests: rate limit exceeded", "RateLimited"],
    ["Error: connect ECONNREFUSED 127.0.0.1:4010", "ToolUnavailable"],
  ])("that prints %s fails with %s", async (said, code) => {
    const outcome = await homeOf([node(`console.error(${JSON.stringify(said)}); process.exitCode = 1`)]).call("it", {});
    expect(outcome).toMatchObject({ fault: { code, context: { tool: "it", exitCode: 1 } } });
  });

  it("is retried as often as its kind of failure allows", async () => {
    const source = `const fs = require("node:fs"); fs.appendFileSync("tries", "x");
      if (fs.readFileSync("tries", "utf8").length < 3) { console.error("connect ECONNREFUSED 127.0.0.1:1"); process.exitCode = 1; }`;
    const clock = processClock();
    const { fl, call, folder } = homeOf([node(source, { idempotent: true, maxAttempts: 3 })], {}, clock);
    let waitMs = 0;
    fl.subscribe(({ event }) => {
      if (event.type === "call-failed" && event.decision.recourse === "retry") waitMs = event.decision.delayMs;
    });
    const called = call("it", {});
    for (const tries of [1, 2]) {
      await driven(
        clock,
        until(() => waitMs > 0),
        0,
      );
      expect(readFileSync(join(folder, "tries"), "utf8")).toHaveLength(tries);
      const dueMs = waitMs;
      waitMs = 0;
      await clock.advance(dueMs);
    }
    expect(await driven(clock, called, 0)).toMatchObject({ status: "done", attempts: 3 });
    expect(readFileSync(join(folder, "tries"), "utf8")).toBe("xxx");
  });

  it("that prints without end is cut off and has failed", async () => {
    const outcome = await homeOf([node(`process.stdout.write("x".repeat(2 ** 20 + 1))`)]).call("it", {});
    expect(outcome).toMatchObject({ fault: { code: "OutputMalformed", context: { limit: 2 ** 20 } } });
  });

  it("that does not exist is a missing binary", async () => {
    const run = { kind: "command", command: "no-such-program-here", args: [], env: [] } as const;
    expect(await homeOf([spec({ run })]).call("it", {})).toMatchObject({
      fault: { code: "BinaryMissing", context: { ran: false } },
    });
  });

  it("that hangs is ended at its time limit", async () => {
    const clock = processClock();
    const { call, folder } = homeOf(
      [node(`require("node:fs").writeFileSync("here", ""); setInterval(() => {}, 1e6)`, { timeoutMs: 5_000 })],
      {},
      clock,
    );
    const called = call("it", {});
    await driven(
      clock,
      until(() => isThere(join(folder, "here"))),
      0,
    );
    expect(await driven(clock, called, 100)).toMatchObject({
      fault: { code: "ExecutionTimeout", context: { limit: 5_000 } },
    });
  });

  it("carries the description for a model", () => {
    const input = { type: "object" };
    const found: WordedTool | undefined = homeOf([node("", { description: "reads", input })]).tools.find("it");
    expect(found?.words).toEqual({ description: "reads" });
    expect(found?.inputSchema()).toEqual(input);
  });
});

function isThere(path: string): boolean {
  try {
    readFileSync(path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return false;
    throw error;
  }
}

const SERVER = bundledProgram(new URL("../../mcp/server.ts", import.meta.url));

function mcp(tool: string, over: Partial<ToolSpec> = {}): ToolSpec {
  const server = { id: "travel", command: process.execPath, args: [SERVER], env: ["MCP_*"], url: "" };
  return spec({ id: tool, run: { kind: "mcp", server, tool }, ...over });
}

function mcpHome(...specs: readonly ToolSpec[]): Home & { starts(): number } {
  const folder = mkdtempSync(join(tmpdir(), "faultline-mcp-tools-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const starts = join(folder, "starts");
  writeFileSync(starts, "");
  const home = homeOf(specs, { MCP_RUNS: join(folder, "runs"), MCP_STARTS: starts });
  return { ...home, starts: () => readFileSync(starts, "utf8").split("\n").length - 1 };
}

describe("a tool of an MCP server", () => {
  it("connects on first use, once for all tools of the server", async () => {
    const home = mcpHome(mcp("echo"), mcp("sum"));
    expect(home.starts()).toBe(0);
    expect(await home.call("echo", { text: "hello" })).toMatchObject({ status: "done", value: "hello" });
    expect(await home.call("echo", { text: '{"a":1}' })).toMatchObject({ status: "done", value: { a: 1 } });
    expect(await home.call("sum", { n: 4 })).toMatchObject({ status: "done", value: { n: 4 } });
    expect(home.starts()).toBe(1);
  });

  it("that answers with an error has failed", async () => {
    const outcome = await mcpHome(mcp("refuse")).call("refuse", {});
    // Its text is kept as a partial answer.
    expect(outcome).toMatchObject({
      fault: { code: "ExecutionFailed", context: { isError: true, looksLike: "RateLimited" } },
    });
  });

  it("that the server does not have lists the existing ones", async () => {
    const outcome = await mcpHome(mcp("nowhere")).call("nowhere", {});
    expect(outcome).toMatchObject({ fault: { code: "NotFound" } });
    expect(JSON.stringify(outcome)).toContain("it offers echo");
  });

  it("of a server that cannot be started fails, and says what was missing", async () => {
    const server = { id: "gone", command: "no-such-program-here", args: [], env: [], url: "" };
    const home = homeOf([spec({ run: { kind: "mcp", server, tool: "x" } })]);
    const outcome = await home.call("it", {});
    expect(outcome.status).toBe("failed");
    expect(JSON.stringify(outcome)).toContain("gone");
  });

  it("has the server's description once it was loaded, unless the workflow has its own", async () => {
    const home = mcpHome(mcp("echo"), mcp("sum", { description: "adds", input: { type: "object" } }));
    const words = (id: string): unknown => {
      const found = home.tools.find(id) as WordedTool;
      return { ...found.words, input: found.inputSchema() };
    };
    expect(words("echo")).toEqual({ description: "", input: null });
    await home.tools.learn(["sum"]);
    expect(home.starts()).toBe(0);
    await home.tools.learn(["echo"]);
    expect(words("echo")).toMatchObject({ description: "says it again", input: { required: ["text"] } });
    expect(words("sum")).toEqual({ description: "adds", input: { type: "object" } });
  });

  it("cannot be used after the tools are closed", async () => {
    const home = mcpHome(mcp("echo"));
    await home.call("echo", { text: "x" });
    await home.tools.close();
    expect(await home.call("echo", { text: "x" })).toMatchObject({ fault: { code: "EngineState" } });
    expect(home.starts()).toBe(1);
  });

  it("closes with its server, which can tidy up when its input ends", async () => {
    const folder = mkdtempSync(join(tmpdir(), "faultline-mcp-tools-"));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const tidied = join(folder, "tidied");
    const source = `process.stdin.on("end", () => process.getBuiltinModule("fs").writeFileSync(${JSON.stringify(tidied)}, ""));
      import(${JSON.stringify(SERVER)});`;
    const server = { id: "travel", command: process.execPath, args: ["-e", source], env: ["MCP_*"], url: "" };
    const home = mcpHome(mcp("echo", { run: { kind: "mcp", server, tool: "echo" } }));
    expect(await home.call("echo", { text: "x" })).toMatchObject({ status: "done" });
    expect(isThere(tidied)).toBe(false);
    await home.tools.close();
    expect(isThere(tidied)).toBe(true);
  });
});
