// Lines that CLIs print, chosen for what each field of them may be. The recorded runs have most kinds of lines, but few of their fields at a boundary.

import type { AgentKind } from "../../../src/agent/parse/agent-state.ts";

/** A line on stdout, as text or as an object, or on stderr. */
export type Line = string | Readonly<Record<string, unknown>> | { readonly stderr: string | object };

const LONG = "x".repeat(301);

function assistant(id: string, content: readonly object[], more: object = {}, message: object = {}): Line {
  return { type: "assistant", session_id: "s", message: { id, model: "m", content, ...message }, ...more };
}
const said = (text: string): object => ({ type: "text", text });
const streamed = (delta: object, more: object = {}): Line => ({ type: "stream_event", event: { delta }, ...more });
const begun = (id: string, more: object = {}): Line => ({
  type: "stream_event",
  session_id: "s",
  event: { type: "message_start", message: { id, model: "m" } },
  ...more,
});
const toolResult = (id: string, more: object): Line => ({
  type: "user",
  message: { content: [{ type: "tool_result", tool_use_id: id, ...more }] },
});
const DENIED = "Claude requested permissions to use Bash, but you haven't granted it yet.";

const CLAUDE: Readonly<Record<string, readonly Line[]>> = {
  "a start with servers": [
    {
      ...{ type: "system", subtype: "init", session_id: "s", model: "m" },
      mcp_servers: [
        { name: "up", status: "connected" },
        { name: "down", status: "failed" },
      ],
    },
    { type: "system", subtype: "init", session_id: "s2", model: "m2" },
    { type: "system", subtype: "unheard" },
    { type: "unheard" },
  ],
  "a first message without a start": [assistant("1", [said("hello")]), assistant("2", [said("again")])],
  "a stream without a start": [begun("1"), streamed({ type: "text_delta", text: "hel" })],
  "a fallback to another model": [
    { type: "system", subtype: "init", session_id: "s", model: "m" },
    { type: "system", subtype: "model_fallback" },
    { type: "system", subtype: "model_fallback", fallback_model: "n" },
    { type: "system", subtype: "model_fallback", fallback_model: "o", content: "now o" },
  ],
  "denials": [
    { type: "system", subtype: "permission_denied", tool_use_id: "1", tool_name: "Bash", message: "no" },
    { type: "system", subtype: "permission_denied", tool_use_id: "1", tool_name: "Bash", message: "no" },
    { type: "system", subtype: "permission_denied", tool_use_id: "", tool_name: "Bash", message: "no" },
    { type: "system", subtype: "permission_denied", tool_use_id: "", tool_name: LONG.slice(1), message: LONG },
    assistant("1", [{ type: "tool_use", id: "2", name: "Bash" }]),
    toolResult("2", { is_error: true, content: DENIED }),
    toolResult("3", { is_error: false, content: DENIED }),
    toolResult("4", { is_error: true, content: [said("File not"), said("found")] }),
    { type: "result", permission_denials: [{ tool_use_id: "1" }, { tool_use_id: "9", tool_name: "Edit" }] },
  ],
  "parts of a message that was streamed": [
    begun("1"),
    streamed({ type: "thinking_delta", thinking: "hm" }),
    streamed({ type: "signature_delta", thinking: "never" }),
    streamed({ type: "text_delta", text: "hel" }),
    streamed({ type: "text_delta", text: "of a sub-agent" }, { parent_tool_use_id: "t" }),
    assistant("1", [{ type: "thinking", thinking: "hm" }, said("hello")]),
    assistant("2", [{ type: "thinking", thinking: "hm again" }, said("one"), said("two")]),
    assistant("3", [said("of a sub-agent")], { parent_tool_use_id: "t" }),
    { type: "stream_event", event: { type: "message_stop", message: { id: "4" } } },
    { type: "stream_event", event: { type: "message_start" } },
  ],
  "messages of the CLI itself": [
    assistant("1", [said("limit")], { error: "rate_limit", api_error_status: 429 }),
    assistant("2", [said("API Error"), said("offline")], {}, { model: "<synthetic>" }),
    assistant("3", [said("")], {}, { model: "<synthetic>" }),
    assistant("4", [], { error: "unknown" }),
    { type: "result", is_error: false, result: "done" },
  ],
  "an interruption": [
    { type: "user", message: { content: [said("[Request interrupted by user]")] } },
    { type: "user", message: { content: [said("[Request interrupted by userland]")] } },
    { type: "user", message: { content: [said("hello")] } },
    assistant("4", [], { error: "unknown" }),
  ],
  "a retry that is over": [
    {
      type: "system",
      subtype: "api_retry",
      attempt: 2,
      max_retries: 9,
      retry_delay_ms: 5,
      error: "e",
      error_status: 529,
    },
    assistant("1", [said("hello")]),
    { type: "system", subtype: "api_retry", attempt: 1, error: "e", error_status: 200 },
    { type: "result", result: "hello" },
  ],
  "usage of several messages": [
    assistant("1", [], {}, { usage: { input_tokens: 1, output_tokens: 2, cache_read_input_tokens: 3 } }),
    assistant("1", [], {}, { usage: { input_tokens: 1, output_tokens: 4, cache_creation_input_tokens: 5 } }),
    assistant("2", [], {}, { usage: { input_tokens: 10, output_tokens: 20, cache_read_input_tokens: 30 } }),
    assistant("3", [], {}, { usage: { input_tokens: 100, cache_creation_input_tokens: 50 } }),
    assistant("3", []),
  ],
  "a limit": [
    { type: "rate_limit_event", rate_limit_info: { resetsAt: 2, rateLimitType: "five_hour", status: "allowed" } },
    { type: "rate_limit_event", rate_limit_info: { resetsAt: 3, rateLimitType: "five_hour", status: "rejected" } },
    { type: "rate_limit_event", rate_limit_info: { status: "rejected" } },
  ],
  "an answer that has a structure": [
    { type: "result", result: "", structured_output: { a: 1 }, stop_reason: "end_turn" },
  ],
  "an answer that is empty": [{ type: "result", result: "", num_turns: 2, duration_api_ms: 7, total_cost_usd: 0.5 }],
  "an answer that is text": [{ type: "result", result: "done", structured_output: { a: 1 }, total_cost_usd: 0 }],
  "costs of this run only": [
    {
      type: "result",
      total_cost_usd: 9,
      model_usage_since_last_result: { a: { costUSD: 1 }, b: { costUSD: 2 }, c: {} },
    },
  ],
  "an end with an error": [
    { type: "result", is_error: true, subtype: "success", result: "bad", api_error_status: 500, stop_reason: "x" },
    { type: "result", is_error: true, subtype: "error_max_turns", errors: ["one", "", "two"] },
    { type: "result", is_error: true, error: { message: "inner" }, terminal_reason: "t", api_error_type: "a" },
  ],
  "an end with an error that the CLI named before": [
    assistant("1", [said("full")], { error: "max_output_tokens" }),
    { type: "result", is_error: true, result: "full" },
    assistant("2", [said("billing")], { error: "billing_error" }),
    { type: "result", is_error: true, result: "billing" },
  ],
  "an object on stderr": [
    { stderr: { error: { message: "no", code: 401, type: "auth" } } },
    { stderr: { error: "no" } },
    { stderr: { other: 1 } },
  ],
};

