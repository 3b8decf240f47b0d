// Google's generateContent: events and the JSON list, blocked prompts, and bare errors in a stream.

import { describe, expect, it } from "vitest";
import { createWireReader } from "../../../src/provider/wire/wire-reader.ts";
import { bytesOf, codeOf, dataEvents, readWire } from "./read-wire.ts";

const USAGE = {
  promptTokenCount: 9,
  cachedContentTokenCount: 4,
  candidatesTokenCount: 5,
  thoughtsTokenCount: 3,
  toolUsePromptTokenCount: 2,
  totalTokenCount: 19,
};
const chunk = (parts: readonly object[], finishReason?: string, more: object = {}): object => ({
  candidates: [
    { content: { role: "model", parts }, index: 0, ...(finishReason === undefined ? {} : { finishReason }) },
  ],
  usageMetadata: USAGE,
  modelVersion: "gemini-3.5-flash",
  responseId: "r1",
  ...more,
});
const HELLO = [chunk([{ text: "Hel" }]), chunk([{ text: 'lo {"]' }]), chunk([{ text: "" }], "STOP")];
const read = (text: string, options = {}) => readWire("google-generate", "stream", text, options);
const OVERLOADED = {
  error: { code: 503, message: "The model is overloaded. Please try again later.", status: "UNAVAILABLE" },
};

describe("a Google stream", () => {
  it("is complete with its finish reason; there is no other end mark", () => {
    const state = read(dataEvents(...HELLO).replaceAll("\n", "\r\n"), { keepText: true });
    expect(state).toMatchObject({
      sawContent: true,
      text: 'Hello {"]',
      stopReason: "STOP",
      isComplete: true,
      failure: null,
      usage: { inputTokens: 11, cachedInputTokens: 4, cacheWriteTokens: 0, outputTokens: 8, reasoningTokens: 3 },
    });
  });

  it("is the same as a JSON list, element by element", () => {
    const list = `[${HELLO.map((element) => JSON.stringify(element, null, 2)).join("\n,\r\n")}\n]`;
    expect(read(list, { keepText: true })).toEqual(read(dataEvents(...HELLO), { keepText: true }));
    const reader = createWireReader("google-generate", "stream");
    reader.push(bytesOf(list.slice(0, list.indexOf("\n,"))));
    expect(reader.state).toMatchObject({ sawContent: true, textLength: 3 });
    expect(codeOf(read(list.slice(0, list.lastIndexOf("\n,"))))).toBe("NetworkDisconnect");
    expect(codeOf(read("[]"))).toBe("AnswerUnreadable");
  });

  it("that was cut is a lost connection and keeps its usage", () => {
    const state = read(dataEvents(HELLO[0]));
    expect(state.usage?.inputTokens).toBe(11);
    expect(codeOf(state)).toBe("NetworkDisconnect");
  });

  it("tells reasoning, calls and data apart", () => {
    expect(read(dataEvents(chunk([{ text: "hm", thought: true }])))).toMatchObject({ sawContent: true, textLength: 0 });
    expect(read(dataEvents(chunk([{ functionCall: { name: "f", args: {} } }])))).toMatchObject({ sawToolCall: true });
    expect(read(dataEvents(chunk([{ inlineData: { mimeType: "image/png", data: "AA" } }])))).toMatchObject({
      sawContent: true,
      sawToolCall: false,
    });
    expect(read(dataEvents(chunk([{ text: "", thoughtSignature: "x" }])))).toMatchObject({
      sawContent: false,
      progress: 0,
    });
  });

  it("carries an error as an event, in a list, alone, and bare after events", () => {
    const pretty = JSON.stringify(OVERLOADED, null, 2);
    for (const text of [
      dataEvents(HELLO[0], OVERLOADED),
      `[${pretty}]`,
      pretty,
      `${dataEvents(HELLO[0])}${pretty}\n`,
    ]) {
      expect(codeOf(read(text)), text).toBe("Overloaded");
    }
  });

  it.each([
    ["SAFETY", "ContentFiltered"],
    ["RECITATION", "ContentFiltered"],
    ["MALFORMED_FUNCTION_CALL", "SchemaInvalid"],
    ["OTHER", "Provider5xx"],
    ["MAX_TOKENS", null],
    ["FINISH_REASON_UNSPECIFIED", "NetworkDisconnect"],
  ])("that stops with %s is %s", (reason, code) => {
    expect(codeOf(read(dataEvents(chunk([{ text: "x" }], reason))))).toBe(code);
  });

  it("reports the worst of its stop reasons, because old models send STOP with every chunk", () => {
    expect(codeOf(read(dataEvents(chunk([{ text: "x" }], "STOP"), chunk([], "SAFETY"))))).toBe("ContentFiltered");
  });

  it("with only reasoning before STOP is empty", () => {
    expect(codeOf(read(dataEvents(chunk([{ text: "hm", thought: true }], "STOP"))))).toBe("EmptyOutput");
    expect(codeOf(read(dataEvents(chunk([], "STOP"))))).toBe("EmptyOutput");
  });

  it.each(["SAFETY", "OTHER", "PROHIBITED_CONTENT", "BLOCKED_REASON_UNSPECIFIED"])(
    "blocked for %s is filtered",
    (blockReason) => {
      const body = { promptFeedback: { blockReason }, usageMetadata: { promptTokenCount: 9 } };
      for (const state of [read(dataEvents(body)), readWire("google-generate", "json", JSON.stringify(body))]) {
        expect(state).toMatchObject({ stopReason: blockReason, usage: { inputTokens: 9 } });
        expect(codeOf(state)).toBe("ContentFiltered");
      }
    },
  );
});

describe("a whole Google answer", () => {
  it("yields text, stop reason and usage, or its error, also in a list", () => {
    expect(readWire("google-generate", "json", JSON.stringify(chunk([{ text: "Hi" }], "STOP")))).toMatchObject({
      textLength: 2,
      isComplete: true,
      failure: null,
      usage: { inputTokens: 11 },
    });
    expect(codeOf(readWire("google-generate", "json", JSON.stringify([OVERLOADED])))).toBe("Overloaded");
    expect(codeOf(readWire("google-generate", "json", "{}"))).toBe("AnswerUnreadable");
  });
});
