// A chain of models of AI SDK 5, 6 or 7 is a model of that SDK: what its caller asks arrives unchanged, and so does the answer.

import type { LanguageModelV2, LanguageModelV3, LanguageModelV4 } from "@ai-sdk/provider";
import { generateText, streamText } from "ai";
import { describe, expect, expectTypeOf, it } from "vitest";
import { createFaultline } from "../../../src/faultline.ts";
import { type AnyLanguageModel, asLatest, type Interface } from "../../../src/provider/interface/any-model.ts";

interface Words {
  /** A tool of the provider, a file in the prompt, and what a tool gave back, in the words of the interface. */
  readonly tool: object;
  readonly file: unknown;
  readonly output: object;
  /** The parts of an answer, its end, its price and a warning. */
  readonly answeredFile: unknown;
  readonly finishReason: unknown;
  readonly usage: unknown;
  readonly warning: object;
}

const USAGE = {
  inputTokens: { total: 12, noCache: 8, cacheRead: 4, cacheWrite: undefined },
  outputTokens: { total: 5, text: 3, reasoning: 2 },
};
const BYTES = "aGVsbG8=";

const WORDS: Readonly<Record<Interface, Words>> = {
  v2: {
    tool: { type: "provider-defined", id: "openai.web_search", name: "web_search", args: {} },
    file: BYTES,
    output: { type: "content", value: [{ type: "media", data: BYTES, mediaType: "image/png" }] },
    answeredFile: BYTES,
    finishReason: "stop",
    usage: { inputTokens: 12, outputTokens: 5, totalTokens: 17, reasoningTokens: 2, cachedInputTokens: 4 },
    warning: { type: "other", message: "careful" },
  },
  v3: {
    tool: { type: "provider", id: "openai.web_search", name: "web_search", args: {} },
    file: new URL("https://example.com/a.png"),
    output: {
      type: "content",
      value: [
        { type: "text", text: "see" },
        { type: "file-data", data: BYTES, mediaType: "image/png", filename: "a.png" },
        { type: "file-url", url: "https://example.com/b.png" },
        { type: "file-id", fileId: "file-1" },
        { type: "file-id", fileId: { openai: "file-1" } },
      ],
    },
    answeredFile: BYTES,
    finishReason: { unified: "stop", raw: "end_turn" },
    usage: USAGE,
    warning: { type: "unsupported", feature: "seed", details: "ignored" },
  },
  v4: {
    tool: { type: "provider", id: "openai.web_search", name: "web_search", args: {} },
    file: { type: "text", text: "hello" },
    output: {
      type: "content",
      value: [{ type: "file", data: { type: "reference", reference: { openai: "f" } }, mediaType: "image/png" }],
    },
    answeredFile: { type: "data", data: BYTES },
    finishReason: { unified: "stop", raw: "end_turn" },
    usage: USAGE,
    warning: { type: "deprecated", setting: "seed", message: "gone soon" },
  },
};

const INTERFACES = Object.entries(WORDS) as readonly (readonly [Interface, Words])[];

function requestIn({ tool, file, output }: Words): { prompt: object[]; tools: object[] } {
  return {
    prompt: [
      { role: "system", content: "Be brief." },
      {
        role: "user",
        content: [
          { type: "text", text: "What is this?" },
          { type: "file", data: file, mediaType: "image/png" },
        ],
      },
      { role: "assistant", content: [{ type: "tool-call", toolCallId: "c1", toolName: "look", input: { at: 1 } }] },
      { role: "tool", content: [{ type: "tool-result", toolCallId: "c1", toolName: "look", output }] },
    ],
    tools: [{ type: "function", name: "look", inputSchema: { type: "object", properties: {} } }, tool],
  };
}

interface FakeModel {
  readonly model: never;
  readonly asked: object[];
}

function fakeModel(version: Interface, fails = false): FakeModel {
  const { answeredFile, finishReason, usage, warning } = WORDS[version];
  const asked: object[] = [];
  const ask = (options: object): void => {
    asked.push(options);
    if (fails) throw Object.assign(new Error("overloaded"), { statusCode: 529, isRetryable: true });
  };
  const file = { type: "file", mediaType: "image/png", data: answeredFile };
  const model = {
    ...{ specificationVersion: version, provider: "openai.responses", modelId: `gpt-${version}`, supportedUrls: {} },
    doGenerate: (options: object) => {
      ask(options);
      return Promise.resolve({
        content: [{ type: "text", text: "a cat" }, file],
        finishReason,
        usage,
        warnings: [warning],
      });
    },
    doStream: (options: object) => {
      ask(options);
      const parts = [
        { type: "stream-start", warnings: [warning] },
        { type: "text-start", id: "1" },
        { type: "text-delta", id: "1", delta: "a cat" },
        { type: "text-end", id: "1" },
        file,
        { type: "finish", finishReason, usage },
      ];
      return Promise.resolve({ stream: ReadableStream.from(parts) });
    },
  };
  return { model: model as never, asked };
}