const QWEN: Readonly<Record<string, readonly Line[]>> = {
  "attempts whose text is joined": [
    { stderr: "Retrying in 60s (attempt 1/10): [API Error: 503 The engine is currently overloaded]" },
    {
      type: "system",
      subtype: "retry",
      data: { preserveText: true, attempt: 1, maxRetries: 10, delayMs: 5, reason: "retry" },
    },
    { type: "result", result: "hello hello " },
  ],
  "attempts whose text is dropped": [
    assistant("1", [said("hel")]),
    { type: "system", subtype: "retry", data: { preserveText: true, reason: "other" } },
    { type: "system", subtype: "retry", data: { reason: "other" } },
    { type: "result", result: "hello hello " },
  ],
  "a retry for another reason than the one on stderr": [
    { stderr: "Retrying in 2s (attempt 1/3): [API Error: 503 busy]" },
    { type: "system", subtype: "retry", data: { preserveText: true, attempt: 2, reason: "empty stream" } },
    { stderr: "Retrying in two seconds" },
    { type: "system", subtype: "retry" },
  ],
  "an error as the answer": [
    assistant("1", [said("[API Error: 503 busy]")]),
    { type: "result", result: "[API Error: 503 busy]" },
  ],
};

const GEMINI: Readonly<Record<string, readonly Line[]>> = {
  "messages before and after a tool": [
    { type: "init", session_id: "s", model: "m" },
    { type: "message", role: "user", content: "never" },
    { type: "message", role: "assistant", content: "I will" },
    { type: "message", role: "assistant", content: " look" },
    { type: "tool_use", tool_id: "1", tool_name: "ls" },
    { type: "tool_result", tool_id: "1", status: "success", output: "a" },
    { type: "message", role: "assistant", content: "It is" },
    { type: "message", role: "assistant", content: " a" },
  ],
  "results of tools": [
    { type: "tool_result", tool_id: "1", status: "error", error: { type: "policy_violation", message: "not allowed" } },
    { type: "tool_result", tool_id: "2", status: "error", error: { type: "execution_denied" }, output: "as output" },
    { type: "tool_result", tool_id: "3", status: "success", error: { type: "execution_denied" }, output: "done" },
    { type: "tool_result", tool_id: "4", status: "error", output: "User denied execution" },
    { type: "tool_result", tool_id: "5", status: "error", output: 'Tool "x" not found in registry.' },
    { type: "tool_result", tool_id: "6", status: "error", error: { message: "no such file" }, output: "never" },
    { type: "tool_result", tool_id: "7", status: "success", output: "Permission denied" },
    { type: "tool_result", tool_id: "8", status: "error", output: "Permission to use it was denied" },
  ],
  "errors and warnings": [
    { type: "error", severity: "warning", message: "careful" },
    { type: "error", severity: "error", message: "broken" },
    { type: "result", status: "error" },
    { type: "error", message: "later" },
  ],
  "an end without a message": [{ type: "result", status: "error" }],
  "an end with an error only": [
    { type: "result", error: { message: '[API Error: {"code":1}]\nadvice', code: 503, type: "T" } },
  ],
  "an end with usage after an error": [
    { type: "error", message: "broken" },
    { type: "result", status: "success", stats: { input_tokens: 9, output_tokens: 3, cached: 4 } },
    { type: "result", status: "success", stats: { input_tokens: 2, cached: 4 } },
  ],
  "one object": [
    {
      ...{ session_id: "s", response: "hello", warnings: ["", "careful"] },
      stats: {
        models: {
          a: {
            tokens: { prompt: 9, cached: 4, candidates: 3, thoughts: 2 },
            api: { totalLatencyMs: 5, totalRequests: 1 },
          },
          b: { tokens: { prompt: 2, cached: 4, candidates: 30 }, api: { totalLatencyMs: 50, totalRequests: 1 } },
          c: null,
        },
      },
    },
  ],
  "one object with an empty response and a warning": [{ response: "", warnings: ["", "careful", "more"] }],
  "one object with an empty response": [{ response: "" }],
  "one object with a response and no statistics": [{ response: "hello hello " }],
  "one object with an error": [
    {
      ...{ response: "hello hello ", error: { message: "cut", code: 500, type: "Error" }, session_id: "s" },
      stats: { models: { a: { api: { totalRequests: 1 } }, b: { api: { totalRequests: 1 } } } },
    },
  ],
  "one object with an error of no words": [{ error: {} }],
  "an object of something else": [{ other: 1 }],
  "attempts on stderr": [
    { stderr: "Attempt 1 failed with status 503. Retrying with backoff... _ApiError: busy" },
    { stderr: "Attempt 2 failed: slow. Retrying after 1500ms..." },
    { stderr: "Attempt 3 failed: quota" },
    { stderr: `Please retry in 5s. Retrying after 5000ms... ${LONG}` },
    { stderr: "Attempt 4 failed: quota" },
    { stderr: "Nothing more to say" },
    { stderr: "Retrying after 7ms" },
    { stderr: "Attempt 5 failed: quota" },
    { stderr: "Attempt 6 failed: quota again" },
    { stderr: "Retrying" },
    { stderr: "Attempt 7 failed: Max attempts reached" },
    { stderr: "Attempt 8 failed with status 99. Retrying" },
  ],
  "a report on stderr": [
    { stderr: 'Error when talking to Gemini API Full report available at: /tmp/r.json _ApiError: {"a":1}' },
    { stderr: { error: { message: "last", code: 429, type: "RATE" }, session_id: "s" } },
    { stderr: { error: {} } },
    { stderr: { other: 1 } },
  ],
};

