// What each CLI prints becomes events and a state: answers, sessions, usage, cost, denials, retries and ends.

import { describe, expect, it } from "vitest";
import type { AgentEvent } from "../../../src/agent/event/agent-event.ts";
import type { AgentKind } from "../../../src/agent/parse/agent-state.ts";
import { ANSWER_SHAPES, errorInAnswer } from "../../../src/agent/parse/answer-error.ts";
import { createParser } from "../../../src/agent/parse/create-parser.ts";
import { onceOf } from "../../../src/agent/parse/agent-run.ts";
import { whyStop } from "../../../src/agent/verdict/stop-early.ts";
import { CAPTURES, captureOf, parsed } from "../captures/read-captures.ts";

function eventsOf(name: string): readonly AgentEvent[] {
  const capture = captureOf(name);
  const parser = createParser(capture.kind);
  return [
    ...capture.stdout.split("\n").flatMap((line) => parser.stdout(line)),
    ...capture.stderr.split("\n").flatMap((line) => parser.stderr(line)),
    ...parser.end(),
  ];
}

function typesOf(name: string): readonly string[] {
  return eventsOf(name).map(({ type }) => type);
}

function fed(kind: AgentKind, ...values: readonly unknown[]): ReturnType<typeof createParser> {
  const parser = createParser(kind);
  for (const value of values) parser.stdout(typeof value === "string" ? value : JSON.stringify(value));
  return parser;
}

describe("a parser", () => {
  it.each(
    CAPTURES.filter(({ expected }) => expected.codes[0] === "ok").map((capture) => [capture.name, capture] as const),
  )("gives the answer of %s once", (_name, capture) => {
    expect(parsed(capture).state.text.trim()).toBe("stub says hello");
  });

  it("tells a partial message once, as it comes", () => {
    const texts = eventsOf("claude-ok-stream-partial").flatMap((event) => (event.type === "text" ? [event.text] : []));
    expect(texts).toEqual(["stub says ", "hello"]);
  });

  it("tells a run of claude from start to end", () => {
    expect(typesOf("claude-tooldenied-stream")).toEqual([
      "started",
      "tool-use",
      "usage",
      "tool-result",
      "text",
      "usage",
      "usage",
      "finished",
    ]);
  });

  it("reads the CLIs' own retries", () => {
    const retries = (name: string): readonly AgentEvent[] => eventsOf(name).filter(({ type }) => type === "retrying");
    expect(retries("claude-429-stream")).toEqual([
      { type: "retrying", attempt: 1, of: 1, delayMs: 1000, reason: "rate_limit", status: 429 },
    ]);
    expect(retries("codex-default-503")).toHaveLength(5);
    expect(retries("codex-default-503")[4]).toMatchObject({ attempt: 5, of: 5, status: 503 });
    expect(retries("codex-econnrefused")[0]).toMatchObject({
      attempt: null,
      reason: "Connection failed: error sending request",
    });
    expect(retries("codex-closemid-text")).toHaveLength(1);
    expect(retries("gemini-429-json")).toMatchObject([{ attempt: 1, delayMs: 5503 }]);
    expect(retries("gemini-503-json")).toMatchObject([{ attempt: 1, status: 503 }]);
    expect(retries("qwen-503-json")).toMatchObject([{ attempt: 1, of: 10, delayMs: 60_000, status: 503 }]);
    expect(retries("qwen-429").length).toBeGreaterThan(1);
  });

  it("notices limits and changes of model", () => {
    expect(eventsOf("claude-oauth-429unified-stream")).toContainEqual({
      type: "notice",
      about: "rate-limit",
      message: "usage limit five_hour: rejected",
      resetAt: 1_794_777_394_000,
    });
    expect(typesOf("claude-default-529-fallback")).toContain("notice");
    expect(parsed(captureOf("claude-default-529-fallback")).state.model).toBe("claude-sonnet-4-6");
    expect(eventsOf("claude-badmcp")).toContainEqual(
      expect.objectContaining({ type: "notice", message: "the MCP server x did not start" }),
    );
  });

  it.each(["claude", "qwen", "gemini"] as const)("reads an error object on stderr of %s, however it ends", (kind) => {
    const shapes = [
      ['{"error":{"message":"quota exceeded","code":429}}'],
      ["{", '  "error": { "message": "quota exceeded", "code": 429 }', "}"],
      ["{", '  "error": { "message": "quota exceeded", "code": 429 }', "  }"],
      ["{", '  "error": {', '    "message": "quota exceeded", "code": 429', "}}"],
    ];
    for (const lines of shapes) {
      const parser = createParser(kind);
      const events = [...lines.flatMap((line) => parser.stderr(line)), ...parser.end()];
      expect([lines, parser.state.lastError]).toMatchObject([lines, { message: "quota exceeded", isFinal: true }]);
      expect(events.length).toBeGreaterThan(0);
    }
  });

  it("forgets a retry once output follows it", () => {
    expect(parsed(captureOf("claude-flaky-stream")).state.lastRetry).toBeNull();
    expect(parsed(captureOf("qwen-503-json")).state.lastRetry).not.toBeNull();
  });
});

