// `faultline run`: real commands, real exit codes, and fake agent CLIs that replay recorded output. Faultline itself gets a process of its own
// where the test is about signals, about a reader that is slow, or about streams that the command inherits.

import { spawn, spawnSync } from "node:child_process";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { cliWith } from "../../src/cli/cli.ts";
import type { Io } from "../../src/cli/io.ts";
import { NO_STDIN } from "../../src/cli/read-input.ts";
import { callAgain } from "../../src/cli/run/run-options.ts";
import { RunStory } from "../../src/cli/run/run-story.ts";
import { kindOf, targetsOf } from "../../src/cli/run/run-targets.ts";
import { splitCommand } from "../../src/cli/run/run-targets.ts";
import { decide, fault, PRESETS, situation } from "../../src/core/index.ts";
import { createFakeClock } from "../../src/testing/fake-clock.ts";
import { replayedClis } from "../agent/run/replayed-clis.ts";
import { newPath } from "../runtime/session/life.ts";
import { jsonOf, type Run, runCli } from "../support/run-cli.ts";

/** The default policy with very short waits. */
const HASTY = `version: 1
rows:
  - match: { code: [RateLimited, Overloaded, Provider5xx] }
    retry: { maxAttempts: 3, backoff: { kind: fixed, initialMs: 1 }, jitter: 0 }
    then: [fallback, surface, fail]
  - match: { class: Crash }
    retry: { maxAttempts: 2, backoff: { kind: fixed, initialMs: 1 }, jitter: 0 }
    then: [fallback, surface, fail]
`;
const EVENTS = ["-p", "hi", "--verbose", "--output-format", "stream-json"];
const SECRET = "sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789AA";

function run(args: readonly string[], env: Readonly<Record<string, string>> = {}, stdin?: string): Promise<Run> {
  // Its streams are inherited there.
  const asProcess = args.includes("--passthrough");
  return runCli(["run", ...args], {
    ...{ files: { "hasty.yaml": HASTY }, env, asProcess },
    ...(stdin === undefined ? {} : { stdin }),
  });
}

/** With agent CLIs on the PATH that replay these recordings. */
function withClis(recordings: Parameters<typeof replayedClis>[0]) {
  const { target, runs } = replayedClis(recordings);
  const env = { PATH: target("claude").env["PATH"] ?? "" };
  return { runs, run: (args: readonly string[]) => run(args, env) };
}

const lastLineOf = ({ stderr }: Run): string => stderr.trimEnd().split("\n").at(-1) ?? "";

describe("a successful command", () => {
  it("has its output passed on unchanged", async () => {
    const got = await run(["--", "sh", "-c", "echo out; echo ' $1' '--json'; echo err >&2"]);
    expect(got).toEqual({ stdout: "out\n $1 --json\n", stderr: "err\n", exit: "ok" });
  });

  it("may print nothing at all", async () => {
    expect(await run(["--", "true"])).toEqual({ stdout: "", stderr: "", exit: "ok" });
  });

  it("gets its arguments unchanged, including options and a second --", async () => {
    const { stdout } = await run(["--", "printf", "%s|", "--", "--retry", "a b", "--json", ""]);
    expect(stdout).toBe("--|--retry|a b|--json||");
  });

  it("may print faster than the reader reads, and loses nothing", async () => {
    const { stdout, stderr, exit } = await runCli(["run", "--", "seq", "1", "300000"], { asProcess: true });
    expect({ stderr, exit }).toEqual({ stderr: "", exit: "ok" });
    expect(stdout).toBe(Array.from({ length: 300_000 }, (_, index) => `${index + 1}\n`).join(""));
  });

  it("gets stdin only on request", async () => {
    expect((await run(["--", "cat"], {}, "hello\n")).stdout).toBe("");
    expect((await run(["--stdin", "--", "cat"], {}, "hello\n")).stdout).toBe("hello\n");
  });

  it("is one JSON document with --json, with its output as the answer", async () => {
    const got = await run(["--json", "--", "sh", "-c", "echo out; echo err >&2"]);
    expect(jsonOf(got)).toEqual({
      outcome: "done",
      answer: "out",
      answerProblems: [],
      code: null,
      message: null,
      attempts: 1,
      target: "sh",
      exitCode: 0,
      signal: null,
      durationMs: expect.any(Number) as number,
      sessionId: null,
      correlationId: null,
      next: null,
    });
    expect(got.stderr).toBe("");
  });
});

