// Chat completions: what counts as content, what proves the end, and where compatible servers hide their errors.

import { describe, expect, it } from "vitest";
import { createWireReader } from "../../../src/provider/wire/wire-reader.ts";
import { bytesOf, codeOf, dataEvents, readWire } from "./read-wire.ts";

const chunk = (delta: object, finish: string | null = null, index = 0): object => ({
  id: "chatcmpl-1",
  object: "chat.completion.chunk",
  created: 1,
  model: "gpt-5",
  choices: [{ index, delta, finish_reason: finish }],
});
const ROLE = chunk({ role: "assistant", content: "", refusal: null });
const USAGE = {
  object: "chat.completion.chunk",
  choices: [],
  usage: {
    prompt_tokens: 12,
    completion_tokens: 9,
    total_tokens: 21,
    prompt_tokens_details: { cached_tokens: 4, cache_write_tokens: 2 },
    completion_tokens_details: { reasoning_tokens: 3 },
  },
};
const read = (text: string, options = {}) => readWire("openai-chat", "stream", text, options);
const answer = (message: object, finish: string | null, more: object = {}): string =>
  JSON.stringify({
    id: "chatcmpl-1",
    object: "chat.completion",
    choices: [{ index: 0, message, finish_reason: finish }],
    ...more,
  });

