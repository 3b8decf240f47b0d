// The order in which the end of a run is judged, and what its fault says.

import { describe, expect, it } from "vitest";
import { AGENT_KINDS, type AgentKind } from "../../../src/agent/parse/agent-state.ts";
import { createParser } from "../../../src/agent/parse/create-parser.ts";
import { AGENT_CLIS } from "../../../src/agent/verdict/cli-table.ts";
import type { AgentEnding } from "../../../src/agent/verdict/ending.ts";
import { readStderr, verdictOn } from "../../../src/agent/verdict/verdict.ts";
import type { Fault } from "../../../src/core/index.ts";
import { captureOf, endingOf, parsed } from "../captures/read-captures.ts";

const OBSERVED_AT = Date.parse("2026-11-15T20:16:00Z");

function judge(kind: AgentKind, stdout: readonly unknown[], ending: Partial<AgentEnding> = {}): Fault | null {
  const parser = createParser(kind);
  for (const line of stdout) parser.stdout(typeof line === "string" ? line : JSON.stringify(line));
  for (const line of (ending.stderrTail ?? "").split("\n")) parser.stderr(line);
  parser.end();
  return verdictOn(kind, parser.state, {
    exitCode: 0,
    signal: null,
    stderrTail: "",
    observedAt: OBSERVED_AT,
    ...ending,
  });
}

const claudeResult = (fields: Readonly<Record<string, unknown>>): unknown => ({
  type: "result",
  subtype: "success",
  is_error: false,
  session_id: "s-1",
  ...fields,
});
const RATE_LIMIT = "rate limit exceeded (429)";

describe("what we did ourselves", () => {
  it("is never guessed from what was printed", () => {
    const ending = { exitCode: null, signal: "SIGTERM", stderrTail: RATE_LIMIT } as const;
    expect(judge("generic", [], { ...ending, aborted: true })?.code).toBe("ToolCancelled");
    for (const timedOut of ["startup", "idle", "total"] as const) {
      const context = { phase: timedOut };
      expect(judge("generic", [], { ...ending, timedOut })).toMatchObject({ code: "ExecutionTimeout", context });
      expect(judge("claude", [], { ...ending, timedOut })).toMatchObject({ code: "NetworkTimeout", context });
    }
    expect(judge("claude", [], { ...ending, stopped: "permission-loop" })?.code).toBe("PermissionLoop");
    expect(judge("opencode", [], { ...ending, stopped: "step-loop" })?.code).toBe("NetworkDisconnect");
  });

  it("counts as a cancellation if the caller cancelled and a timer fired, too", () => {
    expect(judge("claude", [], { exitCode: null, aborted: true, timedOut: "idle" })?.code).toBe("ToolCancelled");
  });

  it("takes precedence over an error that the CLI printed meanwhile", () => {
    const failed = claudeResult({ is_error: true, result: "API Error: 500 Internal server error" });
    expect(judge("claude", [failed], { exitCode: 1, aborted: true })?.code).toBe("ToolCancelled");
  });

  it("names what the CLI was struggling with as the cause of a timeout", () => {
    const capture = captureOf("qwen-429");
    const fault = verdictOn("qwen", parsed(capture).state, endingOf(capture));
    expect(fault?.code).toBe("NetworkTimeout");
    const overloaded = captureOf("qwen-503-json");
    expect(verdictOn("qwen", parsed(overloaded).state, endingOf(overloaded))?.cause?.code).toBe("Overloaded");
    const loop = captureOf("opencode-long-closemid");
    expect(verdictOn("opencode", parsed(loop).state, endingOf(loop))?.cause?.code).toBe("NetworkDisconnect");
  });

  it("keeps a complete result if only the process had to be ended", () => {
    const done = claudeResult({ result: "hello" });
    const ending = { exitCode: null, signal: "SIGTERM" } as const;
    expect(judge("claude", [done], { ...ending, stopped: "after-result" })).toBeNull();
    expect(judge("claude", [done], ending)?.code).toBe("ProcessCrashed");
  });
});

describe("a process that does not start", () => {
  it("is reported as missing, with the command that installs it", () => {
    const fault = judge("codex", [], {
      exitCode: null,
      spawnError: { code: "ENOENT", message: "It is not installed." },
    });
    expect(fault).toMatchObject({
      code: "BinaryMissing",
      context: { next: "npm install -g @openai/codex", provider: "codex-cli" },
    });
    expect(fault?.message).toBe("codex could not be started (ENOENT). It is not installed.");
  });

  it("is reported as started with too long arguments if the system says so", () => {
    const fault = judge("claude", [], {
      exitCode: null,
      spawnError: { code: "E2BIG", message: "Its arguments are too long." },
    });
    expect(fault?.code).toBe("ResourceExhausted");
    expect(fault?.message).toContain("too long");
  });
});

