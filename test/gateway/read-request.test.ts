// The same request, written in four dialects, is read as the same options.

import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../src/core/json-fields.ts";
import type { Protocol } from "../../src/provider/wire/protocol.ts";
import { readRequest } from "../../src/gateway/translate/read-request.ts";
import { DIALECTS } from "./dialect-clients.ts";

const SCHEMA = { type: "object", properties: { city: { type: "string" } } };
const PIXEL = "iVBORw0KGgo=";

const WRITTEN: Readonly<Record<Protocol, JsonObject>> = {
  "openai-chat": {
    model: "m",
    messages: [
      { role: "system", content: "Be brief." },
      {
        role: "user",
        content: [
          { type: "text", text: "What is this?" },
          { type: "image_url", image_url: { url: `data:image/png;base64,${PIXEL}` } },
        ],
      },
      {
        role: "assistant",
        content: "Let me look.",
        tool_calls: [{ id: "c1", type: "function", function: { name: "weather", arguments: '{"city":"Oslo"}' } }],
      },
      { role: "tool", tool_call_id: "c1", content: "rain" },
      { role: "user", content: "Thanks." },
    ],
    tools: [{ type: "function", function: { name: "weather", description: "Looks it up", parameters: SCHEMA } }],
    tool_choice: { type: "function", function: { name: "weather" } },
    response_format: { type: "json_schema", json_schema: { name: "r", schema: SCHEMA } },
    max_completion_tokens: 100,
    temperature: 0.5,
    top_p: 0.9,
    reasoning_effort: "low",
  },
  "openai-responses": {
    model: "m",
    instructions: "Be brief.",
    input: [
      {
        role: "user",
        content: [
          { type: "input_text", text: "What is this?" },
          { type: "input_image", image_url: `data:image/png;base64,${PIXEL}` },
        ],
      },
      { role: "assistant", content: [{ type: "output_text", text: "Let me look." }] },
      { type: "function_call", call_id: "c1", name: "weather", arguments: '{"city":"Oslo"}' },
      { type: "function_call_output", call_id: "c1", output: "rain" },
      { role: "user", content: "Thanks." },
    ],
    tools: [{ type: "function", name: "weather", description: "Looks it up", parameters: SCHEMA }],
    tool_choice: { type: "function", name: "weather" },
    text: { format: { type: "json_schema", name: "r", schema: SCHEMA } },
    max_output_tokens: 100,
    temperature: 0.5,
    top_p: 0.9,
    reasoning: { effort: "low" },
  },
  "anthropic-messages": {
    model: "m",
    system: "Be brief.",
    messages: [
      {
        role: "user",
        content: [
          { type: "text", text: "What is this?" },
          { type: "image", source: { type: "base64", media_type: "image/png", data: PIXEL } },
        ],
      },
      {
        role: "assistant",
        content: [
          { type: "text", text: "Let me look." },
          { type: "tool_use", id: "c1", name: "weather", input: { city: "Oslo" } },
        ],
      },
      {
        role: "user",
        content: [
          { type: "tool_result", tool_use_id: "c1", content: "rain" },
          { type: "text", text: "Thanks." },
        ],
      },
    ],
    tools: [{ name: "weather", description: "Looks it up", input_schema: SCHEMA }],
    tool_choice: { type: "tool", name: "weather" },
    output_config: { format: { type: "json_schema", schema: SCHEMA } },
    max_tokens: 100,
    temperature: 0.5,
    top_p: 0.9,
    thinking: { type: "enabled", budget_tokens: 2_000 },
  },
  "google-generate": {
    systemInstruction: { parts: [{ text: "Be brief." }] },
    contents: [
      { role: "user", parts: [{ text: "What is this?" }, { inlineData: { mimeType: "image/png", data: PIXEL } }] },
      {
        role: "model",
        parts: [{ text: "Let me look." }, { functionCall: { id: "c1", name: "weather", args: { city: "Oslo" } } }],
      },
      {
        role: "user",
        parts: [{ functionResponse: { id: "c1", name: "weather", response: { output: "rain" } } }, { text: "Thanks." }],
      },
    ],
    tools: [
      {
        functionDeclarations: [
          {
            name: "weather",
            description: "Looks it up",
            parameters: { type: "OBJECT", properties: { city: { type: "STRING" } } },
          },
        ],
      },
    ],
    toolConfig: { functionCallingConfig: { mode: "ANY", allowedFunctionNames: ["weather"] } },
    generationConfig: {
      responseMimeType: "application/json",
      responseJsonSchema: SCHEMA,
      maxOutputTokens: 100,
      temperature: 0.5,
      topP: 0.9,
      thinkingConfig: { thinkingBudget: 2_000 },
    },
  },
};

