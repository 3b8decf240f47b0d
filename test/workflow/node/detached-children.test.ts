// A child that calls setsid leaves its process group. It must not outlive the command, tool or MCP server that started it when
// that is ended from outside.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { runningGroupOf } from "../../../src/agent/process/process-mark.ts";
import { FaultError } from "../../../src/core/fault/fault.ts";
import { createRuntime } from "../../../src/runtime/runtime.ts";
import { McpServers } from "../../../src/workflow/node/mcp-tool.ts";
import { runCommand } from "../../../src/workflow/node/run-command.ts";
import { until } from "../../support/look-again.ts";
import { processClock, startWitness, type Witness } from "../../agent/process/children.ts";

let witness: Witness;
beforeEach(async () => void (witness = await startWitness()));
afterEach(() => witness.close());

const ALIVE = "setInterval(() => undefined, 1000);";

/** Starts a child in its own session that ignores SIGTERM and the end of its parent. */
function startsDetached(): string {
  const child = `${witness.code} process.on("SIGTERM", () => undefined); witness("detached"); ${ALIVE}`;
  const how = `{ detached: true, stdio: "ignore" }`;
  return `require("node:child_process").spawn(process.execPath, ["-e", ${JSON.stringify(child)}], ${how}).unref();`;
}

describe.runIf(process.platform === "linux")("a child with its own session", () => {
  it("ends with a command that timed out, as the message says", async () => {
    const clock = processClock();
    const ended = runCommand({
      command: process.execPath,
      args: ["-e", `${startsDetached()} ${ALIVE}`],
      cwd: tmpdir(),
      env: process.env,
      stdin: null,
      timeoutMs: 1000,
      clock,
      signal: new AbortController().signal,
      keepBytes: 1024,
    });
    const failed = ended.then(
      () => null,
      (error: unknown) => error,
    );
    await witness.arrived("detached");
    await clock.advance(1000);
    await until(() => clock.nextAt !== null && clock.nextAt - clock.now() <= 50);
    await clock.advance(60_000);
    await witness.left("detached");
    const error = await failed;
    expect(error).toBeInstanceOf(FaultError);
    expect((error as FaultError).fault.message).toContain("ended with everything it had started");
  });

  it.each(["closed", "crashed"] as const)("ends with an MCP server that was %s", async (how) => {
    const folder = mkdtempSync(join(tmpdir(), "faultline-detached-"));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const runtime = createRuntime({});
    onTestFinished(() => runtime.close());
    const servers = new McpServers({ runtime, env: process.env, cwd: folder });
    const server = { id: "s", command: process.execPath, args: ["-e", serverSource()], env: [], url: "" };
    const connection = await servers.connection(server);
    const detached = await witness.arrived("detached");
    if (how === "crashed") await connection.protect("crash", {});
    else await servers.close();
    // Not by name: a crashed server is restarted and starts another child.
    await until(() => runningGroupOf(String(detached)) === null);
    await servers.close();
  });
});

/** A minimal MCP server. Its one tool ends it. */
function serverSource(): string {
  return `${startsDetached()}
    const answers = {
      initialize: () => ({ protocolVersion: "2025-06-18", capabilities: { tools: {} }, serverInfo: { name: "s", version: "1" } }),
      "tools/list": () => ({ tools: [{ name: "crash", inputSchema: { type: "object" } }] }),
      "tools/call": () => process.exit(3),
    };
    require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
      const { id, method } = JSON.parse(line);
      const result = answers[method]?.();
      if (result !== undefined) console.log(JSON.stringify({ jsonrpc: "2.0", id, result }));
    }).on("close", () => process.exit(0));`;
}