describe("a failed login", () => {
  it.each([
    ["claude-noauth-stream", "/login"],
    ["codex-missing-envkey", "codex login"],
    ["gemini-noauth-text", "GEMINI_API_KEY"],
    ["opencode-401", "opencode auth login"],
    ["qwen-noauth", "qwen"],
    ["goose-noauth", "goose configure"],
  ])("of %s says what to run", (name, next) => {
    const capture = captureOf(name);
    const fault = verdictOn(capture.kind, parsed(capture).state, endingOf(capture));
    expect(["AuthFailed", "KeyMissing"]).toContain(fault?.code);
    expect(fault?.context["next"]).toContain(next);
  });
});

describe("a usage limit", () => {
  it("lifts at the exact time that the CLI reported separately", () => {
    const limited = {
      type: "rate_limit_event",
      rate_limit_info: { status: "rejected", resetsAt: OBSERVED_AT / 1000 + 7200, rateLimitType: "five_hour" },
    };
    const failed = claudeResult({ is_error: true, result: "You've hit your 5-hour limit · resets 10pm (UTC)" });
    expect(judge("claude", [limited, failed], { exitCode: 1 })).toMatchObject({
      code: "QuotaExhausted",
      resetAt: OBSERVED_AT + 7_200_000,
    });
  });

  it("lifts at the time of day that its text names, in that time zone", () => {
    const failed = claudeResult({ is_error: true, result: "You've hit your weekly limit · resets 9:16pm (UTC)" });
    expect(judge("claude", [failed], { exitCode: 1 })?.resetAt).toBe(Date.parse("2026-11-15T21:16:00Z"));
  });

  it("of codex is read in this machine's time zone", () => {
    const message = "You’ve hit your usage limit. Upgrade to Pro or try again at 8:33 PM.";
    const lines = [{ type: "turn.failed", error: { message } }];
    expect(judge("codex", lines, { exitCode: 1, timeZone: "Europe/Berlin" })).toMatchObject({
      code: "QuotaExhausted",
      // 20:33 in Berlin has passed at 21:16 there: tomorrow's is meant.
      resetAt: Date.parse("2026-11-16T19:33:00Z"),
    });
    expect(judge("codex", lines, { exitCode: 1 })?.resetAt).toBeUndefined();
    const dated = [{ type: "turn.failed", error: { message: message.replace("8:33", "Nov 20th, 2026 8:33") } }];
    expect(judge("codex", dated, { exitCode: 1, timeZone: "UTC" })?.resetAt).toBe(Date.parse("2026-11-20T20:33:00Z"));
  });

  it("is a failure even if the CLI prints it as a successful answer", () => {
    const answer = claudeResult({ result: "Claude AI usage limit reached|1794777394" });
    expect(judge("claude", [answer])).toMatchObject({ code: "QuotaExhausted", resetAt: 1_794_777_394_000 });
    expect(judge("claude", ["You've hit your limit · resets 3pm (Europe/Berlin)"])?.code).toBe("QuotaExhausted");
  });
});

describe("exit 0", () => {
  it("without an answer is a failure of every CLI", () => {
    for (const kind of AGENT_KINDS) expect([kind, judge(kind, [])?.code]).toEqual([kind, "EmptyOutput"]);
  });

  it("without the line that proves the end is a cut answer", () => {
    const message = { id: "m", model: "m", content: [{ type: "text", text: "half of" }] };
    expect(judge("claude", [{ type: "assistant", message }])?.code).toBe("OutputTruncated");
    expect(judge("codex", [{ type: "item.completed", item: { type: "agent_message", text: "half" } }])?.code).toBe(
      "OutputTruncated",
    );
  });

  it("with an error in place of the subtype is a failure", () => {
    const failed = claudeResult({ is_error: true, api_error_status: 529, result: "API Error: 529 Overloaded." });
    expect(judge("claude", [failed])?.code).toBe("Overloaded");
  });

  it("with the error as an answer is a failure", () => {
    const text = "[API Error: 401 Incorrect API key provided: x. (Status: 401)]";
    expect(judge("qwen", [claudeResult({ result: text })])?.code).toBe("AuthFailed");
    expect(judge("qwen", [text])?.code).toBe("AuthFailed");
  });

  it("after steps that ended for no reason is a failure", () => {
    const step = { type: "step_finish", part: { reason: "unknown" } };
    expect(judge("opencode", [step, step])?.code).toBe("NetworkDisconnect");
  });

  it("with words about errors in the answer is a success", () => {
    expect(
      judge("claude", [claudeResult({ result: `Your server answers ${RATE_LIMIT}; authentication failed.` })]),
    ).toBeNull();
    expect(judge("generic", [RATE_LIMIT])).toBeNull();
  });

  it("with noise on stderr is a success", () => {
    expect(
      judge("claude", [claudeResult({ result: "hello" })], { stderrTail: "Error: connect ECONNREFUSED" }),
    ).toBeNull();
  });

  it("in codex's text mode is a success although the transcript has lines like errors", () => {
    const stderrTail =
      "OpenAI Codex v0.166.0\n--------\nmodel: gpt-5\nsession id: abc\n--------\ncodex\nERROR: quoted by the model";
    expect(judge("codex", ["done"], { stderrTail })).toBeNull();
  });
});

