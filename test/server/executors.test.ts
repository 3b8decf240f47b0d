// The loops in examples/executors, run as real processes against a real server and a flaky tool: Python with requests, bash with curl
// and jq.

import { execFile, spawnSync } from "node:child_process";
import { createServer } from "node:http";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";
import { openJournal } from "../../src/index.ts";
import { type ServerWorld, startWorld } from "./world.ts";

const EXAMPLES = fileURLToPath(new URL("../../examples/executors", import.meta.url));
const HAS_PYTHON = spawnSync("python3", ["-c", "import requests"]).status === 0;
const HAS_BASH = spawnSync("bash", ["-c", "command -v curl jq"]).status === 0;

interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

function run(world: ServerWorld, program: string, args: readonly string[], env: object = {}): Promise<Ended> {
  return new Promise((resolve) => {
    const settings = {
      env: { ...process.env, FAULTLINE_URL: world.url, FAULTLINE_TOKEN: world.tokens.operator, ...env },
    };
    const child = execFile(program, args, settings, (_error, stdout, stderr) =>
      resolve({ code: child.exitCode ?? -1, stdout, stderr }),
    );
  });
}

/** A tool over HTTP that answers with these statuses in turn, and then with 200. */
async function flaky(...statuses: readonly number[]): Promise<{ readonly url: string; readonly calls: () => number }> {
  let calls = 0;
  const server = createServer((_request, response) => {
    const status = statuses[calls++] ?? 200;
    response.writeHead(status, { "content-type": "application/json" });
    response.end(JSON.stringify(status === 200 ? { found: 42 } : { error: "down for now" }));
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, calls: () => calls };
}

/** The types of everything in the journal, oldest first. */
async function written({ journalFile }: ServerWorld): Promise<readonly string[]> {
  const journal = await openJournal(journalFile, { readOnly: true });
  onTestFinished(() => journal.close());
  return (await journal.readFrom(0, { limit: 1_000 })).map(({ entry }) => entry.event.type);
}

describe.runIf(HAS_PYTHON)("the loop in Python", () => {
  const loop = join(EXAMPLES, "retry_loop.py");

  it("retries a tool that comes back, and the journal tells the whole call", async () => {
    const world = await startWorld();
    const tool = await flaky(503, 503);
    const { code, stdout, stderr } = await run(world, "python3", [loop, tool.url]);
    expect([code, stdout.trim(), stderr.match(/Try again/g)?.length]).toEqual([0, '{"found":42}', 2]);
    expect(tool.calls()).toBe(3);
    const attempt = ["call-admitted", "call-failed"];
    expect(await written(world)).toEqual([
      ...["session-started", "call-started", ...attempt, ...attempt],
      ...["call-admitted", "call-succeeded", "session-ended"],
    ]);
  });

  it("uses the alternative that the server names", async () => {
    const world = await startWorld();
    const [down, other] = [await flaky(401), await flaky()];
    const { code, stdout } = await run(world, "python3", [loop, down.url, other.url]);
    expect([code, stdout.trim(), down.calls(), other.calls()]).toEqual([0, '{"found":42}', 1, 1]);
  });

  it("stops where the server says stop, with its words", async () => {
    const world = await startWorld();
    const tool = await flaky(404, 404, 404);
    const { code, stderr } = await run(world, "python3", [loop, tool.url]);
    expect([code, tool.calls()]).toEqual([1, 1]);
    expect(stderr).not.toContain("Traceback");
  });

  it("says what to do when its token is wrong", async () => {
    const world = await startWorld();
    const tool = await flaky(503);
    const { code, stderr } = await run(world, "python3", [loop, tool.url], { FAULTLINE_TOKEN: "flt_wrong" });
    expect([code, stderr.includes("The token is not valid")]).toEqual([1, true]);
  });
});

describe.runIf(HAS_BASH)("the loop in bash", () => {
  const loop = join(EXAMPLES, "retry_loop.sh");

  /** A command that fails a number of times before it works. */
  function command(fails: number, text: string, exitCode = 1): string {
    const folder = mkdtempSync(join(tmpdir(), "faultline-executor-"));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const file = join(folder, "tool.sh");
    const count = join(folder, "count");
    writeFileSync(
      file,
      `#!/usr/bin/env bash\nn=$(cat ${count} 2>/dev/null || echo 0)\necho $((n + 1)) > ${count}\n` +
        `if [ $n -lt ${fails} ]; then echo "${text}" >&2; exit ${exitCode}; fi\necho done after $n failures\n`,
    );
    chmodSync(file, 0o755);
    return file;
  }

  it("retries a command that loses its connection", async () => {
    const world = await startWorld();
    const { code, stdout, stderr } = await run(world, loop, ["deploy", command(2, "Connection reset by peer")], {
      FAULTLINE_IDEMPOTENT: "true",
    });
    expect([code, stdout.trim(), stderr.match(/Try again/g)?.length]).toEqual([0, "done after 2 failures", 2]);
  });

  it("does not run a command again that may have done its work", async () => {
    const world = await startWorld();
    const { code, stdout } = await run(world, loop, ["pay", command(2, "Connection reset by peer")]);
    expect([code, stdout]).toEqual([1, ""]);
  });
});