const CODEX: Readonly<Record<string, readonly Line[]>> = {
  "an end with usage": [
    { type: "thread.started", thread_id: "t" },
    { type: "error", message: "unexpected status 503 Service Unavailable: busy" },
    { type: "turn.completed", usage: { input_tokens: 9, cached_input_tokens: 4, output_tokens: 3 } },
    { type: "turn.completed", usage: { input_tokens: 2, cached_input_tokens: 4, cache_write_input_tokens: 1 } },
    { type: "turn.completed", usage: { input_tokens: 90, cached_input_tokens: 4, cache_write_input_tokens: 5 } },
    { type: "turn.completed" },
  ],
  "a retry that ended well": [
    { type: "error", message: "Reconnecting... 2/5 (unexpected status 503 Service Unavailable)" },
    { type: "turn.completed" },
  ],
  "waits for a network": [
    { type: "error", message: "Reconnecting... waiting for network (offline)" },
    { type: "error", message: "Reconnecting... waiting for network" },
    { type: "error", message: "Reconnecting... 1/5" },
    { type: "error", message: "Reconnecting..." },
    { type: "item.started", item: { type: "web_search", id: "1" } },
    { type: "error", message: "Reconnecting... waiting for network" },
  ],
  "items": [
    { type: "item.started", item: { type: "reasoning", id: "0", text: "never" } },
    { type: "item.completed", item: { type: "reasoning", id: "0", text: "hm" } },
    { type: "item.started", item: { type: "agent_message", id: "1", text: "never" } },
    { type: "item.completed", item: { type: "agent_message", id: "1", text: "first" } },
    { type: "item.completed", item: { type: "error", id: "2", message: "careful" } },
    { type: "item.completed", item: { type: "todo_list", id: "3" } },
    { type: "item.completed", item: { type: "agent_message", id: "4", text: "last" } },
  ],
  "tools": [
    { type: "item.started", item: { type: "command_execution", id: "1" } },
    { type: "item.started", item: { type: "mcp_tool_call", id: "2", tool: "search" } },
    { type: "item.completed", item: { type: "command_execution", id: "1", status: "completed" } },
    { type: "item.completed", item: { type: "mcp_tool_call", id: "2", tool: "search", status: "failed" } },
    { type: "item.completed", item: { type: "file_change", id: "3", status: "declined" } },
    { type: "item.completed", item: { type: "file_change", id: "4", status: "completed" } },
  ],
  "a failed turn": [
    { type: "turn.failed", error: { message: "exceeded retry limit, last status: 429 Too Many Requests" } },
  ],
  "a transcript on stderr": [
    { stderr: "model: early" },
    { stderr: "ERROR: at start" },
    { stderr: "OpenAI Codex v1.2" },
    { stderr: "model: m" },
    { stderr: "session id: s" },
    { stderr: "model: late" },
    { stderr: "session id: late" },
    { stderr: "OpenAI Codex v1.2" },
    { stderr: "ERROR: Reconnecting... 1/5 (cut)" },
    { stderr: "ERROR: unexpected status 401 Unauthorized" },
  ],
};