describe("an exit code that is not 0", () => {
  it("is explained by stderr", () => {
    const ending = { exitCode: 1, stderrTail: "Error: connect ECONNREFUSED 127.0.0.1:1" } as const;
    expect(judge("generic", [], ending)?.code).toBe("NetworkDisconnect");
  });

  it("is never explained by the model's prose", () => {
    const message = { id: "m", model: "m", content: [{ type: "text", text: RATE_LIMIT }] };
    const fault = judge("claude", [{ type: "assistant", message }], { exitCode: 1 });
    expect(fault).toMatchObject({
      code: "ProcessCrashed",
      message: "Claude Code ended with exit code 1 and did not say why",
    });
    const transcript = `OpenAI Codex v0.166.0\nuser\n${RATE_LIMIT}`;
    expect(judge("codex", [], { exitCode: 1, stderrTail: transcript })?.code).toBe("ProcessCrashed");
  });

  it("is explained by wrong arguments if the CLI printed only its help", () => {
    const help = "tool run [message..]\n\nOptions:\n  --auth  Authentication type, rate limit exceeded";
    expect(judge("generic", [], { exitCode: 1, stderrTail: help })?.code).toBe("RequestInvalid");
    expect(readStderr(help)).toEqual({ text: "tool run [message..]", showsHelp: true });
  });

  it("names the session it happened in", () => {
    const failed = claudeResult({ is_error: true, result: "API Error: 500 Internal server error." });
    expect(judge("claude", [failed], { exitCode: 1 })?.context).toMatchObject({
      sessionId: "s-1",
      provider: "claude-cli",
    });
  });
});

describe("one-shot arguments", () => {
  const shot = { prompt: "say hello", model: "m-1", resume: "s-1" };

  it("are the documented ones", () => {
    expect(AGENT_CLIS.claude.oneShotArgs(shot).join(" ")).toBe(
      "-p --verbose --output-format stream-json --model m-1 --resume s-1 say hello",
    );
    expect(AGENT_CLIS.codex.oneShotArgs(shot).join(" ")).toBe(
      "exec resume s-1 --json --skip-git-repo-check -m m-1 say hello",
    );
    expect(AGENT_CLIS.gemini.oneShotArgs(shot).join(" ")).toBe(
      "-o stream-json --skip-trust -m m-1 -r s-1 -p say hello",
    );
    expect(AGENT_CLIS.opencode.oneShotArgs(shot).join(" ")).toBe("run --format json -m m-1 --session s-1 say hello");
    expect(AGENT_CLIS.qwen.oneShotArgs(shot).join(" ")).toBe("-o stream-json -m m-1 --resume s-1 say hello");
    expect(AGENT_CLIS.goose.oneShotArgs(shot).join(" ")).toBe(
      "run --no-session -q --output-format stream-json --model m-1 -t say hello",
    );
  });

  it("never pass a prompt as an option", () => {
    for (const kind of AGENT_KINDS) {
      const args = AGENT_CLIS[kind].oneShotArgs({ prompt: "--help", model: null, resume: null });
      expect([kind, args.includes("--help"), args.includes(" --help")]).toEqual([kind, false, true]);
    }
  });

  it("leave the prompt out when it comes by stdin", () => {
    for (const kind of AGENT_KINDS) {
      expect(AGENT_CLIS[kind].oneShotArgs({ prompt: null, model: null, resume: null })).not.toContain("null");
    }
  });
});
