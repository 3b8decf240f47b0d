// Proves that the real SDKs take the provider for the real thing: answers, streams, tools and structured output in every protocol,
// and failures that surface as their own errors.

import Anthropic from "@anthropic-ai/sdk";
import { createAnthropic } from "@ai-sdk/anthropic";
import { createGoogle } from "@ai-sdk/google";
import { createOpenAI } from "@ai-sdk/openai";
import { GoogleGenAI } from "@google/genai";
import { generateText, type LanguageModel, Output, stepCountIs, streamText, tool } from "ai";
import OpenAI from "openai";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import * as z from "zod";
import { type Chaos, startChaos } from "../../src/testing/index.ts";
import { thrownBy } from "../support/thrown.ts";
import { impatientClock } from "./asking.ts";

const apiKey = "sk-test-1234567890abcdef";
const SAID = "You said: hello (This answer comes from a test server, in several pieces.)";
const schema = z.object({
  city: z.string(),
  days: z.int().min(1),
  rain: z.boolean(),
  tags: z.array(z.enum(["a", "b"])),
});

let chaos: Chaos;
beforeEach(async () => void (chaos = await startChaos({ clock: impatientClock })));
afterEach(() => chaos.close());

const MODELS: Readonly<Record<string, (model: string) => LanguageModel>> = {
  "openai chat": (model) => createOpenAI({ baseURL: chaos.openaiUrl, apiKey }).chat(model),
  "openai responses": (model) => createOpenAI({ baseURL: chaos.openaiUrl, apiKey })(model),
  "anthropic": (model) => createAnthropic({ baseURL: `${chaos.anthropicUrl}/v1`, apiKey })(model),
  "google": (model) => createGoogle({ baseURL: chaos.googleUrl, apiKey })(model),
};
const NAMES = Object.keys(MODELS);

function modelOf(name: string, model = "good-model"): LanguageModel {
  const made = MODELS[name]?.(model);
  if (made === undefined) throw new Error(`no model ${name}`);
  return made;
}

describe("the AI SDK", () => {
  it.each(NAMES)("%s: answers, with usage", async (name) => {
    const { text, finishReason, usage } = await generateText({
      model: modelOf(name),
      prompt: "hello",
      maxOutputTokens: 64,
    });
    expect({ text, finishReason }).toEqual({ text: SAID, finishReason: "stop" });
    expect(usage).toMatchObject({ inputTokens: 2, outputTokens: 19 });
  });

  it.each(NAMES)("%s: streams in several pieces", async (name) => {
    const result = streamText({ model: modelOf(name), prompt: "hello", maxOutputTokens: 64 });
    const pieces: string[] = [];
    for await (const piece of result.textStream) pieces.push(piece);
    expect(pieces.length).toBeGreaterThan(3);
    expect(pieces.join("")).toBe(SAID);
    expect(await result.finishReason).toBe("stop");
    expect((await result.usage).outputTokens).toBe(19);
  });

  it.each(NAMES.flatMap((name) => [false, true].map((streaming) => ({ name, streaming }))))(
    "$name: calls two tools at once and answers with their results (streaming: $streaming)",
    async ({ name, streaming }) => {
      const seen: string[] = [];
      const weather = tool({
        inputSchema: z.object({ city: z.string() }),
        execute: ({ city }) => {
          seen.push(city);
          return Promise.resolve(`sunny in ${city}`);
        },
      });
      const calls = ["Paris", "Rome"].map((city) => ({ tool: "weather", input: { city } }));
      chaos.script([{ calls }]);
      const options = {
        model: modelOf(name),
        prompt: "hello",
        maxOutputTokens: 64,
        tools: { weather },
        stopWhen: stepCountIs(3),
      };
      const { text, steps } = streaming ? streamText(options) : await generateText(options);
      expect(await steps).toHaveLength(2);
      expect(await text).toMatch(/^The tool said: .*sunny in Paris.*sunny in Rome/);
      expect(seen).toEqual(["Paris", "Rome"]);
    },
  );

  it.each(NAMES)("%s: returns an object that fits the schema, by itself", async (name) => {
    const { output } = await generateText({
      model: modelOf(name),
      prompt: "hello",
      maxOutputTokens: 64,
      output: Output.object({ schema }),
    });
    expect(schema.parse(output)).toEqual(output);
  });

  it("anthropic: returns an object in the API's own way, too", async () => {
    const model = modelOf("anthropic", "claude-sonnet-4-5");
    const { output } = await generateText({ model, prompt: "hello", output: Output.object({ schema }) });
    expect(schema.parse(output)).toEqual(output);
    expect(chaos.received()[0]?.body).toHaveProperty("output_config.format.schema");
  });

  it.each(NAMES)("%s: returns the scripted object", async (name) => {
    const json = { city: "Oslo", days: 3, rain: false, tags: ["b"] };
    chaos.script([{ json }]);
    const { output } = await generateText({
      model: modelOf(name),
      prompt: "hello",
      maxOutputTokens: 64,
      output: Output.object({ schema }),
    });
    expect(output).toEqual(json);
  });

  it.each(NAMES.flatMap((name) => ["schema-invalid", "invalid-json-output"].map((fault) => ({ name, fault }))))(
    "$name: finds $fault in the object",
    async ({ name, fault }) => {
      const asking = async (): Promise<unknown> =>
        (
          await generateText({
            model: modelOf(name, fault),
            prompt: "hello",
            maxOutputTokens: 64,
            output: Output.object({ schema }),
            maxRetries: 0,
          })
        ).output;
      expect(await thrownBy(asking())).toMatchObject({ name: "AI_NoObjectGeneratedError" });
    },
  );

  it.each(NAMES)("%s: retries a rate limit and then succeeds", async (name) => {
    chaos.script([{ "fault": "rate-limit-ms", "retry-after": 0.01 }, "ok"]);
    const { text } = await generateText({ model: modelOf(name), prompt: "hello", maxOutputTokens: 64, maxRetries: 1 });
    expect(text).toBe(SAID);
    expect(chaos.received().map(({ fault }) => fault)).toEqual(["rate-limit-ms", null]);
  });
});

