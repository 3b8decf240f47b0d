// Anthropic's messages: blocks, the two end marks, and usage that survives a cut.

import { describe, expect, it } from "vitest";
import { createWireReader } from "../../../src/provider/wire/wire-reader.ts";
import { bytesOf, codeOf, readWire, typedEvents } from "./read-wire.ts";

const START = {
  type: "message_start",
  message: {
    id: "msg_1",
    type: "message",
    role: "assistant",
    content: [],
    stop_reason: null,
    usage: { input_tokens: 10, cache_creation_input_tokens: 30, cache_read_input_tokens: 60, output_tokens: 1 },
  },
};
const PING = { type: "ping" };
const block = (content: object) => ({ type: "content_block_start", index: 0, content_block: content });
const delta = (content: object) => ({ type: "content_block_delta", index: 0, delta: content });
const TEXT = [block({ type: "text", text: "" }), delta({ type: "text_delta", text: "Hello" })];
const BLOCK_STOP = { type: "content_block_stop", index: 0 };
const stop = (reason: string) => ({
  type: "message_delta",
  delta: { stop_reason: reason, stop_sequence: null },
  usage: { output_tokens: 42, output_tokens_details: { thinking_tokens: 7 } },
});
const STOP = { type: "message_stop" };
const read = (events: readonly { type: string }[], options = {}) =>
  readWire("anthropic-messages", "stream", typedEvents(...events), options);

describe("an Anthropic stream", () => {
  it("is complete with a stop reason and message_stop, and judged there", () => {
    const reader = createWireReader("anthropic-messages", "stream", { keepText: true });
    reader.push(bytesOf(typedEvents(START, PING, ...TEXT, BLOCK_STOP, stop("end_turn"))));
    expect(reader.state).toMatchObject({ isComplete: false, hasEnded: false });
    reader.push(bytesOf(typedEvents(STOP)));
    expect(reader.state).toMatchObject({
      sawContent: true,
      text: "Hello",
      stopReason: "end_turn",
      isComplete: true,
      hasEnded: true,
      failure: null,
      usage: { inputTokens: 100, cachedInputTokens: 60, cacheWriteTokens: 30, outputTokens: 42, reasoningTokens: 7 },
    });
  });

  it("has neither content nor progress before its first delta", () => {
    const reader = createWireReader("anthropic-messages", "stream");
    reader.push(bytesOf(typedEvents(START, PING, block({ type: "text", text: "" }), PING)));
    reader.push(bytesOf(typedEvents(delta({ type: "text_delta", text: "" }))));
    expect(reader.state).toMatchObject({ sawContent: false, progress: 0 });
  });

  it.each([
    ["thinking", [delta({ type: "thinking_delta", thinking: "hm" })], false],
    ["a signature", [delta({ type: "signature_delta", signature: "EqQB" })], false],
    ["sealed thinking", [block({ type: "redacted_thinking", data: "EmwK" })], false],
    ["a tool call", [block({ type: "tool_use", id: "t", name: "f", input: {} })], true],
    ["a search of the provider's", [block({ type: "server_tool_use", id: "t", name: "web_search", input: {} })], false],
    ["an unknown delta", [delta({ type: "hologram_delta", beam: "x" })], false],
  ])("has content with %s", (_what, events, isToolCall) => {
    expect(read([START, ...events])).toMatchObject({ sawContent: true, sawToolCall: isToolCall });
  });

  it("that was cut is a lost connection and keeps the usage from its start", () => {
    const state = read([START, ...TEXT]);
    expect(state.usage).toEqual({
      inputTokens: 100,
      cachedInputTokens: 60,
      cacheWriteTokens: 30,
      hourCacheWriteTokens: 0,
      outputTokens: 1,
      reasoningTokens: 0,
      serviceTier: null,
    });
    expect(codeOf(state)).toBe("NetworkDisconnect");
    expect(codeOf(read([START, ...TEXT, BLOCK_STOP, stop("end_turn")]))).toBe("NetworkDisconnect");
    expect(codeOf(read([START, ...TEXT, BLOCK_STOP, STOP]))).toBe("NetworkDisconnect");
    expect(codeOf(read([START]))).toBe("NetworkDisconnect");
  });

  it.each([
    [{ type: "overloaded_error", message: "Overloaded" }, "Overloaded"],
    [{ type: "api_error", message: "Internal server error" }, "Provider5xx"],
    [{ type: "rate_limit_error", message: "Number of requests has exceeded your rate limit" }, "RateLimited"],
  ])("fails at once with the error event %o", (error, code) => {
    const reader = createWireReader("anthropic-messages", "stream");
    reader.push(bytesOf(typedEvents(START, ...TEXT, { type: "error", error } as { type: string })));
    expect(codeOf(reader.state)).toBe(code);
    expect(reader.state.usage?.inputTokens).toBe(100);
  });

  it.each([
    ["refusal", "ContentFiltered"],
    ["model_context_window_exceeded", "ContextOverflow"],
    ["max_tokens", null],
    ["pause_turn", null],
    ["stop_sequence", null],
    ["a reason of next year", null],
  ])("that stops with %s after text is %s", (reason, code) => {
    expect(codeOf(read([START, ...TEXT, BLOCK_STOP, stop(reason), STOP]))).toBe(code);
  });

  it("whose call is cut at the limit of tokens is cut output", () => {
    const call = [
      block({ type: "tool_use", id: "t", name: "f", input: {} }),
      delta({ type: "input_json_delta", partial_json: '{"a' }),
    ];
    expect(codeOf(read([START, ...call, BLOCK_STOP, stop("max_tokens"), STOP]))).toBe("OutputTruncated");
    expect(codeOf(read([START, ...call, BLOCK_STOP, stop("tool_use"), STOP]))).toBeNull();
  });

  it("without content is empty", () => {
    expect(codeOf(read([START, stop("end_turn"), STOP]))).toBe("EmptyOutput");
  });

  it("with broken JSON in an event is malformed", () => {
    const broken =
      'event: content_block_delta\ndata: {"type":"content_block_delta","index":0,"delta":{"type":"text_de\n\n';
    const state = readWire("anthropic-messages", "stream", typedEvents(START) + broken);
    expect(codeOf(state)).toBe("AnswerUnreadable");
    expect(state.usage?.inputTokens).toBe(100);
  });

  it("keeps usage that a later event reports as nothing", () => {
    const zero = {
      type: "message_delta",
      delta: {},
      usage: { input_tokens: 0, cache_read_input_tokens: 0, output_tokens: 0 },
    };
    expect(read([START, zero]).usage).toMatchObject({ inputTokens: 100, outputTokens: 1 });
  });
});

