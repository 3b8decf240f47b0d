// Retries have one owner. A CLI that tries again by itself is watched: it is ended when no retry cures what it met, or when another
// target can be asked; without another target it continues. Each CLI here is a process that announces retries as the real one does,
// and stays until it is ended.

import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { createParser } from "../../../src/agent/parse/create-parser.ts";
import type { AgentKind } from "../../../src/agent/parse/agent-state.ts";
import { AGENT_CLIS } from "../../../src/agent/verdict/cli-table.ts";
import { whyStopRetrying } from "../../../src/agent/verdict/stop-early.ts";
import { DEFAULT_POLICY, FAULT_CODES, fault, type PolicyRow, traitsOf } from "../../../src/core/index.ts";
import { systemClock } from "../../../src/host/clock.ts";
import { type AgentRunEvent, cli, type CliTarget, createFaultline } from "../../../src/index.ts";
import type { AgentExit } from "../../../src/agent/run/agent-request.ts";

type Talking = "claude" | "codex" | "gemini" | "qwen";

interface Announced {
  readonly stream: "stdout" | "stderr";
  readonly retry: (attempt: number) => string;
}

const json = (value: unknown): string => JSON.stringify(value);
const claudeRetry = (status: number, error: string) => (attempt: number) =>
  json({
    type: "system",
    subtype: "api_retry",
    attempt,
    max_retries: 10,
    retry_delay_ms: 500,
    error_status: status,
    error,
  });
const codexRetry = (cause: string) => (attempt: number) =>
  json({ type: "error", message: `Reconnecting... ${attempt}/5 (unexpected status ${cause})` });

/** How each CLI that tells of its retries announces one: of an overload, and of a key that is not accepted. */
const SAYS: Readonly<Record<Talking, { readonly busy: Announced; readonly refused: Announced }>> = {
  claude: {
    busy: { stream: "stdout", retry: claudeRetry(529, "overloaded") },
    refused: { stream: "stdout", retry: claudeRetry(401, "authentication_failed") },
  },
  codex: {
    busy: { stream: "stdout", retry: codexRetry("503 Service Unavailable: overloaded") },
    refused: { stream: "stdout", retry: codexRetry("401 Unauthorized: Incorrect API key provided") },
  },
  gemini: {
    busy: {
      stream: "stderr",
      retry: (attempt) =>
        `Attempt ${attempt} failed with status 503. Retrying with backoff... _ApiError: {"error":{"code":503,"message":"The model is overloaded.","status":"UNAVAILABLE"}}`,
    },
    refused: {
      stream: "stderr",
      retry: (attempt) =>
        `Attempt ${attempt} failed with status 401. Retrying with backoff... _ApiError: {"error":{"code":401,"message":"Request had invalid authentication credentials.","status":"UNAUTHENTICATED"}}`,
    },
  },
  qwen: {
    busy: {
      stream: "stderr",
      retry: (attempt) =>
        `Retrying in 60s (attempt ${attempt}/10): [API Error: 503 The engine is currently overloaded]`,
    },
    refused: {
      stream: "stderr",
      retry: (attempt) => `Retrying in 60s (attempt ${attempt}/10): [API Error: 401 Incorrect API key provided]`,
    },
  },
};
const TALKING = Object.keys(SAYS) as readonly Talking[];

const ANSWER = json({ type: "result", subtype: "success", is_error: false, result: "well", session_id: "s" });
const TOOL = json({
  type: "assistant",
  message: { id: "m", content: [{ type: "tool_use", id: "t", name: "Bash", input: {} }] },
});
const TOOL_DONE = json({ type: "user", message: { content: [{ type: "tool_result", tool_use_id: "t" }] } });

interface Program {
  readonly lines: readonly (readonly ["stdout" | "stderr", string])[];
  /** Ends by itself after its lines; otherwise it stays until it is ended. */
  readonly exitCode?: number;
  /** … or this long after them. */
  readonly lingersMs?: number;
}

