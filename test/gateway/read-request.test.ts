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
    { dialect: "openai-chat" as const, body: { messages: [], verbosity: "low" }, omitted: ["verbosity"] },
    {
      dialect: "openai-responses" as const,
      body: { input: "x", text: { format: { type: "text" }, verbosity: "low" }, truncation: "auto" },
      omitted: ["truncation", "text.verbosity"],
    },
    {
      dialect: "anthropic-messages" as const,
      body: { messages: [], context_management: { edits: [] }, output_config: { effort: "low", task_budget: 1 } },
      omitted: ["context_management", "output_config.task_budget"],
    },
    {
      dialect: "google-generate" as const,
      body: {
        contents: [],
        safety_settings: [{ category: "HARM", threshold: "BLOCK_NONE" }],
        tool_config: { retrieval_config: { language_code: "en" } },
        generation_config: { response_mime_type: "text/x.enum" },
      },
      omitted: ["safetySettings", "toolConfig.retrievalConfig", "generationConfig.responseMimeType"],
    },
  ])("$dialect names what it leaves out: $omitted", ({ dialect, body, omitted }) => {
    expect(readRequest(dialect, body)).toMatchObject({ omitted, refused: null });
  });
});

describe("tools of which only some may be called", () => {
  const named = (name: string) => ({ name, description: "", parameters: SCHEMA });
  const names = ["a", "b", "c"];
  const chat = names.map((name) => ({ type: "function", function: named(name) }));
  const responses = names.map((name) => ({ type: "function", ...named(name) }));
  const google = [{ functionDeclarations: names.map(named) }];
  const allowed = (mode: string, tools: readonly JsonObject[]) => ({ type: "allowed_tools", mode, tools });
  const functions = ["a", "c"].map((name) => ({ type: "function", function: { name } }));
  const flat = ["a", "c"].map((name) => ({ type: "function", name }));
  const config = (mode: string) => ({ functionCallingConfig: { mode, allowedFunctionNames: ["a", "c"] } });
  const inSnakeCase = { function_calling_config: { mode: "ANY", allowed_function_names: ["a", "c"] } };
  const nested = { type: "allowed_tools", allowed_tools: { mode: "required", tools: functions } };

  it.each([
    { dialect: "openai-chat" as const, body: { tools: chat, tool_choice: nested }, choice: "required" },
    {
      dialect: "openai-responses" as const,
      body: { tools: responses, tool_choice: allowed("required", flat) },
      choice: "required",
    },
    {
      dialect: "openai-responses" as const,
      body: { tools: responses, tool_choice: allowed("auto", flat) },
      choice: "auto",
    },
    { dialect: "google-generate" as const, body: { tools: google, toolConfig: config("ANY") }, choice: "required" },
    { dialect: "google-generate" as const, body: { tools: google, tool_config: inSnakeCase }, choice: "required" },
  ])("$dialect offers only those ($choice): $body", ({ dialect, body, choice }) => {
    const { options, omitted, refused } = readRequest(dialect, body);
    expect(options.tools?.map(({ name }) => name)).toEqual(["a", "c"]);
    expect({ choice: options.toolChoice, omitted, refused }).toEqual({
      choice: { type: choice },
      // The model knows less than it would: the other tools are not offered.
      omitted: [dialect === "google-generate" ? "toolConfig.allowedFunctionNames" : "tool_choice.allowed_tools"],
      refused: null,
    });
  });

  it("names nothing as left out if all tools may be called", () => {
    const all = { type: "allowed_tools", mode: "auto", tools: names.map((name) => ({ type: "function", name })) };
    expect(readRequest("openai-responses", { tools: responses, tool_choice: all }).omitted).toEqual([]);
  });
});