describe("a whole Anthropic answer", () => {
  const message = (content: readonly object[], reason: string): string =>
    JSON.stringify({
      id: "m",
      type: "message",
      role: "assistant",
      content,
      stop_reason: reason,
      usage: { input_tokens: 3, output_tokens: 4 },
    });

  it("yields text, calls, stop reason and usage", () => {
    const text = message(
      [
        { type: "thinking", thinking: "hm" },
        { type: "text", text: "Hi" },
        { type: "tool_use", id: "t" },
      ],
      "tool_use",
    );
    expect(readWire("anthropic-messages", "json", text)).toMatchObject({
      textLength: 2,
      sawToolCall: true,
      stopReason: "tool_use",
      isComplete: true,
      failure: null,
      usage: { inputTokens: 3, outputTokens: 4 },
    });
  });

  it("fails when refused, empty, or an error", () => {
    expect(codeOf(readWire("anthropic-messages", "json", message([{ type: "text", text: "No" }], "refusal")))).toBe(
      "ContentFiltered",
    );
    expect(codeOf(readWire("anthropic-messages", "json", message([], "end_turn")))).toBe("EmptyOutput");
    const error = '{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"},"request_id":"req_1"}';
    expect(codeOf(readWire("anthropic-messages", "json", error))).toBe("Overloaded");
    expect(codeOf(readWire("anthropic-messages", "stream", error))).toBe("Overloaded");
  });
});
