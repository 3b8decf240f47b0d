// What a request asks for, read from its body.

import { describe, expect, it } from "vitest";
import type { Protocol } from "../../../src/provider/wire/protocol.ts";
import { requestFacts } from "../../../src/provider/wire/request-facts.ts";

const URLS: Readonly<Record<Protocol, string>> = {
  "openai-chat": "https://api.openai.com/v1/chat/completions",
  "openai-responses": "https://api.openai.com/v1/responses",
  "anthropic-messages": "https://api.anthropic.com/v1/messages",
  "google-generate": "https://generativelanguage.googleapis.com/v1beta/models/gemini-3.5-flash:generateContent",
};
const factsOf = (protocol: Protocol, body: unknown) => requestFacts(protocol, URLS[protocol], body);
const BASE64 = "A".repeat(5_000);

describe("requestFacts", () => {
  it("finds images in every protocol and does not count their data as input", () => {
    const requests: Readonly<Record<Protocol, unknown>> = {
      "openai-chat": {
        messages: [{ content: [{ type: "image_url", image_url: { url: `data:image/png;base64,${BASE64}` } }] }],
      },
      "openai-responses": {
        input: [{ content: [{ type: "input_image", image_url: `data:image/png;base64,${BASE64}` }] }],
      },
      "anthropic-messages": {
        messages: [{ content: [{ type: "image", source: { type: "base64", media_type: "image/png", data: BASE64 } }] }],
      },
      "google-generate": { contents: [{ parts: [{ inlineData: { mimeType: "image/png", data: BASE64 } }] }] },
    };
    for (const [protocol, body] of Object.entries(requests) as [Protocol, unknown][]) {
      const facts = factsOf(protocol, body);
      expect(facts.hasImages, protocol).toBe(true);
      expect(facts.inputCharacters, protocol).toBeLessThan(100);
      expect(factsOf(protocol, { messages: [], input: "an image", contents: [] }).hasImages, protocol).toBe(false);
    }
  });

  it("counts plain-text documents, which use the same field as data", () => {
    const source = { type: "text", media_type: "text/plain", data: "x".repeat(500) };
    const facts = factsOf("anthropic-messages", { messages: [{ content: [{ type: "document", source }] }] });
    expect(facts.inputCharacters).toBeGreaterThan(500);
  });

  it("finds tools, and no tools in an empty list", () => {
    expect(factsOf("openai-chat", { functions: [{ name: "f" }] }).hasTools).toBe(true);
    for (const protocol of Object.keys(URLS) as Protocol[]) {
      expect(factsOf(protocol, { tools: [{ name: "f" }] }).hasTools).toBe(true);
      expect(factsOf(protocol, { tools: [] }).hasTools).toBe(false);
    }
  });

  it("counts the text of tools as input", () => {
    const tools = [{ type: "function", function: { name: "f", description: "d".repeat(100) } }];
    expect(factsOf("openai-chat", { tools }).inputCharacters).toBeGreaterThan(100);
  });

  it("finds a request for JSON", () => {
    expect(factsOf("openai-chat", { response_format: { type: "json_object" } }).wantsJson).toBe(true);
    expect(factsOf("openai-chat", { response_format: { type: "text" } }).wantsJson).toBe(false);
    expect(factsOf("openai-responses", { text: { format: { type: "json_schema" } } }).wantsJson).toBe(true);
    expect(factsOf("anthropic-messages", { output_config: { format: { type: "json_schema" } } }).wantsJson).toBe(true);
    expect(factsOf("google-generate", { generationConfig: { responseMimeType: "application/json" } }).wantsJson).toBe(
      true,
    );
  });

  it("takes the larger of chat's two limits, and ignores one that is not a number", () => {
    for (const [older, newer] of [
      [5, 6],
      [6, 5],
    ])
      expect(factsOf("openai-chat", { max_tokens: older, max_completion_tokens: newer }).maxOutputTokens).toBe(6);
    expect(factsOf("openai-chat", { max_tokens: 5 }).maxOutputTokens).toBe(5);
    // Google accepts both spellings of each name.
    for (const config of ["generationConfig", "generation_config"])
      for (const [limit, answers] of [
        ["maxOutputTokens", "candidate_count"],
        ["max_output_tokens", "candidateCount"],
      ] as const) {
        const facts = factsOf("google-generate", { [config]: { [limit]: 6, [answers]: 3 } });
        expect([facts.maxOutputTokens, facts.answers]).toEqual([6, 3]);
      }
    expect(factsOf("openai-chat", { max_tokens: "5" }).maxOutputTokens).toBeNull();
  });

  it("takes the model from the URL if the body names none", () => {
    expect(factsOf("google-generate", {}).model).toBe("gemini-3.5-flash");
    expect(factsOf("openai-chat", {}).model).toBeNull();
    expect(requestFacts("google-generate", `${URLS["google-generate"]}?alt=sse`, {}).streaming).toBe(true);
    expect(requestFacts("google-generate", `${URLS["google-generate"]}?alt=json`, {}).streaming).toBe(false);
  });

  it("survives invalid, deep and circular bodies", () => {
    for (const body of [undefined, null, "no json", "[1]", 7]) {
      expect(factsOf("openai-chat", body)).toMatchObject({ model: null, streaming: false, inputCharacters: 0 });
    }
    const deep = `{"messages":${"[".repeat(100_000)}"x"${"]".repeat(100_000)}}`;
    expect(factsOf("openai-chat", deep).inputCharacters).toBe(1);
    const ring: Record<string, unknown> = { content: "hello" };
    ring["self"] = ring;
    expect(factsOf("openai-chat", { model: "m", messages: [ring] }).model).toBe("m");
  });
});