const goose = (content: readonly object[], role = "assistant", id = "1"): Line => ({
  type: "message",
  message: { id, role, content },
});
const gooseResult = (id: string, result: object): object => ({ type: "toolResponse", id, toolResult: result });

const GOOSE: Readonly<Record<string, readonly Line[]>> = {
  "results of tools": [
    goose([{ type: "toolRequest", id: "1", toolCall: { status: "success", value: { name: "shell" } } }]),
    goose([gooseResult("1", { status: "success", value: { isError: false } })], "user"),
    goose([gooseResult("2", { status: "success", value: { isError: true } })], "user"),
    goose([gooseResult("3", { status: "error", error: "no such file" })], "user"),
    goose([gooseResult("4", { status: "error", error: "The user has declined to run this tool" })], "user"),
    goose([gooseResult("5", { status: "success", error: "The user has declined to run this tool" })], "user"),
  ],
  "messages": [
    goose([said("never")], "user"),
    goose([{ type: "thinking", thinking: "hm" }, said("hel")]),
    goose([said("lo")]),
    goose([said("other")], "assistant", "2"),
    { type: "complete", total_tokens: 5, input_tokens: 3, output_tokens: 2 },
  ],
  "notifications": [
    goose([{ type: "systemNotification", notificationType: "inlineMessage", msg: "compacted" }]),
    goose([{ type: "systemNotification", notificationType: "creditsExhausted", msg: "top up" }]),
  ],
  "an end that counts nothing": [goose([said("hel")]), { type: "complete", total_tokens: null }],
  "an end of nothing": [{ type: "complete", total_tokens: null }],
  "an error as an answer": [
    goose([
      said(
        "Ran into this error: Server error (500 Internal Server Error): no.\n\nPlease retry if you think this is a transient or recoverable error.",
      ),
    ]),
    { type: "complete", total_tokens: null },
  ],
  "errors": [
    { type: "error", error: "as error", message: "never" },
    { type: "error", message: "as message" },
    { type: "notification", message: "careful" },
  ],
  "one object": [
    { messages: [{ id: "1", role: "assistant", content: [said("hello")] }], metadata: { total_tokens: 3 } },
  ],
  "one object with a type": [{ type: "other", messages: [{ id: "1", role: "assistant", content: [said("never")] }] }],
  "an object of something else": [{ messages: "none" }],
  "an event behind a question": [
    'Really quit? {"type":"notification","message":"careful"}',
    'a{"type":"notification","message":"careful"}',
    "no event",
  ],
};