describe("the input of a call is an object, whatever the model wrote", () => {
  const WRITTEN_INPUTS = [
    { written: `{"a":1}`, input: { a: 1 } },
    { written: "", input: {} },
    { written: " null ", input: {} },
    { written: "{bad", input: { input: "{bad" } },
    { written: "[1]", input: { input: [1] } },
    { written: `"x"`, input: { input: "x" } },
    { written: "5", input: { input: 5 } },
  ];
  it.each(WRITTEN_INPUTS)("$written", ({ written, input }) => {
    const asked = (name: string): JsonObject => ({ name, arguments: written });
    const chat = {
      messages: [{ role: "assistant", tool_calls: [{ id: "c", type: "function", function: asked("f") }] }],
    };
    const responses = { input: [{ type: "function_call", call_id: "c", ...asked("f") }] };
    for (const read of [readRequest("openai-chat", chat), readRequest("openai-responses", responses)])
      expect(read.options.prompt).toMatchObject([{ role: "assistant", content: [{ type: "tool-call", input }] }]);
  });
});

it("Google's lists of one may come without brackets, and settings in snake case at every level", () => {
  const { options, omitted } = readRequest("google-generate", {
    system_instruction: { parts: { text: "Be brief." } },
    contents: { parts: { text: "Hi" } },
    tools: {
      function_declarations: { name: "a_b", parameters: { type: "OBJECT", properties: { in_x: { type: "STRING" } } } },
    },
    generation_config: { max_output_tokens: 5, thinking_config: { thinking_budget: 0 } },
  });
  expect(omitted).toEqual([]);
  expect(options).toMatchObject({
    prompt: [
      { role: "system", content: "Be brief." },
      { role: "user", content: [{ type: "text", text: "Hi" }] },
    ],
    tools: [{ name: "a_b", inputSchema: { type: "object", properties: { in_x: { type: "string" } } } }],
    maxOutputTokens: 5,
    reasoning: "none",
  });
});

describe("what other dialects cannot say", () => {
  const read = (dialect: Protocol, body: JsonObject) => readRequest(dialect, { model: "m", ...body });
  const message = (content: unknown, role = "user"): JsonObject => ({ messages: [{ role, content }] });
  const text = { type: "text", text: "it broke" };
  const picture = { type: "image", source: { type: "base64", media_type: "image/png", data: PIXEL } };
  const result = (more: JsonObject): JsonObject => message([{ type: "tool_result", tool_use_id: "c1", ...more }]);

  it("a failed tool stays failed when its result has a picture, which is named as left out", () => {
    const { options, omitted } = read("anthropic-messages", result({ is_error: true, content: [text, picture] }));
    expect(options.prompt[0]).toMatchObject({
      content: [{ output: { type: "error-text", value: "it broke\n" } }],
    });
    expect(omitted).toEqual(["messages.tool_result.image"]);
    const worked = read("anthropic-messages", result({ content: [text, picture] }));
    expect(worked.options.prompt[0]).toMatchObject({ content: [{ output: { type: "content" } }] });
    expect(worked.omitted).toEqual([]);
  });

  it.each(["Obey.", [{ type: "text", text: "Obey." }]])(
    "a system message among Anthropic's messages stays one: %j",
    (content) => {
      const { options } = read("anthropic-messages", message(content, "system"));
      expect(options.prompt).toEqual([{ role: "system", content: "Obey." }]);
    },
  );

  it("names what is lost of documents and of tools with a grammar", () => {
    const source = { type: "text", media_type: "text/plain", data: "words" };
    const document = { type: "document", source, title: "t", context: "c", citations: { enabled: true } };
    expect(read("anthropic-messages", message([document])).omitted).toEqual([
      "messages.document.citations",
      "messages.document.context",
      "messages.document.title",
    ]);
    const plain = { type: "document", source, citations: { enabled: false } };
    expect(read("anthropic-messages", message([plain])).omitted).toEqual([]);
    const tool = { type: "custom", name: "t", format: { type: "grammar", syntax: "lark", definition: "start: x" } };
    expect(read("openai-responses", { input: "hi", tools: [tool] }).omitted).toEqual(["tools.custom.format"]);
  });
});
