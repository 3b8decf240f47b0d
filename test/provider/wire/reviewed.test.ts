// What is read from every kind of event and body of the four protocols, compared with a file per protocol. Each case is read as a stream and as
// a body, with its text kept. A change that is meant shows as a difference of these files
// (`npx vitest run test/provider/wire/reviewed.test.ts -u` writes them again).

import { describe, expect, it } from "vitest";
import type { Protocol } from "../../../src/provider/wire/protocol.ts";
import { Utf8Pieces, createWireReader } from "../../../src/provider/wire/wire-reader.ts";
import { bytesOf, dataEvents, readWire } from "./read-wire.ts";

type Case = readonly unknown[];

/** Ends and errors that any protocol may meet. */
const ANY: readonly Case[] = [
  [{ error: { message: "m", code: "rate_limit_exceeded" } }],
  [{ error: "m" }],
  [{ error: "" }],
  [{ type: "error", message: "m" }],
  [{ object: "error", message: "m", code: 42_901 }],
  [{ type: "error", error: { type: "overloaded_error", message: "m" }, request_id: "req_1" }],
  ["[DONE]"],
  ["not JSON"],
  ["{"],
  ['"text"'],
  ["[1]"],
  [{ unknown: 1 }],
  [{ unknown: 1 }, { error: { message: "m" } }, { unknown: 2 }],
];

const choice = (delta: object | null, more: object = {}): object => ({ choices: [{ index: 0, delta, ...more }] });
const call = (...calls: readonly unknown[]): object => choice({ tool_calls: calls });
const usage = (counts: object, more: object = {}): object => ({ choices: [], usage: counts, ...more });

const CHAT: readonly Case[] = [
  [choice({ content: "Hi" }), choice({}, { finish_reason: "stop" })],
  [choice({ content: "Hi" }), choice({}, { finish_reason: "length" })],
  [choice({ content: "Hi" }), choice({}, { finish_reason: "content_filter" }), "[DONE]"],
  [choice({ content: "", refusal: null, role: "assistant" })],
  [
    choice({
      content: [{ type: "text", text: "Hi" }, { type: "thinking", thinking: "hm" }, { type: "image" }, null, 5],
    }),
  ],
  [choice({ content: [{ type: "thinking", thinking: [{ text: "hm" }] }] })],
  [choice({ content: [{ type: "image" }] })],
  [choice({ content: { text: "x" } })],
  [choice({ reasoning_content: "hm" })],
  [choice({ reasoning: "hm" }), choice({ content: "Hi" })],
  [choice({ reasoning_details: [{ text: "hm" }] })],
  [choice({ reasoning_details: [] })],
  [choice({ refusal: "no" })],
  [choice({ audio: { data: "x" } })],
  [choice({ images: [] })],
  [choice({ images: ["x"] })],
  [choice({ function_call: { arguments: "{}" } })],
  [call({ index: 0 })],
  [
    call({ index: 0, id: "c", function: { name: "f", arguments: "{" } }, null, {
      index: 0,
      function: { arguments: "}" },
    }),
  ],
  [call({ id: "c", custom: { input: "abc" } })],
  [call({ id: "" })],
  [choice(null, { message: { content: "Hi" }, finish_reason: "stop" })],
  [choice(null, { error: { message: "m", code: 502 } })],
  [choice({ content: "Hi" }, { error: {} })],
  [{ choices: [null, 5, { index: 1, delta: { content: "b" } }, { index: 0, finish_reason: "stop" }] }],
  [{ choices: [{ index: 0 }, { index: 1 }] }, { choices: [{ index: 0, finish_reason: "stop" }] }],
  [
    {
      choices: [
        { index: 0, finish_reason: "stop" },
        { index: 1, finish_reason: "length" },
      ],
    },
  ],
  [{ choices: Array.from({ length: 300 }, (_, index) => ({ index, delta: { content: "x" } })) }],
  [{ choices: Array.from({ length: 300 }, (_, index) => ({ index, finish_reason: "stop" })) }],
  [usage({ prompt_tokens: 9, completion_tokens: 5, total_tokens: 14 })],
  [
    usage({
      prompt_tokens: 9,
      completion_tokens: 5,
      total_tokens: 17,
      completion_tokens_details: { reasoning_tokens: 3 },
    }),
  ],
  [
    usage(
      { input_tokens: 9, output_tokens: 5, output_tokens_details: { reasoning_tokens: 3 }, total_tokens: 14 },
      { service_tier: "flex" },
    ),
  ],
  [usage({ prompt_tokens: 9, prompt_tokens_details: { cached_tokens: 2, cache_write_tokens: 1 } })],
  [usage({ prompt_tokens: 9, prompt_cache_hit_tokens: 4, input_tokens_details: {} })],
  [{ x_groq: { usage: { prompt_tokens: 2 } } }],
  [{ x_groq: { error: "over capacity" } }],
  [{ x_groq: {} }],
];

