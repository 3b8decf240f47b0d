// `faultline drill` with small agents that deal with failures in their own ways, as real processes against the real provider. The command itself
// needs a process in one test only.

import { readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";
import { runningGroupOf } from "../../../src/agent/process/process-mark.ts";
import { agentEnv } from "../../../src/chaos/agent-env.ts";
import { DRILLS } from "../../../src/cli/drill/drills.ts";
import type { Verdict } from "../../../src/cli/drill/judge.ts";
import { type Baseline, type DrillResult, runDrills } from "../../../src/cli/drill/run-drills.ts";
import { systemClock } from "../../../src/host/clock.ts";
import { jsonOf, runCli } from "../../support/run-cli.ts";

const AGENT = fileURLToPath(new URL("../../fixtures/drilled-agent.mjs", import.meta.url));

interface Drilled {
  readonly baseline: Baseline;
  readonly results: readonly DrillResult[];
}

async function drill(
  args: readonly string[],
  ids: readonly string[],
  timeoutMs = 60_000,
  hasGateway = false,
): Promise<Drilled> {
  const results: DrillResult[] = [];
  const baseline = await runDrills({
    agentAt: (url) => ({
      command: process.execPath,
      args: [AGENT, ...args],
      cwd: tmpdir(),
      env: { ...process.env, ...agentEnv(url) },
    }),
    drills: DRILLS.filter(({ id }) => ids.includes(id)),
    hasGateway,
    timeoutMs,
    clock: systemClock,
    signal: new AbortController().signal,
    onResult: (result) => void results.push(result),
  });
  return { baseline, results };
}

/** Each agent with its faults. One run without a fault comes before them. */
const CASES: readonly (readonly [mode: string, verdicts: Readonly<Record<string, Verdict>>])[] = [
  ["sound", { "rate-limit": "survived", "invalid-key": "told", "cut-stream": "survived" }],
  ["naive", { "server-error": "crashed" }],
  ["fragile", { overloaded: "crashed" }],
  ["trusting", { "cut-stream": "wrong-answer" }],
  ["eager", { "rate-limit": "retried-too-hard", "outage": "retried-too-hard" }],
  ["spender", { "always-cut": "wasted-money" }],
];

describe("a bare agent", () => {
  it.each(CASES)("that is %s: %j", async (mode, verdicts) => {
    const { results } = await drill([mode], Object.keys(verdicts));
    expect(Object.fromEntries(results.map(({ drill: { id }, verdict }) => [id, verdict]))).toEqual(verdicts);
  });

  it("that ends or hangs leaves no process behind", async () => {
    const folder = await mkdtemp(join(tmpdir(), "faultline-drill-"));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    const pidFile = join(folder, "pid");
    const { results } = await drill(["sound", pidFile], ["hang"], 8_000);
    expect(results.map((result) => result.verdict)).toEqual(["hung"]);
    const helpers = readFileSync(pidFile, "utf8").trim().split("\n");
    expect(helpers).toHaveLength(2);
    expect(helpers.map(runningGroupOf)).toEqual([null, null]);
  });
});

describe("behind the gateway", () => {
  it("a naive agent survives what it would not survive alone", async () => {
    const ids = ["server-error", "cut-stream", "error-mid-stream", "outage", "quota"];
    const { results } = await drill(["naive"], ids, 60_000, true);
    const ends = results.map(({ drill: { id }, verdict, seen }) => [id, { verdict, exitCode: seen.exitCode }]);
    expect(Object.fromEntries(ends)).toEqual(
      Object.fromEntries(ids.map((id) => [id, { verdict: "survived", exitCode: 0 }])),
    );
  });
});

describe("the command", () => {
  const HERE = { isHere: true } as const;
  const drillOf = (mode: string, ...options: readonly string[]): ReturnType<typeof runCli> =>
    runCli(["drill", ...options, "--", process.execPath, AGENT, mode], HERE);

  it("prints a table and fails if a fault was not handled", async () => {
    const run = await drillOf("naive", "--only", "server-error", "--only", "quota");
    expect(run.exit).toBe("failed");
    expect(run.stdout).toMatch(/^fault +verdict +requests +paid +took\n/);
    expect(run.stdout).toMatch(/^server-error +crashed, exit code 1 +1 +0 +\d+\.\d s$/m);
    expect(run.stdout).toMatch(/^quota +failed cleanly, exit code 1 +1 +0 +\d+\.\d s$/m);
    expect(run.stdout).toMatch(/^1 of 2 handled\n$/m);
    const again = "faultline drill --gateway --only server-error --only quota --";
    expect(run.stderr).toContain(`Next, the same behind the gateway: ${again} `);
  });

  it("prints data, as a process", async () => {
    const run = await runCli(["--json", "drill", "--only", "outage", "--", process.execPath, AGENT, "naive"]);
    expect(run.exit).toBe("ok");
    const drills = [{ id: "outage", fault: "unavailable", lasts: true, verdict: "told", exitCode: 1, requests: 1 }];
    expect(jsonOf(run)).toMatchObject({ gateway: false, handled: 1, met: 1, drills });
  });

  it("prints Markdown with a badge, in Chinese too", async () => {
    const run = await drillOf("naive", "--locale", "zh-CN", "--markdown", "--only", "quota");
    expect(run.exit).toBe("ok");
    expect(run.stdout).toContain("img.shields.io/badge/drill-1%2F1-brightgreen");
    expect(run.stdout).toMatch(/^\| quota \| 干净地失败（退出码 1） \| 1 \| 0 \| /m);
  });

  it("replaces {url} and {prompt}", async () => {
    const script =
      "const [url, prompt] = process.argv.slice(1); fetch(url + '/v1/chat/completions', { method: 'POST', body: JSON.stringify({ messages: [{ role: 'user', content: prompt }] }) }).then((r) => r.text()).then((t) => console.log(t))";
    const run = await runCli(
      ["drill", "--only", "outage", "--", process.execPath, "-e", script, "{url}", "{prompt}"],
      HERE,
    );
    expect(run.stdout).toMatch(/^outage +wrong answer/m);
  });

  it.each([
    ["an agent that asks nobody", ["silent"], "failed", "sent no request"],
    ["an agent that fails without a fault", ["no-such-mode"], "failed", "sent no request"],
  ])("%s is not drilled", async (_what, args, exit, words) => {
    const run = await runCli(["drill", "--", process.execPath, AGENT, ...args], HERE);
    expect(run).toMatchObject({ exit, stdout: "" });
    expect(run.stderr).toContain(words);
  });

  it.each([
    ["lingering", "the agent hung: it printed the model's answer but did not end within 3 s"],
    ["silent", "sent no request"],
  ])("the scorecard says, as data too, why an agent that is %s without a fault did not pass", async (mode, words) => {
    const run = await drillOf(mode, "--json", "--timeout", "3s");
    expect(run.exit).toBe("failed");
    expect(run.stderr).toContain(words);
    expect(jsonOf(run)).toMatchObject({
      gateway: false,
      handled: 0,
      met: 0,
      drills: [],
      failed: expect.stringContaining(words) as string,
    });
  });

  it("names a command that does not exist, as data, too", async () => {
    const run = await runCli(["--json", "drill", "--", "no-such-agent-4217"], HERE);
    expect(run.exit).toBe("missing");
    expect(jsonOf(run)).toMatchObject({
      drills: [],
      failed: expect.stringContaining("could not be started") as string,
    });
  });

  it("a command that does not exist, and a drill that does not", async () => {
    expect(await runCli(["drill", "--", "no-such-agent-4217"], HERE)).toMatchObject({ exit: "missing", stdout: "" });
    const run = await drillOf("sound", "--only", "flood");
    expect(run.exit).toBe("usage");
    expect(run.stderr).toContain("There is no drill flood. There are: rate-limit, ");
  });
});
