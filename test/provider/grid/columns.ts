// The packages of the grid: how each is asked the same questions, and what its caller sees. Nothing here knows a fault.

import Anthropic from "@anthropic-ai/sdk";
import { createAnthropic } from "@ai-sdk/anthropic";
import { createGoogle } from "@ai-sdk/google";
import { createOpenAI } from "@ai-sdk/openai";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import type { LanguageModelV4, LanguageModelV4CallOptions } from "@ai-sdk/provider";
import { GoogleGenAI } from "@google/genai";
import OpenAI from "openai";
import type { Chaos } from "../../../src/chaos/start-chaos.ts";
import type { ProtocolId } from "../../../src/chaos/wire.ts";

/** What is asked: text, an object, a tool call, or the rest of a started answer. */
export type Question = "text" | "json" | "tool" | "prefill";

/** What the caller has received. */
export interface Caught {
  /** The number of pieces of the answer; a whole answer is one. */
  readonly pieces: number;
  /** null if the answer was complete. */
  readonly error: unknown;
}

interface ColumnFacts {
  readonly name: string;
  readonly protocol: ProtocolId;
  /** As events name it. */
  readonly provider: string;
}

/** A package of the AI SDK, behind `fl.model`. */
export interface ModelColumn extends ColumnFacts {
  readonly through: "model";
  readonly model: (chaos: Chaos, fetch: typeof globalThis.fetch) => LanguageModelV4;
}

/** A vendor's own package, on `fl.fetch`. */
export interface FetchColumn extends ColumnFacts {
  readonly through: "fetch";
  readonly ask: (
    chaos: Chaos,
    fetch: typeof globalThis.fetch,
    question: Question,
    streaming: boolean,
  ) => Promise<unknown>;
}

export type Column = ModelColumn | FetchColumn;

const apiKey = "key-of-the-grid";
const PROMPT = "which way is north";
const BEGUN = "North is";
const SCHEMA = {
  type: "object" as const,
  properties: { city: { type: "string" as const }, days: { type: "integer" as const } },
  required: ["city", "days"],
  additionalProperties: false,
};
const TOOL = "get_weather";

export const COLUMNS: readonly Column[] = [
  {
    name: "@ai-sdk/openai chat",
    through: "model",
    protocol: "openai-chat",
    provider: "openai",
    model: (chaos, fetch) => createOpenAI({ baseURL: chaos.openaiUrl, apiKey, fetch }).chat("gpt-4o"),
  },
  {
    name: "@ai-sdk/openai responses",
    through: "model",
    protocol: "openai-responses",
    provider: "openai",
    model: (chaos, fetch) => createOpenAI({ baseURL: chaos.openaiUrl, apiKey, fetch }).responses("gpt-4o"),
  },
  {
    name: "@ai-sdk/anthropic",
    through: "model",
    protocol: "anthropic",
    provider: "anthropic",
    model: (chaos, fetch) =>
      createAnthropic({ baseURL: `${chaos.anthropicUrl}/v1`, apiKey, fetch })("claude-haiku-4-5"),
  },
  {
    name: "@ai-sdk/google",
    through: "model",
    protocol: "google",
    provider: "google",
    model: (chaos, fetch) => createGoogle({ baseURL: chaos.googleUrl, apiKey, fetch })("gemini-2.5-flash"),
  },
  {
    name: "@ai-sdk/openai-compatible",
    through: "model",
    protocol: "openai-chat",
    provider: "deepseek",
    model: (chaos, fetch) =>
      createOpenAICompatible({
        name: "deepseek",
        baseURL: chaos.openaiUrl,
        apiKey,
        fetch,
        includeUsage: true,
        supportsStructuredOutputs: true,
      })("deepseek-v4-pro"),
  },
  { name: "openai chat", through: "fetch", protocol: "openai-chat", provider: "openai", ask: askOpenAiChat },
  {
    name: "openai responses",
    through: "fetch",
    protocol: "openai-responses",
    provider: "openai",
    ask: askOpenAiResponses,
  },
  { name: "@anthropic-ai/sdk", through: "fetch", protocol: "anthropic", provider: "anthropic", ask: askAnthropic },
  { name: "@google/genai", through: "fetch", protocol: "google", provider: "google", ask: askGoogle },
];

/** Another vendor's model at another address, with a large context. */
export function standIn({ openaiUrl }: Chaos): LanguageModelV4 {
  return createOpenAICompatible({ name: "standby", baseURL: openaiUrl, apiKey })("standby-model");
}

function modelRequest(question: Question): LanguageModelV4CallOptions {
  const words: LanguageModelV4CallOptions = {
    prompt: [{ role: "user", content: [{ type: "text", text: PROMPT }] }],
    maxOutputTokens: 256,
  };
  switch (question) {
    case "text":
      return words;
    case "json":
      return { ...words, responseFormat: { type: "json", schema: SCHEMA, name: "place" } };
    case "tool":
      return { ...words, tools: [{ type: "function", name: TOOL, inputSchema: SCHEMA }] };
    case "prefill":
      return { ...words, prompt: [...words.prompt, { role: "assistant", content: [{ type: "text", text: BEGUN }] }] };
  }
}

