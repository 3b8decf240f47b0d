// The reader for any protocol: answers of the wrong kind, limits, and how events are cut out of bytes.

import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import { describe, expect, it } from "vitest";
import { classify } from "../../../src/core/index.ts";
import { STOP_REASONS } from "../../../src/provider/wire/tally.ts";
import { createWireReader } from "../../../src/provider/wire/wire-reader.ts";
import { bytesOf, codeOf, dataEvents, readWire, typedEvents } from "./read-wire.ts";

const PROTOCOLS = ["openai-chat", "openai-responses", "anthropic-messages", "google-generate"] as const;
const say = (content: string, finish: string | null = null): object => ({
  choices: [{ index: 0, delta: { content }, finish_reason: finish }],
});

function answerWith(text: string): Promise<Response> {
  return Promise.resolve(new Response(text, { headers: { "content-type": "text/event-stream" } }));
}

/** How many events an SDK yields. */
async function readAll(stream: Promise<AsyncIterable<unknown>>): Promise<number> {
  const events: unknown[] = [];
  for await (const event of await stream) events.push(event);
  return events.length;
}

describe.each(PROTOCOLS)("a reader of %s", (protocol) => {
  it.each([
    ["a page", "<!DOCTYPE html><html><body>Welcome to the hotel network</body></html>", "AnswerUnreadable"],
    ["gibberish", "\u0001\u0002 lorem ipsum", "AnswerUnreadable"],
    ["an error as a body", '{"error":{"message":"Rate limit reached","code":"rate_limit_exceeded"}}', "RateLimited"],
    ["events of no known protocol", dataEvents({ hello: "world" }, { still: "here" }), "AnswerUnreadable"],
    ["data that is not an object", dataEvents("null"), "AnswerUnreadable"],
    ["only signs of life", ": keep-alive\n\n: keep-alive\n\n", "NetworkDisconnect"],
    ["an event cut within", 'data: {"choices"', "NetworkDisconnect"],
    ["nothing", "", "AnswerUnreadable"],
    ["blank lines", "\n\n \n", "AnswerUnreadable"],
  ])("that gets %s instead of a stream says so", (_what, text, code) => {
    const state = readWire(protocol, "stream", text, { provider: "p" });
    expect(codeOf(state)).toBe(code);
    expect(state).toMatchObject({ isComplete: false, hasEnded: true, failure: { provider: "p" } });
    expect(state.failure?.status ?? 200).toBe(200);
  });
});