describe("usage and cost", () => {
  it("are those of the run where the CLI says so", () => {
    const { state } = parsed(captureOf("claude-ok-stream"));
    expect(state).toMatchObject({
      usage: { input: 12, output: 5, cacheRead: 0, cacheWrite: 0 },
      cumulative: { usage: false, cost: false },
      numTurns: 1,
      apiDurationMs: 36,
      stopReason: "end_turn",
    });
    expect(state.costUsd).toBeCloseTo(0.000148, 9);
  });

  it("are marked where they are of the whole session", () => {
    expect(parsed(captureOf("codex-resume-2")).state).toMatchObject({
      usage: { input: 24, output: 10 },
      cumulative: { usage: true, cost: false },
      costUsd: null,
    });
    expect(parsed(captureOf("claude-resume-2")).state.cumulative).toEqual({ usage: false, cost: true });
  });

  it("are summed over steps, models and messages", () => {
    expect(parsed(captureOf("opencode-tool-exit3")).state.usage).toMatchObject({ input: 24, output: 10 });
    expect(parsed(captureOf("gemini-tool-json")).state.usage).toMatchObject({ input: 24, output: 10 });
    expect(parsed(captureOf("qwen-maxturns")).state.usage).toMatchObject({ input: 24, output: 10 });
    expect(parsed(captureOf("opencode-cost-1")).state.costUsd).toBeGreaterThan(0);
  });

  it("count cached tokens apart, however the CLI counts them", () => {
    const codex = fed("codex", {
      type: "turn.completed",
      usage: { input_tokens: 100, cached_input_tokens: 60, output_tokens: 7 },
    });
    expect(codex.state.usage).toEqual({ input: 40, output: 7, cacheRead: 60, cacheWrite: 0 });
    const usage = { input_tokens: 100, cache_read_input_tokens: 60, output_tokens: 7 };
    const result = { type: "result", is_error: false, result: "x", usage };
    expect(fed("claude", result).state.usage).toEqual({ input: 100, output: 7, cacheRead: 60, cacheWrite: 0 });
    expect(fed("qwen", result).state.usage).toEqual({ input: 40, output: 7, cacheRead: 60, cacheWrite: 0 });
  });
});

describe("tools", () => {
  const use = (id: string): unknown => ({
    type: "assistant",
    message: { id: `m${id}`, model: "m", content: [{ type: "tool_use", id, name: "Bash" }] },
  });
  const result = (id: string, content: string, isError: boolean): unknown => ({
    type: "user",
    message: { content: [{ type: "tool_result", tool_use_id: id, is_error: isError, content }] },
  });
  const DENIED = "Claude requested permissions to use Bash, but you haven't granted it yet.";

  it("are at work until their result is there", () => {
    const parser = fed("claude", use("a"), use("b"));
    expect(parser.state.toolRunning).toBe(true);
    parser.stdout(JSON.stringify(result("a", "done", false)));
    expect(parser.state.toolRunning).toBe(true);
    parser.stdout(JSON.stringify(result("b", "done", false)));
    expect(parser.state.toolRunning).toBe(false);
    expect(fed("codex", { type: "item.started", item: { id: "1", type: "command_execution" } }).state.toolRunning).toBe(
      true,
    );
  });

  it("are stopped after three denials in a row", () => {
    const parser = fed("claude", use("a"), result("a", DENIED, true), use("b"), result("b", DENIED, true));
    expect(whyStop(parser.state)).toBeNull();
    parser.stdout(JSON.stringify(use("c")));
    parser.stdout(JSON.stringify(result("c", DENIED, true)));
    expect(parser.state.consecutiveDenials).toBe(3);
    expect(whyStop(parser.state)).toBe("permission-loop");
    parser.stdout(JSON.stringify(use("d")));
    parser.stdout(JSON.stringify(result("d", "done", false)));
    expect(whyStop(parser.state)).toBeNull();
    expect(parser.state.permissionDenials).toHaveLength(3);
  });

  it("count one denial once, however often it is said", () => {
    const { state } = parsed(captureOf("claude-tooldenied-stream"));
    expect(state.permissionDenials).toEqual([
      { tool: "Bash", reason: expect.stringContaining("needs approval") as string },
    ]);
    expect(state.consecutiveDenials).toBe(1);
  });

  it("that fail by themselves were not denied", () => {
    const parser = fed("claude", use("a"), result("a", "cat: /etc/shadow: Permission denied", true));
    expect(parser.state.permissionDenials).toEqual([]);
    expect(parsed(captureOf("codex-tool-readonly")).state.permissionDenials).toEqual([]);
  });
});