/** Calls a model of any interface with untyped words. */
const loose = (model: AnyLanguageModel): Record<"doGenerate" | "doStream", (options: object) => Promise<never>> =>
  model as never;

describe("a chain of models with one interface", () => {
  it.each(INTERFACES)("%s: has it, and neither the question nor the answer changes", async (version, words) => {
    const { model, asked } = fakeModel(version);
    const fl = createFaultline();
    const chain = fl.model([model]);
    expect(chain.specificationVersion).toBe(version);
    const request = requestIn(words);

    const answer: object = await loose(chain).doGenerate(request);
    expect(asked).toEqual([expect.objectContaining(request)]);
    const { answeredFile, finishReason, usage, warning } = words;
    const content = [
      { type: "text", text: "a cat" },
      { type: "file", mediaType: "image/png", data: answeredFile },
    ];
    expect(answer).toMatchObject({ content, finishReason, usage, warnings: [warning] });

    const { stream }: { stream: ReadableStream<{ type: string }> } = await loose(chain).doStream(request);
    const parts: { type: string }[] = [];
    for await (const part of stream) parts.push(part);
    expect(asked[1]).toMatchObject(request);
    expect(parts.map(({ type }) => type)).toEqual([
      "stream-start",
      "text-start",
      "text-delta",
      "text-end",
      "file",
      "finish",
    ]);
    expect(parts[0]).toMatchObject({ warnings: [warning] });
    expect(parts[4]).toMatchObject({ data: answeredFile });
    expect(parts[5]).toMatchObject({ finishReason, usage });
    await fl.close();
  });

  it.each(INTERFACES)("%s: works in the AI SDK", async (version) => {
    const fl = createFaultline();
    const model = fl.model([fakeModel(version).model]);
    expect((await generateText({ model, prompt: "What is this?" })).text).toBe("a cat");
    const streamed = streamText({ model, prompt: "What is this?" });
    expect(await streamed.text).toBe("a cat");
    expect((await streamed.usage).inputTokens).toBe(12);
    await fl.close();
  });
});

describe("a chain of models with different interfaces", () => {
  it("has the oldest one, and falls back from one to the other", async () => {
    const [first, second] = [fakeModel("v4", true), fakeModel("v2")];
    const fl = createFaultline();
    const chain = fl.model([first.model, { model: second.model, id: "standby" }], {
      retryBeforeFallback: { maxAttempts: 1 },
    });
    expect(chain.specificationVersion).toBe("v2");
    const answer: object = await loose(chain).doGenerate({ prompt: requestIn(WORDS.v2).prompt });
    expect([first.asked.length, second.asked.length]).toEqual([1, 1]);
    expect(answer).toMatchObject({ usage: WORDS.v2.usage, providerMetadata: { faultline: { target: "standby" } } });
    await fl.close();
  });

  it("has it in its type as well", () => {
    const fl = createFaultline();
    const [v2, v3, v4] = [
      fakeModel("v2").model as LanguageModelV2,
      fakeModel("v3").model as LanguageModelV3,
      fakeModel("v4").model as LanguageModelV4,
    ];
    expectTypeOf(fl.model([v4, { model: v4 }])).toEqualTypeOf<LanguageModelV4>();
    expectTypeOf(fl.model([v3, { model: v3 }])).toEqualTypeOf<LanguageModelV3>();
    expectTypeOf(fl.model([v4, { model: v3 }])).toEqualTypeOf<LanguageModelV3>();
    expectTypeOf(fl.model([v3, v2, v4])).toEqualTypeOf<LanguageModelV2>();
  });

  it.each(["v2", "v3", "v4"] as const)(
    "one of %s is adapted once, so that a chain sees that it lists it twice",
    (version) => {
      const { model } = fakeModel(version);
      expect(asLatest(model)).toBe(asLatest(model));
      expect(asLatest(model)).not.toBe(asLatest(fakeModel(version).model));
    },
  );
});