const message = (more: object): object => ({ type: "message_delta", ...more });
const MESSAGES: readonly Case[] = [
  [
    {
      type: "message_start",
      message: {
        usage: {
          input_tokens: 3,
          output_tokens: 1,
          cache_read_input_tokens: 5,
          cache_creation_input_tokens: 7,
          cache_creation: { ephemeral_1h_input_tokens: 4 },
          service_tier: "priority",
        },
      },
    },
    message({ usage: { output_tokens: 9, output_tokens_details: { thinking_tokens: 2 } } }),
  ],
  [
    { type: "message_start", message: { usage: { input_tokens: 8, output_tokens: 4 } } },
    message({ usage: { input_tokens: 2, output_tokens: 1, speed: "fast" } }),
  ],
  [message({ usage: { output_tokens: 0, service_tier: "batch" } })],
  [message({ delta: { stop_reason: "" } }), { type: "message_stop" }],
  [message({ delta: { stop_reason: "end_turn" } }), { type: "message_stop" }],
  [message({ delta: { stop_reason: "max_tokens" } }), { type: "message_stop" }],
  [{ type: "message_stop" }],
  [{ type: "ping" }],
  [{ type: "content_block_start" }],
  [{ type: "content_block_stop" }],
  ...[
    { type: "text", text: "" },
    { type: "text", text: "Hi" },
    { type: "thinking", thinking: "hm" },
    { type: "redacted_thinking", data: "x" },
    { type: "redacted_thinking", data: "" },
    { type: "tool_use", input: {} },
    { type: "tool_use", input: { a: 1 } },
    { type: "server_tool_use" },
  ].map((block): Case => [{ type: "content_block_start", content_block: block }]),
  ...[
    { type: "text_delta", text: "Hi" },
    { type: "text_delta", text: "" },
    { type: "thinking_delta", thinking: "hm" },
    { type: "signature_delta", signature: "s" },
    { type: "signature_delta", signature: "" },
    { type: "input_json_delta", partial_json: '{"a"' },
    { type: "input_json_delta", partial_json: "" },
    { type: "citations_delta" },
    { type: "unheard_of" },
  ].map((delta): Case => [{ type: "content_block_delta", delta }]),
  [
    {
      type: "message",
      content: [{ type: "text", text: "Hi" }, null],
      stop_reason: "end_turn",
      usage: { input_tokens: 1 },
    },
  ],
  [{ type: "message", stop_reason: null }],
  [{ content: [{ type: "text", text: "Hi" }], stop_reason: "" }],
  [{ content: "Hi", stop_reason: "end_turn" }],
];

const event = (type: string, more: object = {}): object => ({ type: `response.${type}`, ...more });
const DONE = { object: "response", status: "completed" };
const RESPONSES: readonly Case[] = [
  ...["created", "queued", "in_progress", "content_part.added", "unheard_of.delta"].map((type): Case => [event(type)]),
  ...[
    ...["output_text.delta", "reasoning_text.delta", "reasoning_summary_text.delta", "refusal.delta"],
    ...[
      "function_call_arguments.delta",
      "custom_tool_call_input.delta",
      "shell_call_command.delta",
      "unheard_of.delta",
    ],
  ].flatMap((type): readonly Case[] => [[event(type, { delta: "abc" })], [event(type, { delta: "" })]]),
  [event("refusal.done", { refusal: "no" })],
  [event("refusal.done", { refusal: "" })],
  [event("image_generation_call.partial_image")],
  [{ type: "keepalive" }],
  [{ type: "other" }],
  ...["message", "reasoning", "function_call", "computer_call", "web_search_call"].map((type): Case => [
    event("output_item.added", { item: { type, arguments: "{}" } }),
  ]),
  [event("output_item.added")],
  ...["completed", "incomplete", "failed", "cancelled"].flatMap((type): readonly Case[] => [
    [event(type)],
    [
      event("output_text.delta", { delta: "Hi" }),
      event(type, {
        response: { status: type, output: [{ type: "message", content: [{ type: "output_text", text: "Ho" }] }] },
      }),
    ],
  ]),
  [event("completed", { response: { ...DONE, usage: { input_tokens: 4, output_tokens: 2 }, service_tier: "flex" } })],
  [event("incomplete", { response: { status: "incomplete", incomplete_details: { reason: "max_output_tokens" } } })],
  [event("failed", { response: { status: "failed", error: { code: "server_error", message: "m" }, error_type: "t" } })],
  [
    {
      ...DONE,
      output: [
        { type: "reasoning", summary: ["hm"] },
        { type: "message", content: [{ type: "output_text", text: "Hi" }, { type: "refusal" }, null] },
      ],
    },
  ],
  [{ ...DONE, output: [{ type: "reasoning", content: ["hm"] }] }],
  [{ ...DONE, output: [{ type: "reasoning", summary: [], content: [] }] }],
  [
    {
      ...DONE,
      output: [{ type: "message", content: [{ type: "image" }] }, { type: "function_call", arguments: "{}" }, null],
    },
  ],
  [{ output: [], status: "" }],
  [{ object: "response" }],
  [{ object: "list", output: "x" }],
  ...["queued", "in_progress", "failed", "cancelled"].map((status): Case => [{ ...DONE, status }]),
];

