// OpenAI's responses: typed events, the good ends and those that only look good.

import { describe, expect, it } from "vitest";
import { createWireReader } from "../../../src/provider/wire/wire-reader.ts";
import { bytesOf, codeOf, readWire, typedEvents } from "./read-wire.ts";

const response = (status: string, more: object = {}): object => ({
  id: "resp_1",
  object: "response",
  status,
  error: null,
  incomplete_details: null,
  output: [],
  usage: null,
  ...more,
});
const CREATED = { type: "response.created", response: response("in_progress") };
const WORKING = { type: "response.in_progress", response: response("in_progress") };
const ITEM = {
  type: "response.output_item.added",
  output_index: 0,
  item: { type: "message", role: "assistant", content: [] },
};
const TEXT = { type: "response.output_text.delta", item_id: "msg_1", delta: "Hello" };
const USAGE = {
  input_tokens: 20,
  input_tokens_details: { cached_tokens: 5, cache_write_tokens: 1 },
  output_tokens: 8,
  output_tokens_details: { reasoning_tokens: 6 },
  total_tokens: 28,
};
const completed = (more: object = {}) => ({
  type: "response.completed",
  response: response("completed", { usage: USAGE, ...more }),
});
const MESSAGE = { type: "message", role: "assistant", content: [{ type: "output_text", text: "Hello" }] };
const read = (events: readonly { type: string }[], options = {}) =>
  readWire("openai-responses", "stream", typedEvents(...events), options);

describe("a responses stream", () => {
  it("is complete with response.completed, and judged there", () => {
    const reader = createWireReader("openai-responses", "stream", { keepText: true });
    reader.push(bytesOf(typedEvents(CREATED, WORKING, ITEM, TEXT, completed())));
    expect(reader.state).toMatchObject({
      sawContent: true,
      text: "Hello",
      stopReason: "completed",
      isComplete: true,
      hasEnded: true,
      failure: null,
      usage: { inputTokens: 20, cachedInputTokens: 5, cacheWriteTokens: 1, outputTokens: 8, reasoningTokens: 6 },
    });
  });

  it("has neither content nor progress while the server only reports that it works", () => {
    const reader = createWireReader("openai-responses", "stream");
    reader.push(bytesOf(typedEvents(CREATED, WORKING, WORKING, { type: "keepalive" }, { type: "response.queued" })));
    expect(reader.state).toMatchObject({ sawContent: false, progress: 0 });
    reader.push(bytesOf(typedEvents(ITEM)));
    expect(reader.state).toMatchObject({ sawContent: false, progress: 1 });
  });

  it.each([
    ["reasoning", { type: "response.reasoning_summary_text.delta", delta: "hm" }, false],
    ["a function call", { type: "response.output_item.added", item: { type: "function_call", name: "f" } }, true],
    ["arguments", { type: "response.function_call_arguments.delta", delta: "{" }, true],
    ["a search of the provider's", { type: "response.output_item.added", item: { type: "web_search_call" } }, false],
    ["an unknown delta", { type: "response.hologram.delta", delta: "x" }, false],
  ])("has content with %s", (_what, event, isToolCall) => {
    expect(read([CREATED, event])).toMatchObject({ sawContent: true, sawToolCall: isToolCall });
  });

  it("that ends without its last event is a lost connection", () => {
    expect(codeOf(read([CREATED, ITEM, TEXT]))).toBe("NetworkDisconnect");
    expect(codeOf(read([CREATED]))).toBe("NetworkDisconnect");
  });

  it.each([
    [
      { type: "error", code: "server_error", message: "An error occurred", param: null, sequence_number: 3 },
      "Provider5xx",
    ],
    [
      { type: "error", error: { type: "tokens", code: "rate_limit_exceeded", message: "Rate limit reached" } },
      "RateLimited",
    ],
    [
      {
        type: "response.failed",
        response: response("failed", { error: { code: "context_length_exceeded", message: "Too long" } }),
      },
      "ContextOverflow",
    ],
    [
      {
        type: "response.failed",
        response: response("failed", { error: { code: "insufficient_quota", message: "You exceeded" } }),
      },
      "QuotaExhausted",
    ],
    [{ type: "response.failed", response: response("failed") }, "Provider5xx"],
  ])("fails with %o", (event, code) => {
    const state = read([CREATED, TEXT, event]);
    expect(state.isComplete).toBe(false);
    expect(codeOf(state)).toBe(code);
  });

  it("left incomplete fails by its reason: filtered always, cut only where half is useless", () => {
    const incomplete = (reason: string) => ({
      type: "response.incomplete",
      response: response("incomplete", { incomplete_details: { reason }, usage: USAGE }),
    });
    expect(codeOf(read([CREATED, TEXT, incomplete("content_filter")]))).toBe("ContentFiltered");
    expect(read([CREATED, TEXT, incomplete("max_output_tokens")])).toMatchObject({
      stopReason: "max_output_tokens",
      failure: null,
    });
    expect(codeOf(read([CREATED, TEXT, incomplete("max_output_tokens")], { wantsJson: true }))).toBe("OutputTruncated");
    const call = { type: "response.function_call_arguments.delta", delta: '{"a' };
    expect(codeOf(read([CREATED, call, incomplete("max_output_tokens")]))).toBe("OutputTruncated");
  });

  it("of a refusal has no content and ends as filtered", () => {
    const state = read([
      CREATED,
      { type: "response.refusal.delta", delta: "I can't" } as { type: string },
      completed(),
    ]);
    expect(state.sawContent).toBe(false);
    expect(codeOf(state)).toBe("ContentFiltered");
  });

  it("without deltas is read from its last event, and is empty only if that is", () => {
    expect(read([CREATED, completed({ output: [MESSAGE] })])).toMatchObject({ textLength: 5, failure: null });
    expect(codeOf(read([CREATED, completed()]))).toBe("EmptyOutput");
  });

  it("does not count its text twice", () => {
    expect(read([CREATED, TEXT, completed({ output: [MESSAGE] })]).textLength).toBe(5);
  });
});

describe("a whole response", () => {
  const body = (status: string, more: object = {}) =>
    readWire("openai-responses", "json", JSON.stringify(response(status, more)));

  it("yields text, calls and usage", () => {
    const state = body("completed", {
      output: [{ type: "reasoning", summary: [] }, MESSAGE, { type: "function_call", name: "f" }],
      usage: USAGE,
    });
    expect(state).toMatchObject({
      textLength: 5,
      sawToolCall: true,
      isComplete: true,
      failure: null,
      usage: { inputTokens: 20 },
    });
  });

  it("fails by its status inside a 200", () => {
    expect(codeOf(body("failed", { error: { code: "server_error", message: "The server had an error" } }))).toBe(
      "Provider5xx",
    );
    expect(codeOf(body("incomplete", { incomplete_details: { reason: "content_filter" } }))).toBe("ContentFiltered");
    expect(codeOf(body("completed"))).toBe("EmptyOutput");
    const refusal = { type: "message", content: [{ type: "refusal", refusal: "No" }] };
    expect(codeOf(body("completed", { output: [refusal] }))).toBe("ContentFiltered");
  });

  it("created in the background may still be empty", () => {
    expect(body("queued")).toMatchObject({ failure: null, stopReason: "queued" });
  });
});