function installed(
  kind: AgentKind,
  name: string,
  { lines, exitCode, lingersMs = 0 }: Program,
): CliTarget & { env: object } {
  const folder = mkdtempSync(join(tmpdir(), "faultline-owner-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const stream of ["stderr", "stdout"]) {
    const said = lines.filter(([where]) => where === stream).map(([, line]) => `${line}\n`);
    writeFileSync(join(folder, stream), said.join(""));
  }
  // A shell starts in a fraction of the time that Node needs. Each stream comes in one piece, so that it does not depend on who is quicker.
  const end = exitCode === undefined ? "exec sleep 600" : `sleep ${lingersMs / 1_000}; exit ${exitCode}`;
  const program = `#!/bin/sh\ncd "${folder}"\nenv >> env\ncat stderr >&2\ncat stdout\n${end}\n`;
  writeFileSync(join(folder, name), program);
  chmodSync(join(folder, name), 0o755);
  return cli(kind, { id: name, command: name, env: { PATH: `${folder}${delimiter}/bin${delimiter}/usr/bin` } });
}

const retries = ({ stream, retry }: Announced, count: number): Program["lines"] =>
  Array.from({ length: count }, (_, index) => [stream, retry(index + 1)] as const);

const working = (): CliTarget => installed("claude", "backup", { lines: [["stdout", ANSWER]], exitCode: 0 });
const runtime = (): ReturnType<typeof createFaultline> => createFaultline({ clock: systemClock });

describe.each(TALKING)("%s that tries again by itself", (kind) => {
  const { busy, refused } = SAYS[kind];
  // Qwen announces a minute.
  const waitsLong = kind === "qwen";

  it("is ended when its retry failed, or would wait long, and another CLI can be asked", async () => {
    const events: AgentRunEvent[] = [];
    const announced = waitsLong ? 1 : 2;
    const agent = runtime().agent([installed(kind, kind, { lines: retries(busy, announced) }), working()]);
    const outcome = await agent.run("hi", { onEvent: (event) => void events.push(event) });
    expect(outcome).toMatchObject({ status: "done", from: "backup" });
    expect(events.filter(({ type }) => type === "retrying")).toHaveLength(announced);
  });

  it.skipIf(waitsLong)("may repeat a request once, although another CLI could be asked", async () => {
    const ends = { exitCode: 3, lingersMs: 500 };
    const agent = runtime().agent([installed(kind, kind, { lines: retries(busy, 1), ...ends }), working()]);
    const exits: AgentExit[] = [];
    await agent.run("hi", { onExit: (exit) => void exits.push(exit) });
    expect(exits[0]).toMatchObject({ exitCode: 3 });
  });

  it("is ended when no retry helps, even without another target", async () => {
    const outcome = await runtime()
      .agent([installed(kind, kind, { lines: retries(refused, 2) })])
      .run("hi");
    expect(outcome).toMatchObject({ fault: { code: "AuthFailed", context: { stopped: "no-cure" } } });
  });
});

describe("a CLI that tries again by itself", () => {
  it("continues when it has used a tool, because its work cannot be repeated elsewhere", async () => {
    const lines = [
      ["stdout", TOOL],
      ["stdout", TOOL_DONE],
      ...retries(SAYS.claude.busy, 5),
      ["stdout", ANSWER],
    ] as const;
    const agent = runtime().agent([installed("claude", "claude", { lines, exitCode: 0 }), working()]);
    expect(await agent.run("hi")).toMatchObject({ status: "done", from: "claude" });
  });

  it("continues when there is no other target, and is not restarted after it gave up", async () => {
    const failed = json({
      type: "result",
      is_error: true,
      result: "API Error: 529 Overloaded.",
      api_error_status: 529,
    });
    const lines = [...retries(SAYS.claude.busy, 10), ["stdout", failed]] as const;
    const outcome = await runtime()
      .agent([installed("claude", "claude", { lines, exitCode: 1 })])
      .run("hi");
    expect(outcome).toMatchObject({
      attempts: 1,
      fault: { code: "Overloaded", message: "API Error: 529 Overloaded.", context: { ownRetries: 10 } },
    });
  });

  it("whose retry worked before it could be ended has worked", async () => {
    const lines = [...retries(SAYS.claude.busy, 1), ["stdout", ANSWER]] as const;
    const agent = runtime().agent([installed("claude", "claude", { lines, exitCode: 0 }), working()]);
    expect(await agent.run("hi")).toMatchObject({ status: "done", from: "claude" });
  });

  it.each([
    ["gets the number of retries when another target is there", true, undefined, "4"],
    ["keeps its own number when it is alone", false, undefined, undefined],
    ["keeps the user's number", true, "7", "7"],
  ])("%s", async (_title, hasOther, own, told) => {
    const target = installed("claude", "claude", { lines: [["stdout", ANSWER]], exitCode: 0 });
    const variable = AGENT_CLIS.claude.maxRetriesEnv ?? "";
    const env = { ...target.env, ...(own === undefined ? {} : { [variable]: own }) } as Record<string, string>;
    await runtime()
      .agent([{ ...target, env }, ...(hasOther ? [working()] : [])])
      .run("hi");
    const folder = (env["PATH"] ?? "").split(delimiter)[0] ?? "";
    const seen = readFileSync(join(folder, "env"), "utf8").split("\n");
    expect(seen.find((line) => line.startsWith(`${variable}=`))).toBe(
      told === undefined ? undefined : `${variable}=${told}`,
    );
  });
});

describe("a CLI that does not get as far as its first request", () => {
  it.each<[AgentKind, string]>([
    ["codex", "bwrap: loopback: Failed RTM_NEWADDR: Operation not permitted"],
    ["codex", 'Error loading config.toml: `wire_api = "chat"` is no longer supported.'],
    [
      "codex",
      "Error: Missing optional dependency @openai/codex-linux-x64. Reinstall Codex: npm install -g @openai/codex@latest",
    ],
    ["gemini", "Please set an Auth method in your settings.json or specify GEMINI_API_KEY"],
    ["opencode", "Something that nobody has seen before"],
    ["goose", "error: No provider configured. Run 'goose configure' first."],
  ])("%s: %s", async (kind, line) => {
    const eager = { policy: { ...DEFAULT_POLICY, rows: [LOGIN_FALLS_BACK, ...DEFAULT_POLICY.rows] } };
    const agent = createFaultline({ clock: systemClock, ...eager }).agent([
      installed(kind, kind, { lines: [["stderr", line]], exitCode: 1 }),
      working(),
    ]);
    expect(await agent.run("hi")).toMatchObject({ status: "done", from: "backup" });
  });
});

/** By default a person is asked first about a sign-in. */
const LOGIN_FALLS_BACK: PolicyRow = {
  match: { code: ["AuthFailed"] },
  retry: null,
  then: ["fallback", "fail"],
  origin: { layer: "file", at: "test" },
};

describe("whether to end a CLI that tries again", () => {
  it.each(FAULT_CODES)("because of %s", (code) => {
    const { retryable, lifts, scope } = traitsOf(code);
    const why = fault(code, { message: "" });
    const lastRetry = { attempt: null, of: null, delayMs: null, reason: "", status: null };
    const ask = (
      ownRetries: number,
      others: boolean,
      hasWorked: boolean,
      delayMs: number | null = null,
    ): string | null =>
      whyStopRetrying({ ownRetries, lastRetry: { ...lastRetry, delayMs } }, why, {
        attemptsBeforeFallback: 2,
        hasOther: () => others,
        hasWorked,
      });
    // Without another target, and after it has worked, only a failure that no retry cures ends it.
    expect(ask(2, false, false)).toBe(retryable ? null : "no-cure");
    expect(ask(2, true, true)).toBe(retryable ? null : "no-cure");
    expect(ask(2, true, false)).toBe(retryable ? "elsewhere" : "no-cure");
    expect(ask(1, true, false)).toBe(retryable || (scope === "account" && !lifts) ? null : "no-cure");
    expect(ask(1, true, false, 5_000)).toBe(ask(1, true, false));
    expect(ask(1, true, false, 5_001)).toBe(retryable ? "elsewhere" : ask(1, true, false));
  });
});

describe("the number of a CLI's retries", () => {
  it("restarts with its next output", () => {
    const parser = createParser("claude");
    for (const [, line] of retries(SAYS.claude.busy, 3)) parser.stdout(line);
    expect(parser.state.ownRetries).toBe(3);
    parser.stdout(TOOL);
    expect(parser.state.ownRetries).toBe(0);
  });
});