const OPENCODE: Readonly<Record<string, readonly Line[]>> = {
  tools: [
    { type: "tool_use", sessionID: "s", part: { callID: "1", tool: "bash", state: { status: "completed" } } },
    {
      type: "tool_use",
      sessionID: "s",
      part: { callID: "2", tool: "bash", state: { status: "error", error: "no such file" } },
    },
    {
      type: "tool_use",
      sessionID: "s",
      part: {
        callID: "3",
        tool: "bash",
        state: { status: "error", error: "The user rejected permission to use this specific tool call." },
      },
    },
    {
      type: "tool_use",
      sessionID: "s",
      part: {
        callID: "4",
        tool: "bash",
        state: { status: "completed", error: "The user rejected permission to use this specific tool call." },
      },
    },
  ],
  steps: [
    { type: "step_start", sessionID: "s" },
    { type: "text", sessionID: "s", part: { text: "hello" } },
    {
      type: "step_finish",
      sessionID: "s",
      part: { reason: "stop", cost: 0.5, tokens: { input: 1, output: 2, reasoning: 4, cache: { read: 8, write: 16 } } },
    },
    {
      type: "step_finish",
      sessionID: "s",
      part: {
        reason: "unknown",
        cost: 0.25,
        tokens: { input: 10, output: 20, reasoning: 40, cache: { read: 80, write: 160 } },
      },
    },
  ],
};

export const LINES: Readonly<Partial<Record<AgentKind, Readonly<Record<string, readonly Line[]>>>>> = {
  claude: CLAUDE,
  qwen: QWEN,
  gemini: GEMINI,
  codex: CODEX,
  goose: GOOSE,
  opencode: OPENCODE,
};