const candidate = (...parts: readonly unknown[]): object => ({ candidates: [{ content: { parts } }] });
const GOOGLE: readonly Case[] = [
  [candidate({ text: "Hi" }), { candidates: [{ finishReason: "STOP" }] }],
  [candidate({ text: "Hi" }), { candidates: [{ finishReason: "MAX_TOKENS" }] }],
  [candidate({ text: "Hi" }), { candidates: [{ finishReason: "OTHER" }] }],
  [{ candidates: [{ finishReason: "OTHER" }] }],
  [{ candidates: [{ finishReason: "SAFETY" }] }],
  [{ candidates: [{ finishReason: "FINISH_REASON_UNSPECIFIED" }] }],
  [candidate({ text: "hm", thought: true })],
  [candidate({ text: "", thought: true }, null)],
  [candidate({ functionCall: { name: "f", args: { a: 1 } } })],
  [candidate({ functionCall: {} })],
  ...["inlineData", "fileData", "executableCode", "codeExecutionResult", "toolCall", "toolResponse"].map(
    (field): Case => [candidate({ [field]: { a: 1 } })],
  ),
  [{ candidates: [null, { index: 1, finishReason: "STOP" }] }],
  [{ candidates: [] }],
  [{ promptFeedback: {} }],
  [{ promptFeedback: { blockReason: "SAFETY" } }],
  [{ responseId: "r" }],
  [{ responseId: 5 }],
  [
    {
      usageMetadata: {
        promptTokenCount: 9,
        toolUsePromptTokenCount: 2,
        cachedContentTokenCount: 3,
        candidatesTokenCount: 4,
        thoughtsTokenCount: 5,
        serviceTier: "flex",
      },
    },
  ],
  [{ usageMetadata: {} }],
];

const CASES: Readonly<Record<Protocol, readonly Case[]>> = {
  "openai-chat": CHAT,
  "openai-responses": RESPONSES,
  "anthropic-messages": MESSAGES,
  "google-generate": GOOGLE,
};
const bodyOf = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value));

describe.each(Object.entries(CASES) as [Protocol, readonly Case[]][])("an answer of %s", (protocol, cases) => {
  it("is read as the file says, streamed and whole", async () => {
    const lines = [...cases, ...ANY].flatMap((events) => {
      const options = { provider: "p", keepText: true, wantsJson: events.length > 2, limits: { textCharacters: 100 } };
      const streamed = readWire(protocol, "stream", dataEvents(...events), options);
      const whole = readWire(protocol, "json", bodyOf(events[0]), options);
      const unended = readWire(protocol, "stream", dataEvents(...events).trimEnd(), {});
      const bare = readWire(protocol, "stream", `: ping\n\n${bodyOf(events.at(-1))}`, {});
      const shown = JSON.stringify(events);
      return [
        shown.length > 300 ? `${shown.slice(0, 60)}…` : shown,
        ...[streamed, whole, unended, bare].map((state) => `  ${JSON.stringify(state)}`),
      ];
    });
    await expect(`${lines.join("\n")}\n`).toMatchFileSnapshot(`reviewed/${protocol}.txt`);
  });

  it("is not read any further after its end", () => {
    const [events = []] = cases;
    const reader = createWireReader(protocol, "stream");
    reader.push(bytesOf(dataEvents(...events)));
    reader.end();
    const before = structuredClone(reader.state);
    reader.push(bytesOf(dataEvents(...events, { error: { message: "m" } })));
    reader.end();
    expect(reader.state).toEqual(before);
  });
});

describe("bytes", () => {
  const mark = "\uFEFF";

  it.each(["", "a", "aé", "é", "é€😀z", `${mark}a`, `a${mark}`, mark, `${mark}${mark}é`, "\u007F", "\u0080"])(
    "of %j are the same text, however they are cut, without a mark at their beginning",
    (text) => {
      const bytes = bytesOf(text);
      for (const size of [1, 2, 3, 100]) {
        const pieces = new Utf8Pieces();
        let read = "";
        for (let at = 0; at < bytes.length; at += size) read += pieces.next(bytes.slice(at, at + size));
        expect(read + pieces.rest()).toBe(text.startsWith(mark) ? text.slice(1) : text);
      }
    },
  );

  it("that end within a character end in a replacement for it", () => {
    const pieces = new Utf8Pieces();
    expect(pieces.next(bytesOf("a€").slice(0, 2)) + pieces.rest()).toBe("a\uFFFD");
    expect(pieces.next(new Uint8Array())).toBe("");
  });
});