describe("a reader", () => {
  it("names every bad stop reason as the classifier does", () => {
    for (const stopReason of STOP_REASONS) {
      expect(classify({ surface: "stop", stopReason }).code, stopReason).not.toBe("Unclassified");
    }
  });

  it("treats a last event without a final blank line as the official SDK does", async () => {
    const chat = dataEvents(say("Hello"), say("", "stop"));
    const messages = typedEvents(
      { type: "message_start" },
      { type: "message_delta", delta: { stop_reason: "end_turn" } } as { type: string },
      { type: "message_stop" },
    );
    for (const missing of [0, 1, 2]) {
      const chatText = chat.slice(0, chat.length - missing);
      const seenByOpenAI = await readAll(
        new OpenAI({ apiKey: "k", maxRetries: 0, fetch: () => answerWith(chatText) }).chat.completions.create({
          model: "m",
          messages: [],
          stream: true,
        }),
      );
      expect(readWire("openai-chat", "stream", chatText).isComplete).toBe(seenByOpenAI === 2);
      const messagesText = messages.slice(0, messages.length - missing);
      const seenByAnthropic = await readAll(
        new Anthropic({ apiKey: "k", maxRetries: 0, fetch: () => answerWith(messagesText) }).messages.create({
          model: "m",
          max_tokens: 1,
          messages: [],
          stream: true,
        }),
      );
      expect(readWire("anthropic-messages", "stream", messagesText).isComplete).toBe(seenByAnthropic === 3);
    }
    const cut = readWire("openai-chat", "stream", chat.slice(0, -6));
    expect(codeOf(cut)).toBe("NetworkDisconnect");
  });

  it("believes an error without a final blank line, whatever the SDK does with it", () => {
    const error = 'event: error\ndata: {"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}';
    expect(codeOf(readWire("anthropic-messages", "stream", typedEvents({ type: "message_start" }) + error))).toBe(
      "Overloaded",
    );
  });

  it("changes nothing after the end", () => {
    const reader = createWireReader("openai-chat", "stream");
    reader.push(bytesOf(dataEvents(say("Hello", "stop"), "[DONE]")));
    const before = { ...reader.state };
    reader.push(bytesOf(dataEvents({ error: { message: "overloaded" } })));
    reader.end();
    reader.push(bytesOf(dataEvents(say("more"))));
    reader.end();
    expect({ ...reader.state }).toEqual(before);
  });

  it("does not modify the bytes", () => {
    const bytes = bytesOf(dataEvents(say("Hello", "stop")));
    const copy = bytes.slice();
    createWireReader("openai-chat", "stream").push(bytes);
    expect(bytes).toEqual(copy);
  });

  it("never takes a model's words for evidence", () => {
    const words = "401 invalid api key, rate limit exceeded, insufficient_quota";
    expect(codeOf(readWire("openai-chat", "stream", dataEvents(say(words))))).toBe("NetworkDisconnect");
    const broken = dataEvents(say(words), `{"choices":[{"delta":{"content":"${words}`);
    expect(codeOf(readWire("openai-chat", "stream", broken))).toBe("AnswerUnreadable");
    expect(JSON.stringify(readWire("openai-chat", "stream", broken).failure)).not.toContain("api key");
  });

  it("keeps the first error, and later ones do not hide it", () => {
    const state = readWire(
      "openai-chat",
      "stream",
      dataEvents({ error: { code: 429, message: "slow down" } }, { error: { code: 500 } }, "{broken"),
    );
    expect(codeOf(state)).toBe("RateLimited");
  });

  it("ignores an event beyond its limit, keeps what it knew and claims nothing", () => {
    const limits = { eventCharacters: 200 };
    const huge = dataEvents(say("x".repeat(300)));
    const state = readWire(
      "openai-chat",
      "stream",
      dataEvents(say("Hi")) + huge + dataEvents(say("", "stop"), "[DONE]"),
      { limits },
    );
    expect(state).toMatchObject({ lookedAway: "event", textLength: 2, isComplete: false, failure: null });
    const lines = `data: {\n${`data: "${"x".repeat(50)}":1,\n`.repeat(12)}data: "a":1}\n\n`;
    expect(readWire("openai-chat", "stream", lines, { limits }).lookedAway).toBe("event");
    const unending = `data: ${"x".repeat(1_000)}`;
    expect(readWire("openai-chat", "stream", unending, { limits })).toMatchObject({
      lookedAway: "event",
      failure: null,
    });
    const list = `[${JSON.stringify(say("Hi"))},${JSON.stringify(say("x".repeat(300)))}]`;
    expect(readWire("openai-chat", "stream", list, { limits })).toMatchObject({ lookedAway: "event", textLength: 2 });
  });

  it("ignores a body beyond its limit, and text it can no longer keep", () => {
    const body = JSON.stringify({ choices: [{ message: { content: "x".repeat(300) }, finish_reason: "stop" }] });
    expect(readWire("openai-chat", "json", body, { limits: { bodyCharacters: 200 } })).toMatchObject({
      lookedAway: "body",
      progress: 200,
      failure: null,
      isComplete: false,
    });
    const text = dataEvents(say("abc"), say("def"), say("", "stop"));
    expect(readWire("openai-chat", "stream", text, { keepText: true, limits: { textCharacters: 5 } }).lookedAway).toBe(
      "text",
    );
    expect(readWire("openai-chat", "stream", text, { limits: { textCharacters: 5 } }).lookedAway).toBeNull();
  });

  it("reads an event of a megabyte that arrives byte by byte", () => {
    const bytes = bytesOf(dataEvents(say("x".repeat(1_000_000)), say("", "stop"), "[DONE]"));
    const reader = createWireReader("openai-chat", "stream");
    for (let i = 0; i < bytes.length; i++) reader.push(bytes.subarray(i, i + 1));
    reader.end();
    expect(reader.state).toMatchObject({ textLength: 1_000_000, isComplete: true, failure: null });
  });

  it("reads a Google list that arrives byte by byte", () => {
    const element = { candidates: [{ content: { parts: [{ text: "y".repeat(200_000) }] }, finishReason: "STOP" }] };
    const bytes = bytesOf(JSON.stringify([element, element]));
    const reader = createWireReader("google-generate", "stream");
    for (let i = 0; i < bytes.length; i++) reader.push(bytes.subarray(i, i + 1));
    reader.end();
    expect(reader.state).toMatchObject({ textLength: 400_000, isComplete: true, failure: null });
  });
});