describe("a chat stream", () => {
  it("is complete with its finish reason, and yields text, stop reason and usage", () => {
    const text = dataEvents(
      ROLE,
      chunk({ content: "Hel" }),
      chunk({ content: "lo" }),
      chunk({}, "stop"),
      USAGE,
      "[DONE]",
    );
    expect(read(text, { keepText: true })).toEqual({
      sawContent: true,
      sawToolCall: false,
      isThinking: false,
      progress: 3,
      textLength: 5,
      text: "Hello",
      outputLength: 5,
      stopReason: "stop",
      usage: {
        inputTokens: 12,
        cachedInputTokens: 4,
        cacheWriteTokens: 2,
        hourCacheWriteTokens: 0,
        outputTokens: 9,
        reasoningTokens: 3,
        serviceTier: null,
      },
      isComplete: true,
      failure: null,
      hasEnded: true,
      lookedAway: null,
    });
    expect(read(text).text).toBeNull();
  });

  it("has no content or progress before its first piece: roles, comments, blank lines and empty deltas do not count", () => {
    const reader = createWireReader("openai-chat", "stream");
    const nothings = [
      ": OPENROUTER PROCESSING\n\n",
      ": keep-alive\n\n",
      "\n\n\n",
      dataEvents({ choices: [], prompt_filter_results: [{ prompt_index: 0, content_filter_results: {} }] }),
      dataEvents(ROLE, chunk({}), chunk({ content: null, tool_calls: [] }), chunk({ reasoning_content: "" })),
      dataEvents(chunk({ tool_calls: [{ index: 0, type: "function", function: { arguments: "" } }] })),
      "event: ping\ndata: 2026-11-16\n\n",
    ];
    for (const nothing of nothings) reader.push(bytesOf(nothing));
    expect(reader.state).toMatchObject({ sawContent: false, sawToolCall: false, progress: 0, failure: null });
    reader.push(bytesOf(dataEvents(chunk({ content: "x" }))));
    expect(reader.state).toMatchObject({ sawContent: true, progress: 1 });
  });

  it.each([
    ["reasoning of DeepSeek", { reasoning_content: "hm" }, false],
    [
      "reasoning of OpenRouter",
      { reasoning: "hm", reasoning_details: [{ type: "reasoning.text", text: "hm" }] },
      false,
    ],
    ["thinking parts of Mistral", { content: [{ type: "thinking", thinking: [{ type: "text", text: "hm" }] }] }, false],
    ["a tool call", { tool_calls: [{ index: 0, id: "call_1", function: { name: "f", arguments: "" } }] }, true],
    ["a piece of arguments", { tool_calls: [{ index: 0, function: { arguments: "{" } }] }, true],
    ["an old function call", { function_call: { name: "f", arguments: "" } }, true],
    ["a sound", { audio: { id: "a", data: "AAAA" } }, false],
  ])("has content with %s", (_what, delta, isToolCall) => {
    expect(read(dataEvents(chunk(delta)))).toMatchObject({ sawContent: true, sawToolCall: isToolCall, textLength: 0 });
  });

  it("that ends without a finish reason is a lost connection, with or without [DONE]", () => {
    for (const end of ["", "data: [DONE]\n\n"]) {
      const state = read(dataEvents(ROLE, chunk({ content: "Hel" })) + end);
      expect(state).toMatchObject({ isComplete: false, stopReason: null, textLength: 3 });
      expect(codeOf(state)).toBe("NetworkDisconnect");
    }
  });

  it("needs no [DONE] after its finish reason, and is judged at [DONE] before the connection closes", () => {
    expect(codeOf(read(dataEvents(chunk({ content: "x" }, "stop"))))).toBeNull();
    const reader = createWireReader("openai-chat", "stream");
    reader.push(bytesOf(dataEvents(chunk({ content: "x" }, "content_filter"))));
    expect(reader.state.hasEnded).toBe(false);
    reader.push(bytesOf("data: [DONE]\n\n"));
    expect(reader.state.hasEnded).toBe(true);
    expect(codeOf(reader.state)).toBe("ContentFiltered");
  });

  it("carries errors inside a 200, each classified by its text", () => {
    const cases = [
      // OpenAI
      [
        {
          error: {
            message: "The server had an error while processing your request.",
            type: "server_error",
            code: null,
          },
        },
        "Provider5xx",
      ],
      [{ error: { message: "Rate limit reached", type: "tokens", code: "rate_limit_exceeded" } }, "RateLimited"],
      // OpenRouter: the finish reason must not hide the code
      [
        {
          error: { code: 429, message: "Rate limit exceeded upstream" },
          choices: [{ index: 0, delta: { content: "" }, finish_reason: "error" }],
        },
        "RateLimited",
      ],
      [
        { choices: [{ index: 0, delta: {}, finish_reason: "error", error: { code: 503, message: "overloaded" } }] },
        "Overloaded",
      ],
      // Groq
      [{ choices: [], x_groq: { id: "req_1", error: "over capacity" } }, "Overloaded"],
      // LM Studio, xAI: a text
      [
        {
          error:
            "The number of tokens to keep from the initial prompt is greater than the context length (n_keep: 13055>= n_ctx: 4096)",
        },
        "ContextOverflow",
      ],
    ] as const;
    for (const [event, code] of cases) {
      const reader = createWireReader("openai-chat", "stream", { provider: "someone" });
      reader.push(bytesOf(dataEvents(ROLE, chunk({ content: "x" }), event)));
      expect(reader.state.failure, JSON.stringify(event)).toMatchObject({ surface: "sse", provider: "someone" });
      expect(codeOf(reader.state), JSON.stringify(event)).toBe(code);
      reader.end();
      expect(reader.state.isComplete).toBe(false);
    }
  });

  it("that fails at vLLM ends with [DONE] and stays failed", () => {
    const error = { error: { message: "EngineCore encountered an issue", type: "InternalServerError", code: 500 } };
    const state = read(dataEvents(ROLE, chunk({ content: "x" }), error, "[DONE]"));
    expect(state.isComplete).toBe(false);
    expect(codeOf(state)).toBe("Provider5xx");
  });

  it("keeps the text of an event named error, JSON or not", () => {
    expect(codeOf(read('event: error\ndata: {"message":"Rate limit reached"}\n\n'))).toBe("RateLimited");
    expect(codeOf(read("event: error\ndata: the server is overloaded\n\n"))).toBe("Overloaded");
  });

  it.each([
    ["content_filter", "ContentFiltered"],
    ["error", "Provider5xx"],
    ["insufficient_system_resource", "Provider5xx"],
    ["model_length", "ContextOverflow"],
  ])("that stops with %s has failed although it ended well", (reason, code) => {
    const state = read(dataEvents(chunk({ content: "x" }), chunk({}, reason), "[DONE]"));
    expect(state).toMatchObject({
      isComplete: true,
      stopReason: reason,
      failure: { surface: "stop", stopReason: reason },
    });
    expect(codeOf(state)).toBe(code);
  });

  it("cut at the token limit fails with a call, with JSON and with only reasoning; text survives", () => {
    const cut = (delta: object, options = {}) =>
      codeOf(read(dataEvents(chunk(delta), chunk({}, "length"), "[DONE]"), options));
    expect(cut({ content: "Hel" })).toBeNull();
    expect(cut({ content: '{"a":' }, { wantsJson: true })).toBe("OutputTruncated");
    expect(cut({ tool_calls: [{ index: 0, id: "c", function: { name: "f", arguments: '{"a' } }] })).toBe(
      "OutputTruncated",
    );
    expect(cut({ reasoning_content: "hm" })).toBe("OutputTruncated");
  });

  it("of refusals has no content, so that another model can be asked, and ends as filtered", () => {
    const state = read(dataEvents(ROLE, chunk({ refusal: "I can't" }), chunk({}, "stop"), "[DONE]"));
    expect(state).toMatchObject({ sawContent: false, stopReason: "stop" });
    expect(codeOf(state)).toBe("ContentFiltered");
  });

  it("without anything in it is empty", () => {
    expect(codeOf(read(dataEvents(ROLE, chunk({}, "stop"), "[DONE]")))).toBe("EmptyOutput");
    expect(codeOf(read("data: [DONE]\n\n"))).toBe("EmptyOutput");
    expect(codeOf(read(""))).toBe("AnswerUnreadable");
  });

  it("of several answers is complete when all have stopped, and keeps the text of the first", () => {
    const both = [chunk({ content: "a" }), chunk({ content: "b" }, null, 1), chunk({}, "stop")];
    const half = read(dataEvents(...both));
    expect(half).toMatchObject({ isComplete: false, stopReason: "stop" });
    expect(codeOf(half)).toBe("NetworkDisconnect");
    const whole = read(dataEvents(...both, chunk({}, "length", 1)), { keepText: true });
    expect(whole).toMatchObject({ isComplete: true, text: "a", stopReason: "length" });
    const late = read(dataEvents(chunk({ content: "a" }, "stop"), chunk({ content: "b" }, null, 1)));
    expect(late.isComplete).toBe(false);
  });

  it("counts xAI's reasoning, which its total includes, as output", () => {
    const usage = {
      prompt_tokens: 10,
      completion_tokens: 5,
      total_tokens: 35,
      completion_tokens_details: { reasoning_tokens: 20 },
    };
    expect(read(dataEvents({ choices: [], usage })).usage).toMatchObject({ outputTokens: 25, reasoningTokens: 20 });
    expect(read(dataEvents({ choices: [], x_groq: { usage: { ...usage, total_tokens: 15 } } })).usage).toMatchObject({
      outputTokens: 5,
    });
  });
});