describe("the vendors' own SDKs", () => {
  const openai = (): OpenAI => new OpenAI({ baseURL: chaos.openaiUrl, apiKey, maxRetries: 0 });
  const anthropic = (): Anthropic => new Anthropic({ baseURL: chaos.anthropicUrl, apiKey, maxRetries: 0 });
  const google = (): GoogleGenAI => new GoogleGenAI({ apiKey, httpOptions: { baseUrl: chaos.url } });
  const messages = [{ role: "user" as const, content: "hello" }];

  it("openai: chat completions, whole and streamed, with usage when asked", async () => {
    const whole = await openai().chat.completions.create({ model: "gpt-x", messages });
    expect(whole.choices[0]?.message.content).toBe(SAID);
    const stream = await openai().chat.completions.create({
      model: "gpt-x",
      messages,
      stream: true,
      stream_options: { include_usage: true },
    });
    const chunks = [];
    for await (const chunk of stream) chunks.push(chunk);
    expect(chunks.map(({ choices }) => choices[0]?.delta.content ?? "").join("")).toBe(SAID);
    expect(chunks.at(-1)?.usage).toEqual(whole.usage);
  });

  it("openai: responses, whole and streamed", async () => {
    expect((await openai().responses.create({ model: "gpt-x", input: "hello" })).output_text).toBe(SAID);
    const final = await openai().responses.stream({ model: "gpt-x", input: "hello" }).finalResponse();
    expect(final).toMatchObject({ output_text: SAID, status: "completed" });
  });

  it("anthropic: messages, whole and streamed", async () => {
    const asked = { model: "claude-x", max_tokens: 64, messages };
    expect((await anthropic().messages.create(asked)).content).toMatchObject([{ type: "text", text: SAID }]);
    const final = await anthropic().messages.stream(asked).finalMessage();
    expect(final).toMatchObject({ content: [{ text: SAID }], stop_reason: "end_turn" });
  });

  it("google: generateContent, whole and streamed", async () => {
    const asked = { model: "gemini-x", contents: "hello" };
    expect((await google().models.generateContent(asked)).text).toBe(SAID);
    const texts = [];
    for await (const chunk of await google().models.generateContentStream(asked)) texts.push(chunk.text);
    expect(texts.join("")).toBe(SAID);
  });

  it("throw their own errors", async () => {
    expect(await thrownBy(openai().chat.completions.create({ model: "quota", messages }))).toMatchObject({
      status: 429,
      code: "insufficient_quota",
    });
    expect(
      await thrownBy(anthropic().messages.create({ model: "overloaded", max_tokens: 64, messages })),
    ).toMatchObject({ status: 529, type: "overloaded_error" });
    expect(await thrownBy(google().models.generateContent({ model: "unavailable", contents: "hello" }))).toMatchObject({
      status: 503,
    });
  });

  it("list the faults as models", async () => {
    const ids: string[] = [];
    for await (const { id } of openai().models.list()) ids.push(id);
    expect(ids).toContain("overloaded");
  });
});
