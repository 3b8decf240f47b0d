// Streams of models that think before they answer, broken at any point: reasoning is shown as it arrives and does not commit the
// attempt.

import { createAnthropic } from "@ai-sdk/anthropic";
import type { LanguageModelV4, LanguageModelV4StreamPart } from "@ai-sdk/provider";
import { streamText } from "ai";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createFaultline } from "../../../src/index.ts";

type Event = Readonly<Record<string, unknown>> & { readonly type: string };

const BEGIN: Event = {
  type: "message_start",
  message: {
    id: "m",
    type: "message",
    role: "assistant",
    content: [],
    model: "x",
    usage: { input_tokens: 3, output_tokens: 1 },
  },
};
const THINK: readonly Event[] = [
  { type: "content_block_start", index: 0, content_block: { type: "thinking", thinking: "", signature: "" } },
  { type: "content_block_delta", index: 0, delta: { type: "thinking_delta", thinking: "first thoughts" } },
];
const THOUGHT: readonly Event[] = [
  { type: "content_block_delta", index: 0, delta: { type: "signature_delta", signature: "c2lnbmVk" } },
  { type: "content_block_stop", index: 0 },
];
const OPEN: Event = { type: "content_block_start", index: 1, content_block: { type: "text", text: "" } };
const SAY: Event = { type: "content_block_delta", index: 1, delta: { type: "text_delta", text: "North." } };
const END: readonly Event[] = [
  { type: "content_block_stop", index: 1 },
  { type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 9 } },
  { type: "message_stop" },
];
const WHOLE = [BEGIN, ...THINK, ...THOUGHT, OPEN, SAY, ...END];

/** What each request gets, in order; the last is repeated. */
let answers: readonly (readonly Event[])[] = [];
let requests = 0;
let server: Server;
let baseURL = "";

beforeAll(async () => {
  server = createServer((request, response) => {
    request.resume().on("end", () => {
      const events = answers[Math.min(requests, answers.length - 1)] ?? [];
      requests += 1;
      response.writeHead(200, { "content-type": "text/event-stream" });
      for (const event of events) response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
      // A moment later, so that the data is read before the end is seen.
      setImmediate(() => (events === WHOLE ? response.end() : response.destroy()));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  baseURL = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
});
afterAll(() => new Promise((resolve) => server.close(resolve)));

function chainOf(given: readonly (readonly Event[])[]): LanguageModelV4 {
  answers = given;
  requests = 0;
  const retry = { maxAttempts: 3, backoff: { kind: "fixed", initialMs: 1, maxMs: 1, multiplier: 1 } } as const;
  return createFaultline().model(
    [
      createAnthropic({ baseURL, apiKey: "key" })("claude-sonnet-4-5"),
      createAnthropic({ baseURL, apiKey: "key", name: "other" })("claude-opus-4-5"),
    ],
    { retryBeforeFallback: retry },
  );
}

const ASKED = { prompt: [{ role: "user" as const, content: [{ type: "text" as const, text: "which way is north" }] }] };

async function partsOf(model: LanguageModelV4): Promise<readonly LanguageModelV4StreamPart[]> {
  const parts: LanguageModelV4StreamPart[] = [];
  for await (const part of (await model.doStream(ASKED)).stream) parts.push(part);
  return parts;
}

describe("a stream that breaks", () => {
  it.each([
    { where: "within its thoughts", events: [BEGIN, ...THINK], thoughts: 2 },
    { where: "behind its thoughts", events: [BEGIN, ...THINK, ...THOUGHT], thoughts: 2 },
    { where: "where its text would begin", events: [BEGIN, ...THINK, ...THOUGHT, OPEN], thoughts: 2 },
    { where: "before its first thought", events: [BEGIN], thoughts: 1 },
  ])("$where is tried again: its blocks are closed, and one answer follows", async ({ events, thoughts }) => {
    const parts = await partsOf(chainOf([events, WHOLE]));
    expect(requests).toBe(2);
    expect(parts.filter(({ type }) => type === "stream-start")).toHaveLength(1);
    expect(parts.filter(({ type }) => type === "reasoning-start")).toHaveLength(thoughts);
    expect(openBlocks(parts)).toEqual([]);
    expect(parts.flatMap((part) => (part.type === "text-delta" ? [part.delta] : [])).join("")).toBe("North.");
    expect(parts.at(-1)).toMatchObject({ type: "finish", finishReason: { unified: "stop" } });
  });

  it("within its text is not retried: the caller has seen part of the answer", async () => {
    const parts = await partsOf(chainOf([[BEGIN, ...THINK, ...THOUGHT, OPEN, SAY], WHOLE]));
    expect(requests).toBe(1);
    expect(parts.at(-1)).toMatchObject({ type: "finish", finishReason: { unified: "error" } });
  });

  it("within its reasoning is one answer with two reasoning blocks for the AI SDK", async () => {
    const result = streamText({ model: chainOf([[BEGIN, ...THINK], WHOLE]), prompt: "north?" });
    expect(await result.text).toBe("North.");
    expect((await result.finalStep).reasoningText).toBe("first thoughtsfirst thoughts");
  });
});

/** Open blocks, in order; each must end before one of the same name starts. */
function openBlocks(parts: readonly LanguageModelV4StreamPart[]): readonly string[] {
  const open = new Set<string>();
  for (const part of parts) {
    if (part.type === "text-start" || part.type === "reasoning-start") {
      const name = `${part.type.replace("-start", "")} ${part.id}`;
      if (open.has(name)) throw new Error(`${name} begins twice`);
      open.add(name);
    }
    if (part.type === "text-end" || part.type === "reasoning-end")
      open.delete(`${part.type.replace("-end", "")} ${part.id}`);
  }
  return [...open];
}
