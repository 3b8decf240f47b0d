// Proves that `faultline chaos` works as a process of its own: one command to start, addresses to copy, a line per request, Ctrl-C.

import { type ChildProcess, spawn } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { CHAOS_FAULTS, CHAOS_FAULT_IDS } from "../../src/chaos/faults.ts";
import type { Io } from "../../src/cli/io.ts";
import { runCli } from "../../src/cli/program.ts";
import { systemClock } from "../../src/host/clock.ts";
import { startChaos } from "../../src/testing/index.ts";

const MAIN = fileURLToPath(new URL("../../dist/cli/main.js", import.meta.url));

let folder: string;
const children: ChildProcess[] = [];
beforeEach(async () => void (folder = await mkdtemp(join(tmpdir(), "faultline-chaos-"))));
afterEach(async () => {
  for (const child of children.splice(0)) child.kill("SIGKILL");
  await rm(folder, { recursive: true, force: true });
});

interface Running {
  /** The next line that matches. */
  line(pattern: RegExp): Promise<string>;
  readonly stderr: Promise<string>;
  readonly exit: Promise<number | null>;
  kill(signal: NodeJS.Signals): void;
}

function run(...args: readonly string[]): Running {
  const child = spawn(process.execPath, [MAIN, "chaos", ...args], { cwd: folder, stdio: ["ignore", "pipe", "pipe"] });
  children.push(child);
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  const exit = new Promise<number | null>((resolve) => void child.once("close", resolve));
  return {
    async line(pattern) {
      for (;;) {
        const { done, value } = await lines.next();
        if (done === true) throw new Error(`no line like ${String(pattern)}`);
        if (pattern.test(value)) return value;
      }
    },
    stderr: text(child.stderr),
    exit,
    kill: (signal) => void child.kill(signal),
  };
}

async function post(url: string, model: string): Promise<number> {
  const body = JSON.stringify({ model, messages: [{ role: "user", content: "hi" }] });
  const headers = { authorization: "Bearer sk-live-secret-123456" };
  return (await fetch(`${url}/chat/completions`, { method: "POST", headers, body })).status;
}

describe("faultline chaos", () => {
  it("starts with one command, prints a line per request and stops on Ctrl-C", async () => {
    const chaos = run("--port", "0");
    const [, url = ""] = /OPENAI_BASE_URL=(\S+)/.exec(await chaos.line(/OPENAI_BASE_URL=/)) ?? [];
    await chaos.line(/ANTHROPIC_BASE_URL=http:\/\/127\.0\.0\.1:\d+$/);
    await chaos.line(/GOOGLE_GEMINI_BASE_URL=http:\/\/127\.0\.0\.1:\d+$/);
    expect([await post(url, "gpt-x"), await post(url, "overloaded")]).toEqual([200, 529]);
    expect(await chaos.line(/^#1/)).toMatch(/openai-chat +gpt-x +ok +json · 200 · answered/);
    expect(await chaos.line(/^#2/)).toMatch(/overloaded +overloaded +json · 529 · answered/);
    chaos.kill("SIGINT");
    expect(await chaos.exit).toBe(0);
    expect(await chaos.stderr).toBe("\nStopped after 2 requests.\n");
  });

  it("follows a scenario and a seed, and writes JSON lines without keys or bodies", async () => {
    await writeFile(join(folder, "flaky.yaml"), "rules:\n  - sequence: [rate-limit, ok]\n");
    const chaos = run("--port", "0", "--scenario", "flaky.yaml", "--seed", "7", "--json");
    const { listening } = JSON.parse(await chaos.line(/listening/)) as {
      listening: { openaiUrl: string; seed: number };
    };
    expect(listening.seed).toBe(7);
    expect([await post(listening.openaiUrl, "m"), await post(listening.openaiUrl, "m")]).toEqual([429, 200]);
    const first = await chaos.line(/"number":1,/);
    expect(JSON.parse(first)).toMatchObject({ fault: "rate-limit", chosenBy: "scenario", status: 429 });
    expect(first).not.toMatch(/secret|"body"/);
    chaos.kill("SIGTERM");
    expect(await chaos.exit).toBe(0);
  });

  it("shows a request that came to no address there is, so that a wrong base URL is noticed", async () => {
    for (const [json, shown] of [
      [[], /^-- .*no such address {2}POST \/v2\/chat\/completions {2}404/],
      [["--json"], /^\{"stray":\{"at":\d+,"method":"POST","path":"\/v2\/chat\/completions"\}\}$/],
    ] as const) {
      const chaos = run("--port", "0", ...json);
      const [url = ""] = /http:\/\/[\d.]+:\d+/.exec(await chaos.line(/listening/i)) ?? [];
      expect(await post(`${url}/v2`, "gpt-x")).toBe(404);
      await chaos.line(shown);
      chaos.kill("SIGINT");
      expect(await chaos.exit).toBe(0);
    }
  });

  it("shows a mistake in the scenario where it is, and does not start", async () => {
    const { stderr, exit } = await runHere(["--scenario", "bad.yaml"], "rules:\n  - fault: rate-limt\n");
    expect(exit).toBe("config");
    expect(stderr).toMatch(/error\[CHAOS004\][^]*bad\.yaml:2:12[^]*did you mean `rate-limit`\?/);
  });

  it("refuses a port that is none, or taken", async () => {
    const wrong = await runHere(["--port", "70000"]);
    expect(wrong).toMatchObject({ exit: "usage", stderr: expect.stringContaining("a port from 0 to 65535") as string });
    const chaos = await startChaos();
    const taken = await runHere(["--port", new URL(chaos.url).port]);
    await chaos.close();
    expect(taken.exit).toBe("failed");
    expect(taken.stderr).toMatch(/Port \d+ is in use\. .* choose another port with --port/);
  });

  it("lists every fault with its parameters", async () => {
    const rows = JSON.parse((await runHere(["--list", "--json"])).stdout) as { id: string }[];
    expect(rows.map(({ id }) => id)).toEqual(CHAOS_FAULT_IDS);
    expect((await runHere(["--list"])).stdout).toMatch(/^cut-stream +NetworkDisconnect +after=2, wait-ms=20$/m);
    const chinese = (await runHere(["--list", "--locale", "zh-CN"])).stdout;
    for (const { about } of CHAOS_FAULTS) expect(chinese).not.toContain(about.slice(0, 40));
    expect(chinese.match(/^ {4}.*\p{Script=Han}/gmu)?.length).toBeGreaterThanOrEqual(CHAOS_FAULTS.length);
  });
});

/** The command in this process, where starting another one would prove no more. */
async function runHere(args: readonly string[], file = ""): Promise<{ stdout: string; stderr: string; exit: string }> {
  const result = { stdout: "", stderr: "", exit: "ok" };
  const sink = (name: "stdout" | "stderr"): Io["stdout"] => ({
    isTTY: false,
    columns: Infinity,
    write: (written) => {
      result[name] += typeof written === "string" ? written : new TextDecoder().decode(written);
      return Promise.resolve();
    },
  });
  const unused = (): never => {
    throw new Error("this command needs no other file");
  };
  await runCli(["chaos", ...args], "0.0.0", {
    stdin: { [Symbol.asyncIterator]: unused },
    stdout: sink("stdout"),
    stderr: sink("stderr"),
    env: {},
    clock: systemClock,
    readFile: () => Promise.resolve(file),
    openFile: unused,
    fileBytes: unused,
    writeNewFile: unused,
    exit: (name) => void (result.exit = name),
  });
  return result;
}
