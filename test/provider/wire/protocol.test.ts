// Which requests are model calls, checked against what the official SDKs really send.

import Anthropic from "@anthropic-ai/sdk";
import { GoogleGenAI } from "@google/genai";
import OpenAI, { AzureOpenAI } from "openai";
import { describe, expect, it } from "vitest";
import { ADDRESSES, protocolOf } from "../../../src/provider/wire/protocol.ts";
import { requestFacts } from "../../../src/provider/wire/request-facts.ts";

interface Sent {
  readonly url: string;
  readonly body: unknown;
}

/** What an SDK passes to its `fetch`; the answer is useless to it, so the call fails afterwards. */
async function sentBy(call: (fetch: typeof globalThis.fetch) => Promise<unknown>): Promise<Sent> {
  const sent: Sent[] = [];
  const fetch: typeof globalThis.fetch = (input, init) => {
    sent.push({ url: input instanceof Request ? input.url : String(input), body: init?.body });
    return Promise.resolve(new Response('{"error":{"message":"seen enough"}}', { status: 400 }));
  };
  await expect(call(fetch)).rejects.toThrow();
  const first = sent[0];
  if (first === undefined) throw new Error("the SDK sent nothing");
  return first;
}

const messages = [{ role: "user" as const, content: "Say hello" }];

describe("protocolOf", () => {
  it.each(ADDRESSES)("knows $example", ({ protocol, example }) => {
    expect(protocolOf(example, {})).toBe(protocol);
    expect(protocolOf(example, '{"stream":true}')).toBe(protocol);
    if (URL.canParse(example)) expect(protocolOf(new URL(example), {})).toBe(protocol);
  });

  it.each([
    "https://openrouter.ai/api/v1/chat/completions",
    "http://localhost:11434/v1/chat/completions/",
    "/v1/chat/completions#here",
    "https://generativelanguage.googleapis.com/v1beta/openai/chat/completions",
  ])("knows chat behind any gateway: %s", (url) => {
    expect(protocolOf(url, {})).toBe("openai-chat");
  });

  it.each([
    ["https://api.openai.com/v1/embeddings", {}],
    ["https://api.openai.com/v1/threads/t_1/messages", {}],
    ["https://api.openai.com/v1/responses/resp_1", {}],
    ["https://api.openai.com/v1/responses/resp_1/cancel", {}],
    ["https://api.anthropic.com/v1/messages/count_tokens", {}],
    ["https://api.anthropic.com/v1/messages/batches", {}],
    ["https://generativelanguage.googleapis.com/v1beta/models/m:countTokens", {}],
    ["https://example.com/?next=/v1/chat/completions", {}],
    ["not an address", {}],
    ["", {}],
    // Lists of stored answers are requested without a body.
    ["https://api.openai.com/v1/chat/completions", undefined],
    ["https://api.openai.com/v1/chat/completions", null],
    ["https://api.openai.com/v1/chat/completions", "plain text"],
    ["https://api.openai.com/v1/chat/completions", new Uint8Array(2)],
  ])("leaves %s with the body %o alone", (url, body) => {
    expect(protocolOf(url, body)).toBeNull();
  });

  it("knows what the OpenAI SDK sends", async () => {
    const client = (fetch: typeof globalThis.fetch) => new OpenAI({ apiKey: "sk-test", maxRetries: 0, fetch });
    const chat = await sentBy((fetch) =>
      client(fetch).chat.completions.create({ model: "gpt-5", messages, stream: true, max_completion_tokens: 50 }),
    );
    expect(protocolOf(chat.url, chat.body)).toBe("openai-chat");
    expect(requestFacts("openai-chat", chat.url, chat.body)).toEqual({
      model: "gpt-5",
      streaming: true,
      maxOutputTokens: 50,
      answers: 1,
      serviceTier: null,
      hasTools: false,
      hasImages: false,
      wantsJson: false,
      inputCharacters: "user".length + "Say hello".length,
      dataCharacters: 0,
      dataTokens: 0,
    });
    const responses = await sentBy((fetch) => client(fetch).responses.create({ model: "gpt-5", input: "Say hello" }));
    expect(protocolOf(responses.url, responses.body)).toBe("openai-responses");
    expect(requestFacts("openai-responses", responses.url, responses.body)).toMatchObject({
      model: "gpt-5",
      streaming: false,
      maxOutputTokens: null,
      inputCharacters: 9,
    });
    const azure = await sentBy((fetch) =>
      new AzureOpenAI({
        apiKey: "k",
        endpoint: "https://x.openai.azure.com",
        apiVersion: "2026-01-01",
        maxRetries: 0,
        fetch,
      }).chat.completions.create({
        model: "my-deployment",
        messages,
      }),
    );
    expect(protocolOf(azure.url, azure.body)).toBe("openai-chat");
    expect(requestFacts("openai-chat", azure.url, azure.body).model).toBe("my-deployment");
  });

  it("knows what the Anthropic SDK sends", async () => {
    const sent = await sentBy((fetch) =>
      new Anthropic({ apiKey: "k", maxRetries: 0, fetch }).beta.messages.create({
        model: "claude-sonnet-5",
        max_tokens: 10,
        messages,
        stream: true,
      }),
    );
    expect(protocolOf(sent.url, sent.body)).toBe("anthropic-messages");
    expect(requestFacts("anthropic-messages", sent.url, sent.body)).toMatchObject({
      model: "claude-sonnet-5",
      streaming: true,
      maxOutputTokens: 10,
    });
  });

  it("knows what the Google SDK sends", async () => {
    const request = {
      model: "gemini-3.5-flash",
      contents: "Say hello",
      config: { maxOutputTokens: 7, responseMimeType: "application/json", systemInstruction: "Be brief" },
    };
    const client = (fetch: typeof globalThis.fetch) => new GoogleGenAI({ apiKey: "k", httpOptions: { fetch } });
    const stream = await sentBy((fetch) => client(fetch).models.generateContentStream(request));
    expect(protocolOf(stream.url, stream.body)).toBe("google-generate");
    expect(requestFacts("google-generate", stream.url, stream.body)).toMatchObject({
      model: "gemini-3.5-flash",
      streaming: true,
      maxOutputTokens: 7,
      wantsJson: true,
    });
    const whole = await sentBy((fetch) => client(fetch).models.generateContent(request));
    expect(requestFacts("google-generate", whole.url, whole.body)).toMatchObject({
      model: "gemini-3.5-flash",
      streaming: false,
    });
  });
});