/** The caller of a model: everything but the stream's framing is a piece. */
export async function askModel(model: LanguageModelV4, question: Question, streaming: boolean): Promise<Caught> {
  const seen = { pieces: 0, error: null as unknown };
  try {
    if (!streaming) {
      await model.doGenerate(modelRequest(question));
      return { pieces: 1, error: null };
    }
    const { stream } = await model.doStream(modelRequest(question));
    for await (const part of stream as AsyncIterable<{ readonly type: string; readonly error?: unknown }>) {
      if (part.type === "error") seen.error = part.error;
      else if (!FRAME.has(part.type)) seen.pieces += 1;
    }
    return seen;
  } catch (error) {
    return suppressed({ ...seen, error });
  }
}

const FRAME: ReadonlySet<string> = new Set([
  "stream-start",
  "response-metadata",
  "text-start",
  "text-end",
  "finish",
  "raw",
]);

/** The caller of a vendor's own package: every event is a piece. */
export async function askClient(asking: Promise<unknown>, streaming: boolean): Promise<Caught> {
  let pieces = 0;
  try {
    const answer = await asking;
    // An SDK that does not understand an answer may return its text.
    if (!streaming) return { pieces: typeof answer === "object" ? 1 : 0, error: null };
    for await (const event of answer as AsyncIterable<unknown>) if (event !== undefined) pieces += 1;
    return { pieces, error: null };
  } catch (error) {
    return suppressed({ pieces, error });
  }
}

/** The test looks for the error, so it is returned. */
function suppressed(caught: Caught): Caught {
  return caught;
}

const USER = { role: "user", content: PROMPT } as const;
const ASSISTANT = { role: "assistant", content: BEGUN } as const;
const turnsOf = (question: Question): [typeof USER] | [typeof USER, typeof ASSISTANT] =>
  question === "prefill" ? [USER, ASSISTANT] : [USER];

function askOpenAiChat(
  { openaiUrl }: Chaos,
  fetch: typeof globalThis.fetch,
  question: Question,
  stream: boolean,
): Promise<unknown> {
  const client = new OpenAI({ baseURL: openaiUrl, apiKey, maxRetries: 0, fetch });
  return client.chat.completions.create({
    model: "gpt-4o",
    messages: turnsOf(question),
    max_completion_tokens: 256,
    stream,
    ...(stream ? { stream_options: { include_usage: true } } : {}),
    ...(question === "json"
      ? { response_format: { type: "json_schema", json_schema: { name: "place", schema: SCHEMA } } }
      : {}),
    ...(question === "tool" ? { tools: [{ type: "function", function: { name: TOOL, parameters: SCHEMA } }] } : {}),
  });
}

function askOpenAiResponses(
  { openaiUrl }: Chaos,
  fetch: typeof globalThis.fetch,
  question: Question,
  stream: boolean,
): Promise<unknown> {
  const client = new OpenAI({ baseURL: openaiUrl, apiKey, maxRetries: 0, fetch });
  return client.responses.create({
    model: "gpt-4o",
    input: turnsOf(question),
    max_output_tokens: 256,
    stream,
    ...(question === "json" ? { text: { format: { type: "json_schema", name: "place", schema: SCHEMA } } } : {}),
    ...(question === "tool" ? { tools: [{ type: "function", name: TOOL, parameters: SCHEMA, strict: true }] } : {}),
  });
}

function askAnthropic(
  { anthropicUrl }: Chaos,
  fetch: typeof globalThis.fetch,
  question: Question,
  stream: boolean,
): Promise<unknown> {
  const client = new Anthropic({ baseURL: anthropicUrl, apiKey, maxRetries: 0, fetch });
  return client.messages.create({
    model: "claude-haiku-4-5",
    max_tokens: 256,
    messages: turnsOf(question),
    stream,
    ...(question === "json" ? { output_config: { format: { type: "json_schema", schema: SCHEMA } } } : {}),
    ...(question === "tool" ? { tools: [{ name: TOOL, input_schema: SCHEMA }] } : {}),
  });
}

function askGoogle(
  { url }: Chaos,
  fetch: typeof globalThis.fetch,
  question: Question,
  stream: boolean,
): Promise<unknown> {
  const client = new GoogleGenAI({ apiKey, httpOptions: { baseUrl: url, fetch } });
  const contents = [
    { role: "user", parts: [{ text: PROMPT }] },
    ...(question === "prefill" ? [{ role: "model", parts: [{ text: BEGUN }] }] : []),
  ];
  const config = {
    maxOutputTokens: 256,
    ...(question === "json" ? { responseMimeType: "application/json", responseJsonSchema: SCHEMA } : {}),
    ...(question === "tool"
      ? { tools: [{ functionDeclarations: [{ name: TOOL, parametersJsonSchema: SCHEMA }] }] }
      : {}),
  };
  const asked = { model: "gemini-2.5-flash", contents, config };
  return stream ? client.models.generateContentStream(asked) : client.models.generateContent(asked);
}