describe("a whole chat answer", () => {
  it("is read at its end", () => {
    const text = answer({ role: "assistant", content: "Hello", refusal: null }, "stop", { usage: USAGE.usage });
    const reader = createWireReader("openai-chat", "json", { keepText: true });
    reader.push(bytesOf(`\n\n\n${text}`));
    expect(reader.state).toMatchObject({ sawContent: false, progress: text.length });
    reader.end();
    expect(reader.state).toMatchObject({
      sawContent: true,
      text: "Hello",
      stopReason: "stop",
      isComplete: true,
      failure: null,
    });
    expect(reader.state.usage?.inputTokens).toBe(12);
  });

  it.each([
    ["an error", '{"error":{"message":"overloaded","type":"server_error","code":503}}', "Overloaded"],
    [
      "a flat error",
      '{"object":"error","message":"The model `m` does not exist.","type":"NotFoundError","code":404}',
      "ModelNotFound",
    ],
    [
      "a gateway's words",
      '{"statusCode":429,"message":"Rate limit is exceeded. Try again in 6 seconds."}',
      "RateLimited",
    ],
    [
      "an error beside partial text",
      answer({ content: "Hel" }, "error", {}).replace(
        '"index":0',
        '"index":0,"error":{"code":502,"message":"Provider returned error"}',
      ),
      "Provider5xx",
    ],
    ["no choices", '{"id":"x","object":"chat.completion","choices":[]}', "EmptyOutput"],
    ["a refusal", answer({ content: null, refusal: "No." }, "stop"), "ContentFiltered"],
    ["another shape", '{"hello":"world"}', "AnswerUnreadable"],
    ["a list", "[1,2]", "AnswerUnreadable"],
    ["a page", "<!doctype html><html><body>Sign up for our beta</body></html>", "AnswerUnreadable"],
    ["gibberish", "qwertz asdf", "AnswerUnreadable"],
    ["broken JSON", '{"choices":[}]}', "AnswerUnreadable"],
    ["JSON that broke off behind an inner part", '{"choices":[{"message":{"content":"Hi"}', "AnswerUnreadable"],
    ["JSON that broke off", '{"choices":[{"message":{"content":"the rate limit is', "AnswerUnreadable"],
    ["nothing", "", "AnswerUnreadable"],
    ["nothing but blank lines", "\n\n\n\n", "AnswerUnreadable"],
  ])("with %s fails as what it is", (_what, text, code) => {
    const state = readWire("openai-chat", "json", text);
    expect(codeOf(state)).toBe(code);
    expect(state.failure?.surface).toMatch(/http|stop/);
  });

  it("without a finish reason is complete, because its JSON is", () => {
    expect(readWire("openai-chat", "json", answer({ content: "Hi" }, null))).toMatchObject({
      isComplete: true,
      failure: null,
    });
  });
});