it.each(DIALECTS)("%s reads as what they all mean", (dialect) => {
  const { options, omitted, refused } = readRequest(dialect, WRITTEN[dialect]);
  expect({ omitted, refused }).toEqual({ omitted: [], refused: null });
  expect(options).toMatchObject({
    prompt: [
      { role: "system", content: "Be brief." },
      {
        role: "user",
        content: [
          { type: "text", text: "What is this?" },
          { type: "file", mediaType: "image/png", data: { type: "data", data: PIXEL } },
        ],
      },
      {
        role: "assistant",
        content: [
          { type: "text", text: "Let me look." },
          { type: "tool-call", toolCallId: "c1", toolName: "weather", input: { city: "Oslo" } },
        ],
      },
      {
        role: "tool",
        content: [
          { type: "tool-result", toolCallId: "c1", toolName: "weather", output: { type: "text", value: "rain" } },
        ],
      },
      { role: "user", content: [{ type: "text", text: "Thanks." }] },
    ],
    tools: [{ type: "function", name: "weather", description: "Looks it up", inputSchema: SCHEMA }],
    toolChoice: { type: "tool", toolName: "weather" },
    responseFormat: { type: "json", schema: SCHEMA },
    maxOutputTokens: 100,
    temperature: 0.5,
    topP: 0.9,
    reasoning: "low",
  });
});

describe("what only one dialect has", () => {
  it.each([
    { dialect: "openai-chat" as const, body: { messages: [], n: 2 } },
    {
      dialect: "openai-chat" as const,
      body: { messages: [{ role: "user", content: [{ type: "file", file: { file_id: "f" } }] }] },
    },
    { dialect: "openai-responses" as const, body: { input: "x", previous_response_id: "resp_1" } },
    { dialect: "openai-responses" as const, body: { input: [{ type: "item_reference", id: "x" }] } },
    {
      dialect: "anthropic-messages" as const,
      body: { messages: [{ role: "user", content: [{ type: "image", source: { type: "file", file_id: "f" } }] }] },
    },
    { dialect: "google-generate" as const, body: { contents: [], cachedContent: "c" } },
    { dialect: "google-generate" as const, body: { contents: [], generationConfig: { candidateCount: 2 } } },
  ])("$dialect is refused if leaving it out would change the meaning: $body", ({ dialect, body }) => {
    expect(readRequest(dialect, body).refused).not.toBeNull();
  });

  it.each([
    { dialect: "openai-chat" as const, body: { messages: [], logit_bias: { 1: 1 } }, omitted: ["logit_bias"] },
    {
      dialect: "openai-responses" as const,
      body: { input: "x", tools: [{ type: "web_search" }] },
      omitted: ["tools.web_search"],
    },
    { dialect: "anthropic-messages" as const, body: { messages: [], service_tier: "auto" }, omitted: ["service_tier"] },
    {
      dialect: "google-generate" as const,
      body: { contents: [], generationConfig: { responseLogprobs: true } },
      omitted: ["generationConfig.responseLogprobs"],
    },
  ])("$dialect names what it leaves out: $omitted", ({ dialect, body, omitted }) => {
    expect(readRequest(dialect, body)).toMatchObject({ omitted, refused: null });
  });
});