describe("answers", () => {
  it("are the last of attempts that were repeated", () => {
    expect(parsed(captureOf("codex-refusal")).state.text).toBe("stub says hello");
    expect(parsed(captureOf("qwen-maxtokens")).state.text).toBe("stub says hello");
    expect(parsed(captureOf("gemini-closemid-json")).state.text).toBe("stub says ");
  });

  it("stay as they are where attempts cannot be told apart", () => {
    expect(onceOf("abab", 2)).toBe("ab");
    expect(onceOf("abac", 2)).toBe("abac");
    expect(onceOf("haha", 1)).toBe("haha");
  });

  it("in text mode keep their blank lines, and are reported at the end", () => {
    const parser = createParser("claude");
    for (const line of ["", "first", "", "  second", ""]) expect(parser.stdout(line)).toEqual([]);
    expect(parser.end()).toEqual([{ type: "text", text: "first\n\n  second" }]);
    expect(parser.state.text).toBe("first\n\n  second");
  });

  it("in text mode that are errors are not told as answers", () => {
    expect(eventsOf("claude-401-text")).toEqual([]);
    expect(parsed(captureOf("claude-401-text")).state.text).toBe("Invalid API key · Fix external API key");
  });

  it("leave out what sub-agents say", () => {
    const message = { id: "m", model: "m", content: [{ type: "text", text: "from below" }] };
    expect(fed("claude", { type: "assistant", parent_tool_use_id: "t1", message }).state.text).toBe("");
  });

  it("in text mode may be JSON, and unknown events are not an answer", () => {
    const json = fed("claude", '{"a":1}');
    json.end();
    expect(json.state).toMatchObject({ text: '{"a":1}', isPlainText: true, unknownLines: { count: 0 } });
    const events = fed("claude", { type: "v9.delta" }, { type: "v9.end" });
    events.end();
    expect(events.state).toMatchObject({ text: "", isPlainText: false, unknownLines: { count: 2 } });
  });

  it.each(ANSWER_SHAPES.map(({ kinds, example }) => [example, kinds] as const))(
    "that are errors are known: %s",
    (example, kinds) => {
      for (const kind of kinds) expect(errorInAnswer(kind, example)).not.toBeNull();
    },
  );

  it("about errors are not errors", () => {
    const prose = [
      "The log says: You've hit your 5-hour limit. To fix it, wait.",
      "I looked at the API Error: 500 in your log.\nIt comes from the proxy.",
      "Use `[API Error: x]` as the text, then go on.",
      "It ran into this error: Rate limit exceeded.",
      "Credit balance is too low, says the page you sent.",
    ];
    for (const kind of ["claude", "qwen", "gemini", "goose"] as const) {
      for (const text of prose) expect([kind, text, errorInAnswer(kind, text)]).toEqual([kind, text, null]);
    }
  });
});

describe("lines that are not understood", () => {
  it("are counted and the first few kept, shortened", () => {
    const parser = fed("codex", { type: "turn.started" });
    for (let i = 0; i < 50; i++) parser.stdout(`plain ${i} ${"x".repeat(1000)}`);
    parser.stdout('{"type":"turn.comp');
    expect(parser.state.unknownLines.count).toBe(50);
    expect(parser.state.unknownLines.first).toHaveLength(5);
    expect(parser.state.unknownLines.first[0]?.length).toBeLessThanOrEqual(300);
    expect(parser.state.brokenLines).toEqual({ count: 1, first: ['{"type":"turn.comp'] });
    parser.stdout(JSON.stringify({ type: "turn.completed", usage: { input_tokens: 1 } }));
    expect(parser.state.sawResult).toBe(true);
  });

  it("include an object that was never closed", () => {
    const parser = fed("gemini", "{", '  "session_id": "s",');
    parser.end();
    expect(parser.state).toMatchObject({ sawResult: false, isPlainText: false, text: "", brokenLines: { count: 1 } });
  });
});

describe("a usage limit of claude", () => {
  it.each([
    ["rejected", { window: "five_hour", resetAt: 1_794_777_395_000 }],
    ["allowed_warning", null],
    ["allowed", null],
  ])("that says %s", (status, limit) => {
    const info = { status, resetsAt: 1_794_777_395, rateLimitType: "five_hour" };
    expect(fed("claude", { type: "rate_limit_event", rate_limit_info: info }).state.limit).toEqual(limit);
  });
});

describe("the end of a goose run", () => {
  const said = (id: string, text: string) => ({
    type: "message",
    message: { id, role: "assistant", content: [{ type: "text", text }] },
  });

  // prettier-ignore
  it.each([
    ["an answer with its tokens",          [said("1", "hello")],                            9,    { sawResult: true,  stalledSteps: 0 }],
    ["an answer without tokens",           [said("1", "hello")],                            null, { sawResult: false, stalledSteps: 1 }],
    ["an error without tokens",            [{ type: "error", error: "connection lost" }],   null, { sawResult: true,  stalledSteps: 0 }],
    ["an error with its tokens",           [{ type: "error", error: "connection lost" }],   9,    { sawResult: true,  stalledSteps: 0 }],
    ["nothing at all",                     [],                                              null, { sawResult: false, stalledSteps: 0 }],
  ])("after %s", (_what, before, tokens, expected) => {
    expect(fed("goose", ...before, { type: "complete", total_tokens: tokens }).state).toMatchObject(expected);
  });
});

describe("any command", () => {
  it("answers with what it prints, line by line", () => {
    const parser = fed("generic", "one", '{"type":"result"}');
    expect(parser.state.text).toBe('one\n{"type":"result"}');
    expect(parser.stdout("three")).toEqual([{ type: "text", text: "\nthree" }]);
  });
});
