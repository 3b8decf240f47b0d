// `faultline classify` reads its input, answers people and programs, and never shows a secret.

import { existsSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { jsonOf, runCli, runShell } from "../support/run-cli.ts";

const SECRET = "sk-abcdefghijklmnop1234";
const LEAK = `Incorrect API key provided: ${SECRET}`;

/** The `--json` output of a call. */
async function classified(args: readonly string[], stdin?: string): Promise<unknown> {
  const run = await runCli(["classify", "--json", ...args], stdin === undefined ? {} : { stdin });
  expect({ stderr: run.stderr, exit: run.exit }).toEqual({ stderr: "", exit: "ok" });
  return jsonOf(run);
}

describe("what classify reads", () => {
  it("accepts a text as argument and shows a person the code, the rule and the signals", async () => {
    const { stdout, stderr, exit } = await runCli(["classify", "stream disconnected before completion"]);
    expect({ stderr, exit }).toEqual({ stderr: "", exit: "ok" });
    expect(stdout).toMatch(/^NetworkDisconnect {2}ProviderTransient {2}retryable\n/);
    expect(stdout).toMatch(/^ {2}rule +words\/\S+ \(text\)$/m);
    expect(stdout).toMatch(/^ {2}read from +stream disconnected before completion$/m);
  });

  it.each([
    ["with -", ["-"]],
    ["when nothing else is given", []],
  ])("reads stdin %s", async (_when, args) => {
    const answer = await classified(args, "API Error: 529 Overloaded\n");
    expect(answer).toMatchObject({ fault: { code: "Overloaded", message: "API Error: 529 Overloaded" } });
  });

  it("reads status, headers and provider", async () => {
    const headers = ["--header", "Retry-After: 30", "--header", "x-request-id: 7"];
    const answer = await classified(["--status", "429", ...headers, "--provider", "openai"]);
    expect(answer).toMatchObject({ fault: { code: "RateLimited", retryable: true, retryAfterMs: 30_000 } });
  });

  it("shows a person the wait that a header asks for", async () => {
    const { stdout } = await runCli(["classify", "--status", "429", "--header", "retry-after: 30"]);
    expect(stdout).toMatch(/^ {2}asks to wait +30 s$/m);
    expect(stdout).toMatch(/^ {2}resets at +\d{4}-\d\d-\d\dT[\d:.]+Z$/m);
  });

  it.each([
    ["an exit code", ["--exit-code", "137"], "ProcessCrashed"],
    ["a signal", ["--signal", "SIGKILL"], "ProcessCrashed"],
    ["an errno", ["--errno", "ECONNRESET"], "NetworkDisconnect"],
  ])("reads %s", async (_what, args, code) => {
    expect(await classified(args)).toMatchObject({ fault: { code } });
  });

  it.each([
    ["tool", "ExecutionTimeout"],
    ["http", "NetworkTimeout"],
  ])("knows that a timeout seen at %s is %s", async (surface, code) => {
    expect(await classified(["timed out after 30s", "--surface", surface])).toMatchObject({ fault: { code } });
  });

  it("has these fields, and no others, in its JSON", async () => {
    expect(await classified(["--status", "503"])).toEqual({
      fault: {
        class: "ProviderTransient",
        code: expect.any(String) as string,
        retryable: true,
        retryAfterMs: null,
        resetAt: null,
        rule: expect.any(String) as string,
        message: "HTTP 503",
        source: "status",
        nearly: [],
      },
    });
  });

  it("answers in Chinese when asked", async () => {
    const { stdout } = await runCli(["classify", "529 Overloaded", "--locale", "zh-CN"]);
    expect(stdout).toMatch(/^ {2}规则 +words\//m);
  });
});

describe("what classify refuses", () => {
  it.each([
    ["a status that is not a number", ["--status", "abc"], /--status.*'abc'.*whole number/],
    ["an exit code that is not a number", ["--exit-code", "1.5"], /--exit-code.*whole number/],
    ["a header without a colon", ["--header", "nocolon"], /--header.*name: value/],
    ["a surface there is not", ["x", "--surface", "web"], /--surface.*http, sse/],
    ["an option there is not", ["x", "--sttus", "429"], /--sttus.*\n.*Did you mean --status\?/],
    ["two texts", ["rate", "limit"], /too many arguments/],
  ])("%s", async (_what, args, message) => {
    const { stdout, stderr, exit } = await runCli(["classify", ...args]);
    expect({ stdout, exit }).toEqual({ stdout: "", exit: "usage" });
    expect(stderr).toMatch(message);
  });

  it("an empty stdin when no text is given", async () => {
    const { stdout, stderr, exit } = await runCli(["classify"]);
    expect({ stdout, exit }).toEqual({ stdout: "", exit: "usage" });
    expect(stderr).toContain("Nothing to read");
  });

  it.each(["classify", "explain"])("an empty stdin that %s was told to read", async (command) => {
    const { stdout, stderr, exit } = await runCli([command, "-"], { stdin: "" });
    expect([stdout, exit]).toEqual(["", "usage"]);
    expect(stderr).toContain("Nothing to read");
  });

  it("but not one beside other evidence", async () => {
    const { stdout } = await runCli(["classify", "-", "--status", "529"], { stdin: "" });
    expect(stdout).toContain("Overloaded");
  });

  it.skipIf(!existsSync("/usr/bin/script"))("a terminal as stdin, instead of waiting for input", async () => {
    const { stdout, exit } = await runShell(`script -qec '"$NODE" "$MAIN" classify' /dev/null`);
    expect(exit).toBe("usage");
    expect(stdout).toContain("faultline: Nothing to read");
  });
});

describe("secrets", () => {
  it.each([
    ["for people", ["classify", LEAK]],
    ["for programs", ["classify", LEAK, "--json"]],
    ["in an explanation", ["explain", LEAK]],
    ["in an explanation for programs", ["explain", LEAK, "--json"]],
  ])("are removed %s", async (_mode, args) => {
    const { stdout, stderr, exit } = await runCli(args);
    expect(exit).toBe("ok");
    expect(stdout).toContain("AuthFailed");
    expect(stdout + stderr).not.toContain(SECRET);
  });

  it.each([[[]], [["--json"]]])("are removed from piped input %j", async (mode) => {
    const { stdout, stderr } = await runCli(["classify", "-", ...mode], {
      stdin: `${LEAK}\nAuthorization: Bearer ${SECRET}\n`,
    });
    expect(stdout).toContain("AuthFailed");
    expect(stdout + stderr).not.toContain(SECRET);
  });

  it("are removed from unusable lines", async () => {
    const lines = [
      LEAK,
      `{"id":"a","surface":"${SECRET}","input":{}}`,
      `{"surface":"cli","input":{"message":["${SECRET}"]}}`,
    ];
    const { stdout, stderr } = await runCli(["classify", "--jsonl"], { stdin: lines.join("\n") });
    expect(stdout + stderr).not.toContain(SECRET);
  });

  it.each([
    ["the quotes were forgotten", ["classify", ...LEAK.split(" ")]],
    ["the command was forgotten", [LEAK]],
    ["a header has no colon", ["classify", "--header", SECRET]],
    ["a text is taken for a code", ["policy", "simulate", LEAK]],
  ])("are removed from the message when %s", async (_mistake, args) => {
    const { stdout, stderr, exit } = await runCli(args);
    expect(exit).toBe("usage");
    expect(stdout + stderr).not.toContain(SECRET);
  });
});
