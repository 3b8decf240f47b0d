// Properties for any bytes: chunking does not matter, nothing throws, and every failure passed to the classifier has a name.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createWireReader, type WireReaderOptions } from "../../../src/provider/wire/wire-reader.ts";
import { bytesOf, codeOf, readWire } from "./read-wire.ts";
import { samples } from "../../support/grid.ts";

const PROTOCOL = fc.constantFrom("openai-chat", "openai-responses", "anthropic-messages", "google-generate");
const MODE = fc.constantFrom("stream", "json");
const LIMITS = fc.constantFrom(
  {},
  { eventCharacters: 40, bodyCharacters: 60, textCharacters: 6 },
  { eventCharacters: 150, bodyCharacters: 300, textCharacters: 20 },
);

/** Lines as in streams, good and bad, with every kind of line end and characters of one to four bytes. */
const LINE = fc.constantFrom(
  'data: {"choices":[{"index":0,"delta":{"content":"Hé𝄞🙂"},"finish_reason":null}]}',
  'data: {"choices":[{"index":1,"delta":{"tool_calls":[{"id":"c"}]},"finish_reason":"length"}]}',
  'data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}],"usage":{"prompt_tokens":3,"completion_tokens":4}}',
  'data: {"type":"message_start","message":{"usage":{"input_tokens":5,"output_tokens":1}}}',
  'data: {"type":"content_block_delta","delta":{"type":"text_delta","text":"日本語"}}',
  'data: {"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":9}}',
  'data: {"type":"message_stop"}',
  'data: {"type":"response.output_text.delta","delta":"ünï"}',
  'data: {"type":"response.completed","response":{"status":"completed","output":[]}}',
  'data: {"candidates":[{"content":{"parts":[{"text":"ok \\" } ] {"}]},"finishReason":"STOP"}]}',
  '[{"candidates":[{"content":{"parts":[{"text":"ok \\" } ] {"}]}}]}',
  ',{"candidates":[{"finishReason":"STOP"}],"usageMetadata":{"promptTokenCount":2}}]',
  '{"error":{"code":503,"message":"overloaded"}}',
  'data: {"error":{"message":"overloaded"}}',
  "data: [DONE]",
  "data: {broken",
  "data:",
  "data",
  "event: error",
  "event: ping",
  "id: 7",
  "retry: x",
  ": keep-alive",
  "\uFEFFdata: {}",
  "<html>",
  "nonsense: 1",
  "  ",
  "",
);
const LINE_END = fc.constantFrom("\n", "\n\n", "\r\n", "\r\n\r\n", "\r", "\r\r", "");
const STREAM = fc
  .array(fc.tuple(LINE, LINE_END), { maxLength: 14 })
  .map((lines) => bytesOf(lines.map(([line, end]) => line + end).join("")));
const BYTES = fc.oneof(
  STREAM,
  fc.uint8Array({ maxLength: 200 }),
  // Good streams with damage in them.
  fc.tuple(STREAM, fc.uint8Array({ maxLength: 4 }), fc.nat()).map(([stream, noise, at]) => {
    const copy = stream.slice();
    copy.set(noise.subarray(0, copy.length), Math.min(at % (copy.length + 1), Math.max(0, copy.length - noise.length)));
    return copy;
  }),
);

const CASE = fc.record({
  protocol: PROTOCOL,
  mode: MODE,
  limits: LIMITS,
  bytes: BYTES,
  cuts: fc.array(fc.nat({ max: 600 }), { maxLength: 12 }),
});

describe("a wire reader", () => {
  it("reaches the same state however the bytes are chunked", () => {
    fc.assert(
      fc.property(CASE, ({ protocol, mode, limits, bytes, cuts }) => {
        const options: WireReaderOptions = { keepText: true, limits };
        const whole = readWire(protocol, mode, bytes, options);
        const chunked = createWireReader(protocol, mode, options);
        let start = 0;
        for (const cut of [...cuts].sort((a, b) => a - b)) {
          const end = Math.max(start, Math.min(cut, bytes.length));
          chunked.push(bytes.subarray(start, end));
          start = end;
        }
        chunked.push(bytes.subarray(start));
        chunked.end();
        expect(chunked.state).toEqual(whole);
        const single = createWireReader(protocol, mode, options);
        for (let i = 0; i < bytes.length; i++) single.push(bytes.subarray(i, i + 1));
        single.end();
        expect(single.state).toEqual(whole);
      }),
      { numRuns: samples(500, 3_000) },
    );
  });

  it("never throws, always ends, and claims success only without a failure", () => {
    fc.assert(
      fc.property(CASE, ({ protocol, mode, limits, bytes }) => {
        const state = readWire(protocol, mode, bytes, { limits });
        expect(state.hasEnded).toBe(true);
        if (state.lookedAway !== null) expect(state.isComplete).toBe(false);
        else if (!state.isComplete) expect(state.failure).not.toBeNull();
        if (state.textLength > 0 || state.sawToolCall) expect(state.sawContent).toBe(true);
        if (state.sawContent) expect(state.progress).toBeGreaterThan(0);
        codeOf(state);
      }),
      { numRuns: samples(400, 2_000) },
    );
  });

  it("never goes back: content, calls, text and progress only grow, and a failure stays", () => {
    fc.assert(
      fc.property(CASE, ({ protocol, mode, bytes }) => {
        const reader = createWireReader(protocol, mode);
        let before = { ...reader.state };
        for (let i = 0; i < bytes.length; i += 7) {
          reader.push(bytes.subarray(i, i + 7));
          const now = { ...reader.state };
          expect(now.progress).toBeGreaterThanOrEqual(before.progress);
          expect(now.textLength).toBeGreaterThanOrEqual(before.textLength);
          if (before.sawContent) expect(now.sawContent).toBe(true);
          if (before.sawToolCall) expect(now.sawToolCall).toBe(true);
          if (before.failure !== null) expect(now.failure).toBe(before.failure);
          if (now.textLength > before.textLength) expect(now.progress).toBeGreaterThan(before.progress);
          before = now;
        }
      }),
      { numRuns: samples(150, 500) },
    );
  });
});
