// Requests for the tests of portability: targets, short ways to write parts, and random conversations.

import type { LanguageModelV4CallOptions, LanguageModelV4Message, SharedV4ProviderOptions } from "@ai-sdk/provider";
import fc from "fast-check";
import { factsFor } from "../../../src/provider/model-facts/facts-for.ts";

export const TO = {
  opus: factsFor("anthropic.messages", "claude-opus-5-5"),
  sonnet: factsFor("anthropic.messages", "claude-sonnet-5-5"),
  sonnet45: factsFor("anthropic.messages", "claude-sonnet-4-5"),
  gpt: factsFor("openai.responses", "gpt-5.4"),
  gpt4o: factsFor("openai.chat", "gpt-4o"),
  azure: factsFor("azure.responses", "gpt-5.4"),
  gemini: factsFor("google.generative-ai", "gemini-2.5-pro"),
  unknown: factsFor("acme.chat", "m"),
} as const;

type Message = LanguageModelV4Message;
type PartOf<Role extends Message["role"]> = Extract<Message, { role: Role }>["content"];

export const user = (...content: PartOf<"user">): Message => ({ role: "user", content });
export const assistant = (...content: PartOf<"assistant">): Message => ({ role: "assistant", content });
export const tool = (...content: PartOf<"tool">): Message => ({ role: "tool", content });

export const text = (words: string, providerOptions?: SharedV4ProviderOptions) => ({
  type: "text" as const,
  text: words,
  ...(providerOptions === undefined ? {} : { providerOptions }),
});
export const thought = (providerOptions?: SharedV4ProviderOptions) => ({
  type: "reasoning" as const,
  text: "hm",
  ...(providerOptions === undefined ? {} : { providerOptions }),
});
export const call = (toolCallId: string, more: object = {}) => ({
  type: "tool-call" as const,
  toolCallId,
  toolName: "find",
  input: { q: "x" },
  ...more,
});
export const result = (toolCallId: string, value = "found") => ({
  type: "tool-result" as const,
  toolCallId,
  toolName: "find",
  output: { type: "text" as const, value },
});

export const SIGNED = { anthropic: { signature: "sig" } };
export const REDACTED = { anthropic: { redactedData: "data" } };
export const ITEM = { openai: { itemId: "rs_1", reasoningEncryptedContent: "enc" } };
export const THOUGHT_SIGNATURE = { google: { thoughtSignature: "sig" } };

const id = fc.constantFrom("a", "b", "c", "x.y", "z".repeat(41), "call00001");
const words = fc.constantFrom("", " ", "one", "two words");
const marks = fc.option(
  fc.constantFrom<SharedV4ProviderOptions>(
    SIGNED,
    REDACTED,
    ITEM,
    THOUGHT_SIGNATURE,
    { anthropic: { cacheControl: { type: "ephemeral" } } },
    { openai: { promptCacheKey: "k" }, acme: { x: 1 } },
    { azure: { itemId: "rs_2" } },
    { openai: { async: true } },
  ),
  { nil: undefined },
);

function marked<T extends object>(part: T, providerOptions: SharedV4ProviderOptions | undefined): T {
  return providerOptions === undefined ? part : { ...part, providerOptions };
}

const textPart = fc.tuple(words, marks).map(([all, mark]) => marked(text(all), mark));
const toolName = fc.constantFrom("find", "find.all", "find_all", "f".repeat(70));
const callPart = fc
  .tuple(id, toolName, fc.option(fc.boolean(), { nil: undefined }), marks)
  .map(([toolCallId, name, run, mark]) =>
    marked(call(toolCallId, { toolName: name, ...(run === undefined ? {} : { providerExecuted: run }) }), mark),
  );
const resultPart = fc
  .tuple(id, toolName, marks)
  .map(([toolCallId, name, mark]) => marked({ ...result(toolCallId), toolName: name }, mark));
const thoughtPart = marks.map((mark) => marked(thought(), mark));
const customPart = fc.constant({ type: "custom" as const, kind: "openai.compaction" as const });

const message: fc.Arbitrary<Message> = fc.oneof(
  fc.array(textPart, { maxLength: 2 }).map((parts) => user(...parts)),
  fc
    .array(fc.oneof(textPart, callPart, callPart, thoughtPart, resultPart, customPart), { maxLength: 4 })
    .map((parts) => assistant(...parts)),
  fc.array(resultPart, { maxLength: 3 }).map((parts) => tool(...parts)),
  words.map((content) => ({ role: "system" as const, content })),
);

export const requests: fc.Arbitrary<LanguageModelV4CallOptions> = fc
  .record({
    prompt: fc.array(message, { maxLength: 8 }),
    temperature: fc.constantFrom(undefined, 0.5),
    maxOutputTokens: fc.constantFrom(undefined, 1000, 1_000_000),
    reasoning: fc.constantFrom(undefined, "none" as const, "high" as const),
    providerOptions: fc.constantFrom<SharedV4ProviderOptions | undefined>(
      undefined,
      { openai: { previousResponseId: "resp_1", reasoningEffort: "none" } },
      { anthropic: { container: "c" }, google: { cachedContent: "cc" } },
    ),
    tools: fc.constantFrom<LanguageModelV4CallOptions["tools"]>(undefined, [
      { type: "provider", id: "openai.web_search", name: "web", args: {} },
      { type: "function", name: "find", inputSchema: { type: "object" }, providerOptions: SIGNED },
      { type: "function", name: "find.all", inputSchema: { type: "object" } },
    ]),
  })
  .map((all) => Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined)))
  .map((all) => all as unknown as LanguageModelV4CallOptions);

export const targets = fc.constantFrom(
  ...Object.values(TO),
  factsFor("openai.responses", "gpt-5.4", { keepsState: false }),
);
