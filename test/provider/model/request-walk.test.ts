// What requests need, and their minimum size.

import type { LanguageModelV4CallOptions, LanguageModelV4Message } from "@ai-sdk/provider";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { factsFor } from "../../../src/provider/model-facts/facts-for.ts";
import { ModelRequest } from "../../../src/provider/model/model-request.ts";
import * as walked from "../../../src/provider/model/model-request.ts";

const needsOf = (options: LanguageModelV4CallOptions, isStreaming: boolean) =>
  walked.needsOf(walked.walkRequest(options), isStreaming);
const estimateTokens = (options: LanguageModelV4CallOptions) => walked.estimateTokens(walked.walkRequest(options));

const SCHEMA = { type: "object" } as const;

function request(
  content: readonly unknown[],
  rest: Partial<LanguageModelV4CallOptions> = {},
): LanguageModelV4CallOptions {
  return { prompt: [{ role: "user", content } as LanguageModelV4Message], ...rest };
}

function file(mediaType: string, data: unknown = { type: "url", url: new URL("https://example.org/f") }): unknown {
  return { type: "file", mediaType, data };
}

describe("a request", () => {
  it("of text alone needs nothing", () => {
    expect(needsOf(request([{ type: "text", text: "hi" }]), false).needs).toEqual([]);
  });

  it.each([
    ["image/png", "vision"],
    ["image", "vision"],
    ["image/*", "vision"],
    ["audio/wav", "audio"],
    ["video/mp4", "video"],
    ["application/pdf", "files"],
    ["text/plain", "files"],
    ["constructor", "files"],
  ])("with a file of type %s needs %s", (mediaType, need) => {
    expect(needsOf(request([file(mediaType)]), false).needs).toEqual([need]);
  });

  it("with tools and streaming needs these, and with a schema nothing more", () => {
    const options = request([], {
      tools: [{ type: "function", name: "f", inputSchema: SCHEMA }],
      responseFormat: { type: "json", schema: SCHEMA },
    });
    expect(needsOf(options, true).needs).toEqual(["streaming", "tools"]);
  });

  it("with an image in a tool's result needs vision and tools", () => {
    const output = { type: "content", value: [file("image/png")] };
    const prompt = [
      { role: "tool", content: [{ type: "tool-result", toolCallId: "1", toolName: "shot", output }] },
    ] as LanguageModelV4Message[];
    expect(needsOf({ prompt }, false).needs).toEqual(["tools", "vision"]);
  });

  it("with a file stored at OpenAI can be served by OpenAI only", () => {
    const kept = file("application/pdf", { type: "reference", reference: { openai: "file-1" } });
    const { needs } = needsOf(request([kept]), false);
    expect(needs).toEqual(["files", "files-at:openai"]);
    const serves = (provider: string, model: string) =>
      needs.every((need) => factsFor(provider, model).capabilities.includes(need));
    expect(serves("openai.responses", "gpt-5.4")).toBe(true);
    expect(serves("anthropic.messages", "claude-opus-5-5")).toBe(false);
  });
});

describe("the size of a request", () => {
  it("counts text by its length, and never less for more text", () => {
    expect(estimateTokens(request([{ type: "text", text: "x".repeat(400) }]))).toBe(100);
    fc.assert(
      fc.property(fc.string(), fc.string(), (text, more) => {
        const size = (all: string) => needsOf(request([{ type: "text", text: all }]), false).inputTokensAtLeast;
        expect(size(text + more)).toBeGreaterThanOrEqual(size(text));
      }),
    );
  });

  it("has a lower bound below the estimate, both whole", () => {
    const text = fc.record({ type: fc.constant("text"), text: fc.string({ maxLength: 500 }) });
    fc.assert(
      fc.property(fc.array(text), (parts) => {
        const options = request(parts);
        const { inputTokensAtLeast } = needsOf(options, false);
        expect(Number.isInteger(inputTokensAtLeast)).toBe(true);
        expect(inputTokensAtLeast).toBeLessThanOrEqual(estimateTokens(options));
      }),
    );
  });

  it("counts system text, tool inputs and results, tools and images", () => {
    const prompt = [
      { role: "system", content: "s".repeat(40) },
      {
        role: "assistant",
        content: [{ type: "tool-call", toolCallId: "1", toolName: "find", input: { q: "a".repeat(75) } }],
      },
      {
        role: "tool",
        content: [
          { type: "tool-result", toolCallId: "1", toolName: "find", output: { type: "text", value: "b".repeat(80) } },
        ],
      },
      { role: "user", content: [file("image/png"), file("text/plain", { type: "text", text: "c".repeat(40) })] },
    ] as LanguageModelV4Message[];
    expect(estimateTokens({ prompt })).toBe((40 + 4 + 1 + 75 + 80 + 40) / 4 + 85);
  });

  it("is computed for tool inputs with cycles or deep nesting", () => {
    const ring: Record<string, unknown> = { text: "abcd" };
    ring["self"] = ring;
    let deep: unknown = "bottom";
    for (let level = 0; level < 50_000; level += 1) deep = [deep];
    const call = (input: unknown) =>
      ({
        role: "assistant",
        content: [{ type: "tool-call", toolCallId: "1", toolName: "", input }],
      }) as LanguageModelV4Message;
    expect(estimateTokens({ prompt: [call(ring), call(deep)] })).toBeGreaterThan(0);
  });

  it("is walked once, however often a chain asks about it", () => {
    let walks = 0;
    const options = {
      get prompt() {
        walks += 1;
        return request([{ type: "text", text: "hi" }]).prompt;
      },
    };
    const asked = new ModelRequest(options, null);
    for (const target of ["openai.chat", "anthropic.messages"]) {
      walked.passesThrough(asked.walk, asked.isStreaming, factsFor(target, "m"));
      walked.needsOf(asked.walk, asked.isStreaming);
      asked.tokens();
      asked.tokens(100);
      expect(asked.repeats.count).toBe(0);
    }
    expect(walks).toBe(1);
  });
});
