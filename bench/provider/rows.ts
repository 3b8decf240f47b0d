// The calls that are compared: each with a bare client, and with the same client protected.

import { createAnthropic } from "@ai-sdk/anthropic";
import { createOpenAI } from "@ai-sdk/openai";
import type { LanguageModelV4 } from "@ai-sdk/provider";
import { generateText, jsonSchema, type ModelMessage, streamText, tool, type ToolSet } from "ai";
import OpenAI from "openai";
import { createFaultline } from "../../src/index.ts";
import type { Sides } from "./compare.ts";

export interface Upstream {
  readonly openaiUrl: string;
  readonly anthropicUrl: string;
}

type Use = (upstream: Upstream) => Sides;

interface Row {
  readonly name: string;
  readonly use: Use;
}

const ONE_WORD: Asked = { messages: [{ role: "user", content: "hello" }] };

const INPUT = jsonSchema({
  type: "object",
  properties: {
    path: { type: "string", description: prose(60) },
    from: { type: "number", description: prose(60) },
    mode: { type: "string", enum: ["read", "write"] },
  },
  required: ["path"],
  additionalProperties: false,
});

/** About twelve thousand characters: instructions, six tools, and four turns in which a file was read. */
const BEGINNING = agentAsks(3_000, 6, 4);
/** About sixty thousand, or fifteen thousand tokens. */
const MIDST = agentAsks(8_000, 16, 24);

function agentAsks(instructions: number, tools: number, turns: number): Asked {
  return {
    instructions: prose(instructions),
    messages: [{ role: "user", content: prose(400) }, ...numbers(turns).flatMap(turnOf)],
    tools: Object.fromEntries(
      numbers(tools).map((number) => [`tool${number}`, tool({ description: prose(400), inputSchema: INPUT })]),
    ),
  };
}

function turnOf(number: number): readonly ModelMessage[] {
  const call = { toolCallId: `call_${number}`, toolName: "tool0" };
  return [
    {
      role: "assistant",
      content: [
        { type: "text", text: prose(200) },
        { type: "tool-call", ...call, input: { path: `src/file-${number}.ts` } },
      ],
    },
    { role: "tool", content: [{ type: "tool-result", ...call, output: { type: "text", value: prose(1_400) } }] },
  ];
}

function numbers(count: number): readonly number[] {
  return Array.from({ length: count }, (_, index) => index);
}

function prose(characters: number): string {
  return "The quick brown fox jumps over the lazy dog. ".repeat(Math.ceil(characters / 45)).slice(0, characters);
}

export const ROWS: readonly [Row, ...Row[]] = [
  { name: "openai chat, generateText, beginning", use: chained(openai, generate, BEGINNING) },
  { name: "openai chat, streamText, beginning", use: chained(openai, stream, BEGINNING) },
  { name: "openai chat, generateText, midst", use: chained(openai, generate, MIDST) },
  { name: "openai chat, streamText, midst", use: chained(openai, stream, MIDST) },
  { name: "anthropic, generateText, beginning", use: chained(anthropic, generate, BEGINNING) },
  { name: "anthropic, streamText, beginning", use: chained(anthropic, stream, BEGINNING) },
  { name: "anthropic, generateText, midst", use: chained(anthropic, generate, MIDST) },
  { name: "anthropic, streamText, midst", use: chained(anthropic, stream, MIDST) },
  { name: "openai chat, generateText, one word", use: chained(openai, generate, ONE_WORD) },
  { name: "openai chat, streamText, one word", use: chained(openai, stream, ONE_WORD) },
  { name: "openai SDK, whole answer, fl.fetch", use: fetched(ask) },
  { name: "openai SDK, stream, fl.fetch", use: fetched(askStream) },
];

function openai({ openaiUrl }: Upstream): LanguageModelV4 {
  return createOpenAI({ baseURL: openaiUrl, apiKey: "none" }).chat("gpt-5");
}

function anthropic({ anthropicUrl }: Upstream): LanguageModelV4 {
  return createAnthropic({ baseURL: `${anthropicUrl}/v1`, apiKey: "none" })("claude-sonnet-4-5");
}

function chained(
  modelAt: (upstream: Upstream) => LanguageModelV4,
  call: (model: LanguageModelV4, asked: Asked) => Promise<unknown>,
  asked: Asked,
): Use {
  return (upstream) => {
    const model = modelAt(upstream);
    const thinnest = thin(model);
    const chain = createFaultline().model([model]);
    return {
      bare: () => call(model, asked),
      floor: () => call(thinnest, asked),
      ours: () => call(chain, asked),
    };
  };
}

/** A signal that aborts the call, and a second stream in which the wrapper sees the parts. */
function thin(model: LanguageModelV4): LanguageModelV4 {
  return {
    specificationVersion: "v4",
    provider: model.provider,
    modelId: model.modelId,
    supportedUrls: model.supportedUrls,
    doGenerate: (options) => model.doGenerate({ ...options, abortSignal: new AbortController().signal }),
    doStream: async (options) => {
      const result = await model.doStream({ ...options, abortSignal: new AbortController().signal });
      return { ...result, stream: passedThrough(result.stream) };
    },
  };
}

function passedThrough<Part>(parts: ReadableStream<Part>): ReadableStream<Part> {
  const reader = parts.getReader();
  return new ReadableStream<Part>(
    {
      async pull(controller) {
        const { done, value } = await reader.read();
        if (done) controller.close();
        else controller.enqueue(value);
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  );
}

function fetched(call: (client: OpenAI) => Promise<unknown>): Use {
  return ({ openaiUrl: baseURL }) => {
    const bare = new OpenAI({ baseURL, apiKey: "none", maxRetries: 0 });
    const thinnest = new OpenAI({ baseURL, apiKey: "none", maxRetries: 0, fetch: thinFetch });
    const fetch = createFaultline().fetch({ provider: "openai" });
    const ours = new OpenAI({ baseURL, apiKey: "none", maxRetries: 0, fetch });
    return { bare: () => call(bare), floor: () => call(thinnest), ours: () => call(ours) };
  };
}

/** To look at an answer, a wrapper has to return another response that contains the same body. */
async function thinFetch(input: string | URL | Request, init?: RequestInit): Promise<Response> {
  const { body, status, headers } = await globalThis.fetch(input, { ...init, signal: new AbortController().signal });
  return new Response(body === null ? null : passedThrough(body), { status, headers });
}

interface Asked {
  readonly instructions?: string;
  readonly messages: ModelMessage[];
  readonly tools?: ToolSet;
}

async function generate(model: LanguageModelV4, asked: Asked): Promise<unknown> {
  return (await generateText({ model, ...asked, maxRetries: 0 })).text;
}

async function stream(model: LanguageModelV4, asked: Asked): Promise<unknown> {
  let length = 0;
  for await (const word of streamText({ model, ...asked, maxRetries: 0 }).textStream) length += word.length;
  return length;
}

async function ask(client: OpenAI): Promise<unknown> {
  return client.chat.completions.create({ model: "gpt-5", messages: [{ role: "user", content: "hello" }] });
}

async function askStream(client: OpenAI): Promise<unknown> {
  const answer = await client.chat.completions.create({
    model: "gpt-5",
    stream: true,
    messages: [{ role: "user", content: "hello" }],
  });
  let length = 0;
  for await (const chunk of answer) length += chunk.choices[0]?.delta.content?.length ?? 0;
  return length;
}