describe("an agent CLI that fails", () => {
  it("is retried when it has used no tool, and only the successful attempt is on stdout", async () => {
    const { run: start, runs } = withClis({ claude: ["claude-529-stream", "claude-ok-stream"] });
    const got = await start(["--policy", "hasty.yaml", "--", "claude", ...EVENTS]);
    expect(got.exit).toBe("ok");
    expect(runs()).toMatchObject([{ args: EVENTS }, { args: EVENTS }]);
    expect(got.stderr).toMatch(/claude failed \(attempt 1, Overloaded\): .*529/);
    expect(got.stderr).toContain("Try again in 1 ms (attempt 2 of 3).");
    expect(got.stderr).toContain("claude, attempt 2 starts.\n");
    expect(lastLineOf(got)).toBe("faultline: claude worked after 2 attempts.");
    // The first attempt's lines are not on stdout: a script that captures it gets one answer.
    expect(got.stdout.match(/"subtype":"init"/g)).toHaveLength(1);
    expect(got.stdout.trimEnd().split("\n").at(-1)).toContain('"subtype":"success"');
  });

  it("is tried as often as --retry says", async () => {
    const { run: start, runs } = withClis({ claude: ["claude-529-stream"] });
    const got = await start(["--policy", "hasty.yaml", "--retry", "2", "--", "claude", ...EVENTS]);
    expect(got.exit).toBe("failed");
    expect(got.stderr).toContain("(attempt 2 of 2)");
    expect(runs()).toHaveLength(2);
    expect(lastLineOf(got)).toContain("Next: faultline explain Overloaded");
  });

  it("is not retried in text mode, where its tool use is invisible, unless it is idempotent", async () => {
    const { run: start, runs } = withClis({ claude: ["claude-500-text", "claude-500-text", "claude-ok-text"] });
    const once = await start(["--policy", "hasty.yaml", "--", "claude", "-p", "hi"]);
    expect(once.exit).toBe("failed");
    expect(runs()).toHaveLength(1);
    expect(lastLineOf(once)).toContain("Next: faultline run --idempotent --policy hasty.yaml -- claude -p hi");
    const twice = await start(["--policy", "hasty.yaml", "--idempotent", "--", "claude", "-p", "hi"]);
    expect(twice.exit).toBe("ok");
    expect(runs()).toHaveLength(3);
  });

  it("says how to log in", async () => {
    const { run: start } = withClis({ claude: ["claude-noauth-stream"] });
    const got = await start(["--", "claude", ...EVENTS]);
    expect(got.exit).toBe("failed");
    expect(lastLineOf(got)).toMatch(/AuthFailed.*Next: run `claude` and then \/login/);
  });

  it("says how to install a missing CLI", async () => {
    const { run: start } = withClis({});
    const got = await start(["--", "codex", "exec", "hi"]);
    expect({ stdout: got.stdout, exit: got.exit }).toEqual({ stdout: "", exit: "missing" });
    expect(lastLineOf(got)).toMatch(/BinaryMissing.*Next: npm install -g @openai\/codex$/);
  });

  it("falls back to the next command, which gets its own arguments", async () => {
    const { run: start, runs } = withClis({ claude: ["claude-529-stream"], codex: ["codex-ok-json"] });
    const got = await start(["--fallback", `codex exec --json "say 'hi'" ''`, "--", "claude", ...EVENTS]);
    expect(got.exit).toBe("ok");
    expect(runs().map(({ kind, args }) => [kind, args])).toEqual([
      ["claude", EVENTS],
      ["codex", ["exec", "--json", "say 'hi'", ""]],
    ]);
    expect(got.stderr).toContain("Fall back to codex.");
    expect(lastLineOf(got)).toBe("faultline: codex worked after 2 attempts.");
  });
});

describe("a command without `--` in front of it", () => {
  it("is refused with the line to type", async () => {
    const got = await run(["--retry", "3", "claude", "-p", "say hi"]);
    expect(got.exit).toBe("usage");
    expect(got.stderr).toContain("Put the command behind `--`: faultline run --retry 3 -- claude -p 'say hi'\n");
  });
});

describe("any other command that fails", () => {
  it("prints the output of its last attempt only", async () => {
    const count = newPath();
    const script = `echo x >> ${count}; echo "attempt $(wc -l < ${count})"; [ $(wc -l < ${count}) -ge %N% ]`;
    const args = (attempts: number): readonly string[] => [
      ...["--policy", "hasty.yaml", "--idempotent", "--retry", "2"],
      ...["--", "sh", "-c", script.replace("%N%", String(attempts))],
    ];
    expect(await run(args(2))).toMatchObject({ stdout: "attempt 2\n", exit: "ok" });
    expect(await run(args(9))).toMatchObject({ stdout: "attempt 4\n", exit: "failed" });
  });

  it("gets no advice to run again when that cannot help", async () => {
    const got = await run(["--", "sh", "-c", "echo 'prompt is too long: 213000 tokens > 200000 maximum' >&2; exit 1"]);
    expect(got.stderr).not.toContain("--idempotent");
    expect(lastLineOf(got)).toMatch(/ContextOverflow.*Next: faultline explain ContextOverflow$/);
  });

  it("says when --retry has no effect", async () => {
    const note = "--retry has no effect without --idempotent";
    expect((await run(["--retry", "3", "--", "true"])).stderr).toContain(note);
    expect((await run(["--retry", "3", "--idempotent", "--", "true"])).stderr).not.toContain(note);
  });

  it("is not repeated, even after a transient message, because it may have done something", async () => {
    const line = ["sh", "-c", "echo '429 rate limit exceeded' >&2; exit 1"];
    const got = await run(["--policy", "hasty.yaml", "--retry", "3", "--", ...line]);
    expect(got.exit).toBe("failed");
    expect(got.stderr.match(/failed \(attempt/g)).toHaveLength(1);
    expect(got.stderr).toContain(
      "Not retried: it may have had an effect. If running it again does no harm, pass --idempotent",
    );
    expect(lastLineOf(got)).toContain("Next: faultline run --idempotent --retry 3 --policy hasty.yaml -- sh -c ");
  });

  it("is repeated with --retry and --idempotent, even if it does not say why it failed", async () => {
    const count = newPath();
    const script = `echo x >> ${count}; [ $(wc -l < ${count}) -ge 4 ]`;
    const got = await run(["--policy", "hasty.yaml", "--idempotent", "--retry", "4", "--", "sh", "-c", script]);
    expect(got.exit).toBe("ok");
    expect(readFileSync(count, "utf8")).toBe("x\n".repeat(4));
  });

  it("ends with one of our exit codes, or with its own", async () => {
    expect((await run(["--", "sh", "-c", "exit 42"])).exit).toBe("failed");
    expect((await run(["--passthrough", "--", "sh", "-c", "exit 42"])).exit).toBe("unknown code 42");
    expect((await run(["--passthrough", "--", "sh", "-c", "exit 3"])).exit).toBe("config");
  });

  it("that was ended by a signal names the signal", async () => {
    const got = await run(["--json", "--", "sh", "-c", "kill -9 $$"]);
    expect(got.exit).toBe("failed");
    expect(jsonOf(got)).toMatchObject({
      outcome: "surfaced",
      code: "ProcessCrashed",
      exitCode: null,
      signal: "SIGKILL",
    });
    expect((await run(["--passthrough", "--", "sh", "-c", "kill -9 $$"])).exit).toBe("unknown code 137");
  });

  it("that does not exist is looked up once", async () => {
    const got = await run(["--passthrough", "--retry", "5", "--idempotent", "--", "no-such-program"]);
    expect(got.exit).toBe("missing");
    expect(lastLineOf(got)).toContain("Next: check the name and the PATH: command -v no-such-program");
    expect(got.stderr.match(/failed \(attempt/g)).toHaveLength(1);
  });

  it("that takes too long is stopped and not repeated", async () => {
    const got = await run(["--timeout", "200ms", "--", "sleep", "600"]);
    expect(got.exit).toBe("timeout");
    expect(lastLineOf(got)).toMatch(/ExecutionTimeout.*Next: faultline run --timeout 2s -- sleep 600$/);
    expect(got.stderr).not.toContain("--idempotent");
  });

  it.each([
    [["--timeout", "200ms", "--", "sleep", "600"], "--timeout 2s -- sleep 600"],
    [["--idle", "300ms", "--idempotent", "--", "sleep", "600"], "--idempotent --idle 3s -- sleep 600"],
  ])("that takes too long is suggested with a longer limit: %j", async (args, again) => {
    const got = await run(["--policy", "hasty.yaml", ...args]);
    expect(lastLineOf(got)).toContain(`Next: faultline run ${again.replace(" -- ", " --policy hasty.yaml -- ")}`);
  });

  it.each([
    [
      "en",
      ["false"],
      "false failed (attempt 1, ProcessCrashed): the command ended with exit code 1 and did not say why.",
    ],
    ["en", ["sh", "-c", "exit 3"], "sh failed (attempt 1, ProcessCrashed): the command ended with exit code 3"],
    ["en", ["no-such-program"], 'There is no command "no-such-program" on the PATH.'],
    ["zh-CN", ["false"], "false 失败（第 1 次，ProcessCrashed）："],
    ["zh-CN", ["no-such-program"], "PATH 中没有命令“no-such-program”"],
  ])("prints a failure once, in %s: %j", async (locale, command, sentence) => {
    const got = await run(["--locale", locale, "--", ...command]);
    expect(got.stderr.split(sentence)).toHaveLength(2);
    expect(got.stderr.split("\n")).toHaveLength(2);
  });

  it("that takes too long falls back, if it is idempotent", async () => {
    const got = await run(["--idempotent", "--timeout", "200ms", "--fallback", "echo instead", "--", "sleep", "600"]);
    expect({ stdout: got.stdout, exit: got.exit }).toEqual({ stdout: "instead\n", exit: "ok" });
  });

  it("that falls silent is stopped with --idle", async () => {
    const got = await run(["--idle", "200ms", "--", "sh", "-c", "echo hello; exec sleep 600"]);
    expect({ stdout: got.stdout, exit: got.exit }).toEqual({ stdout: "hello\n", exit: "timeout" });
  });

  it.each([
    { command: "/no/such/program", says: 'There is no file "/no/such/program".' },
    { command: import.meta.dirname, says: `"${import.meta.dirname}" exists but cannot be run.` },
    { command: import.meta.filename, says: `"${import.meta.filename}" exists but cannot be run.` },
  ])("says whether a path that cannot be run exists: $says", async ({ command, says }) => {
    const got = await run(["--", command]);
    expect(got.exit).toBe("missing");
    expect(lastLineOf(got)).toContain(says);
  });

  it("speaks Chinese", async () => {
    const got = await run(["--locale", "zh-CN", "--", "no-such-program"]);
    expect(lastLineOf(got)).toMatch(/^faultline: no-such-program 失败（第 1 次，BinaryMissing）：.*下一步：检查名称/);
  });
});

describe("a cancelled run", () => {
  it.each(["SIGINT", "SIGTERM"] as const)("by %s ends the command's whole process group", async (signal) => {
    const main = fileURLToPath(new URL("../../dist/cli/main.js", import.meta.url));
    // Ignores SIGTERM, has a child, and prints both process ids.
    const script = `trap "" TERM; sleep 600 & echo $$ $!; wait`;
    const child = spawn(process.execPath, [main, "run", "--", "sh", "-c", script], {
      stdio: ["ignore", "pipe", "pipe"],
    });
    const stderr = text(child.stderr);
    const [line] = (await new Promise<Buffer[]>((resolve) =>
      child.stdout.once("data", (...said) => resolve(said)),
    )) as [Buffer];
    const closed = new Promise<number | null>((resolve) => child.once("close", resolve));
    child.kill(signal);
    expect(await closed).toBe(130);
    expect(await stderr).toBe("faultline: cancelled; the command was stopped.\n");
    const ids = String(line).trim().split(" ").map(Number);
    expect(ids).toHaveLength(2);
    expect(ids.filter(isRunning)).toEqual([]);
  });
});

describe("with a journal", () => {
  it("the run can be inspected afterwards", async () => {
    const file = newPath();
    const { run: start } = withClis({ claude: ["claude-529-stream", "claude-ok-stream"] });
    const args = ["--policy", "hasty.yaml", "--journal", file, "--session", "s1", "--", "claude", ...EVENTS];
    const got = await start(args);
    expect(got.exit).toBe("ok");
    expect(got.stderr).toContain(`faultline: session s1 in ${file}\n`);
    const { stdout } = await runCli(["journal", "show", file, "s1"]);
    expect(stdout).toContain("session s1  done");
    expect(stdout).toContain("headless · command=claude -p hi --verbose --output-format stream-json");
    expect(stdout).toMatch(/✗ claude {2}Overloaded {2}attempt 1/);
    expect(stdout).toMatch(/✓ claude {2}succeeded {2}attempt 2/);
  });

  it("the output of a command that failed for good is kept beside it", async () => {
    const file = newPath();
    const got = await run(["--journal", file, "--session", "s1", "--", "sh", "-c", "echo half; echo no >&2; exit 1"]);
    expect(lastLineOf(got)).toContain(`Next: faultline journal show ${file} s1`);
    const page = filesUnder(`${file}.artefacts`).find((name) => name.endsWith("attempt-1_raw.md")) ?? "";
    expect(readFileSync(page, "utf8")).toMatch(/exit code 1[^]*half[^]*no/);
    expect((await runCli(["journal", "show", file, "s1"])).stdout).toContain("session s1  failed");
  });

  it.each([
    ["works", `echo ${SECRET}; echo ${SECRET} >&2`, "ok"],
    ["fails", `echo ${SECRET}; echo "no such key: ${SECRET}" >&2; exit 1`, "failed"],
  ])("no secret that a command prints is kept when it %s", async (_how, script, exit) => {
    const file = newPath();
    const got = await run(["--journal", file, "--", "sh", "-c", script]);
    expect(got.exit).toBe(exit);
    expect(got.stdout).toBe(`${SECRET}\n`);
    const ours = got.stderr.split("\n").filter((line) => line.startsWith("faultline:"));
    expect(ours.join("\n")).not.toContain(SECRET);
    const kept = filesUnder(dirname(file)).map((name) => readFileSync(name, "latin1"));
    expect(kept.length).toBeGreaterThan(0);
    expect(kept.join("\n")).not.toContain("abcdefghijklmnopqrstuvwxyz0123456789");
  });

  it("the values of secret variables are kept nowhere, whatever they look like", async () => {
    const names = ["DB_PASSWORD", "STRIPE_SECRET_KEY", "OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GITHUB_TOKEN"];
    const values = ["First", "Second", "Third", "Fourth", "Fifth"].map((which) => `underThe${which}Stone`);
    const file = newPath();
    const script = `echo refused: ${values.join(" ")} >&2; exit 1`;
    const env = Object.fromEntries(names.map((name, index) => [name, values[index] ?? ""]));
    const got = await run(["--journal", file, "--json", "--", "sh", "-c", script], env);
    expect(got.exit).toBe("failed");
    const ours = got.stderr.split("\n").filter((line) => line.startsWith("faultline:"));
    const kept = filesUnder(dirname(file)).map((path) => readFileSync(path, "latin1"));
    expect(kept.length).toBeGreaterThan(0);
    for (const value of values) expect([got.stdout, ...ours, ...kept].join("\n")).not.toContain(value);
  });

  it("a run that waits for a person says what to do, and continues in the same session", async () => {
    const file = newPath();
    const missing = withClis({});
    const waits = await missing.run(["--journal", file, "--session", "s1", "--", "claude", ...EVENTS]);
    expect(waits.exit).toBe("waiting");
    const [, answer = "", again = ""] = lastLineOf(waits).split(", then: ");
    expect(waits.stderr.match(/BinaryMissing/g)).toHaveLength(1);
    expect(lastLineOf(waits)).toContain(
      "Next: npm install -g @anthropic-ai/claude-code, then: faultline journal answer",
    );
    expect(again).toBe(`faultline run --journal ${file} --session s1 -- claude ${EVENTS.join(" ")}`);
    expect((await runCli(answer.split(" ").slice(1))).exit).toBe("ok");
    const installed = withClis({ claude: ["claude-ok-stream"] });
    const done = await installed.run(again.split(" ").slice(2));
    expect(done.exit).toBe("ok");
    expect(installed.runs()).toHaveLength(1);
  });
});

describe("a wrong call of run", () => {
  it.each([
    ["without a command", ["--"], /missing required argument 'command'/],
    ["with an empty command", ["--", ""], /name a program/],
    ["with an attempt too few", ["--retry", "0", "--", "true"], /from 1 to 1000/],
    ["with a time without a unit", ["--timeout", "30", "--", "true"], /500ms, 90s, 15m, 2h/],
    ["with a fallback that has no end", ["--fallback", "echo 'a", "--", "true"], /character 6 has no end/],
    ["with a fallback that is empty", ["--fallback", " ", "--", "true"], /name a program/],
    ["with a session and no journal", ["--session", "s1", "--", "true"], /--journal <file>/],
    ["with an unknown kind", ["--as", "emacs", "--", "true"], /Allowed choices are claude/],
  ])("%s is refused with a reason", async (_what, args, reason) => {
    const { stdout, stderr, exit } = await run(args);
    expect({ stdout, exit }).toEqual({ stdout: "", exit: "usage" });
    expect(stderr).toMatch(reason);
  });

  it("with an invalid policy is refused before anything runs", async () => {
    const got = await runCli(["run", "--policy", "bad.yaml", "--", "echo", "hi"], {
      files: { "bad.yaml": "rows: 1\n" },
    });
    expect(got).toMatchObject({ stdout: "", exit: "config" });
  });
});

describe("the kind of a command", () => {
  it.each([
    ["claude", "claude"],
    ["/opt/bin/codex", "codex"],
    ["C:\\tools\\gemini.cmd", "gemini"],
    ["claude-wrapper", "generic"],
    ["generic", "generic"],
  ])("%s is read as %s", (command, kind) => {
    expect(kindOf(command)).toBe(kind);
  });

  it("hides its tools unless its arguments make it print events", () => {
    const hides = (...words: readonly string[]): boolean => targetsOf(words, { fallback: [] }, null)[0].hidesTools;
    expect(hides("claude", "-p", "x")).toBe(true);
    expect(hides("claude", "-p", "x", "--output-format=stream-json")).toBe(false);
    expect(hides("codex", "exec", "--json", "x")).toBe(false);
    expect(hides("make", "--json", "stream-json")).toBe(true);
  });

  it("two with one name are distinguished", () => {
    const targets = targetsOf(["sh", "a"], { fallback: ["sh b", "/bin/sh c"] }, null);
    expect(targets.map(({ id }) => id)).toEqual(["sh", "sh-2", "sh-3"]);
  });
});

describe("a command line", () => {
  it.each([
    ["a b  c", ["a", "b", "c"]],
    [`a 'b c' "d e"`, ["a", "b c", "d e"]],
    [`a="b c"d`, ["a=b cd"]],
    [String.raw`"a \"b\" \\ \n" c\ d`, [String.raw`a "b" \ \n`, "c d"]],
    [`'' ""`, ["", ""]],
    ["$HOME *.ts", ["$HOME", "*.ts"]],
    ["  ", []],
  ])("%s", (line, words) => {
    expect(splitCommand(line)).toEqual(words);
  });

  it("is the same again when it is typed as printed", () => {
    const words = ["echo", "it's", "a b", "", "$x", '"', "--"];
    const again = callAgain(words, { fallback: [] }, { session: null });
    expect(splitCommand(again)).toEqual(["faultline", "run", "--", ...words]);
  });
});

describe("on a terminal", () => {
  it("the wait is counted down on one line, which disappears when the next attempt starts", async () => {
    const clock = createFakeClock();
    const { io, written } = fakeTerminal(clock);
    const story = new RunStory(cliWith({ locale: "en", color: "never" }, io), true);
    story.onEvent({ type: "attempt", target: "claude", attempt: 1 });
    const busy = fault("Overloaded", { message: "529", retryAfterMs: 3_000 });
    const decision = decide(situation(busy, { now: clock.now() }), PRESETS.default);
    const event = { type: "call-failed", call: "c1", tool: "claude", attempt: 1, fault: busy, decision } as const;
    const entry = { session: "", seq: 1, at: 0, event: { ...event, breaker: "closed", durationMs: 1, cost: null } };
    story.onEntry(entry as Parameters<RunStory["onEntry"]>[0]);
    await clock.advance(2_000);
    story.onEvent({ type: "attempt", target: "claude", attempt: 2 });
    await story.end();
    const shown = written().split("\r\u001b[K");
    expect(shown[0]).toContain("Try again in 3 s");
    expect(shown.slice(1, 4)).toEqual(["attempt 2 of 3 in 3 s", "attempt 2 of 3 in 2 s", "attempt 2 of 3 in 1 s"]);
    expect(shown[4]).toBe("faultline: claude, attempt 2 starts.\n");
    expect(clock.pending).toBe(0);
  });
});

/** An ended process may be listed until its parent collects it. */
function isRunning(id: number): boolean {
  const { stdout } = spawnSync("ps", ["-o", "stat=", "-p", String(id)], { encoding: "utf8" });
  return /^\s*[^Z\s]/.test(stdout);
}

function filesUnder(folder: string): readonly string[] {
  return (readdirSync(folder, { recursive: true }) as string[])
    .map((name) => join(folder, name))
    .filter((name) => statSync(name).isFile());
}

function fakeTerminal(clock: Io["clock"]): { readonly io: Io; readonly written: () => string } {
  let text = "";
  const sink: Io["stderr"] = {
    isTTY: true,
    columns: 80,
    write: (piece) => {
      text += Buffer.from(piece as string).toString();
      return Promise.resolve();
    },
  };
  const none = (): never => {
    throw new Error("not for this test");
  };
  const files = { readFile: none, openFile: none, fileBytes: none, writeNewFile: none };
  return {
    io: { stdin: NO_STDIN, stdout: sink, stderr: sink, env: {}, clock, ...files, exit: none },
    written: () => text,
  };
}
