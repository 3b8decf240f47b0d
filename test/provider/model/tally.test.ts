// The content of a streamed answer is what a call without streaming would return.

import type {
  LanguageModelV4CallOptions,
  LanguageModelV4Content,
  LanguageModelV4FinishReason,
  LanguageModelV4StreamPart,
} from "@ai-sdk/provider";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { answerIn, ContentTally, verdictOn } from "../../../src/provider/model/tally.ts";
import { samples } from "../../support/grid.ts";

const signed = (mark: number | null): object => (mark === null ? {} : { providerMetadata: { vendor: { mark } } });

describe("the parts of a stream", () => {
  it("become blocks in the order in which they began, each with its whole text and its last signature", () => {
    const mark = fc.option(fc.nat(9), { nil: null });
    const block = fc.record({
      type: fc.constantFrom("text" as const, "reasoning" as const),
      start: mark,
      deltas: fc.array(fc.tuple(fc.string({ maxLength: 5 }), mark), { maxLength: 4 }),
      end: mark,
    });
    fc.assert(
      fc.property(fc.array(block, { maxLength: 4 }), fc.array(fc.nat(99), { maxLength: 60 }), (blocks, picks) => {
        const tally = new ContentTally();
        const add = (part: object): void => tally.add(part as LanguageModelV4StreamPart);
        const waiting = blocks.map(({ type, deltas, end }, index) => {
          const id = String(index);
          const grow = deltas.map(([delta, at]) => ({ type: `${type}-delta`, id, delta, ...signed(at) }));
          return [...grow, { type: `${type}-end`, id, ...signed(end) }];
        });
        blocks.forEach(({ type, start }, index) => add({ type: `${type}-start`, id: String(index), ...signed(start) }));
        for (const pick of picks) {
          const part = waiting[pick % Math.max(1, waiting.length)]?.shift();
          if (part !== undefined) add(part);
        }
        for (const rest of waiting) for (const part of rest) add(part);
        const expected = blocks.map(({ type, start, deltas, end }) => {
          const marks = [start, ...deltas.map(([, at]) => at), end].filter((one) => one !== null);
          return { type, text: deltas.map(([delta]) => delta).join(""), ...signed(marks.at(-1) ?? null) };
        });
        expect(tally.content).toEqual(expected);
        expect(tally.characters).toBe(expected.reduce((sum, { text }) => sum + text.length, 0));
      }),
      { numRuns: samples(100, 300) },
    );
  });

  it("count the characters of a tool's input once, whether it came in pieces or whole", () => {
    const call = (input: string, ...pieces: readonly string[]): ContentTally => {
      const tally = new ContentTally();
      if (pieces.length > 0) tally.add({ type: "tool-input-start", id: "c", toolName: "t" });
      for (const delta of pieces) tally.add({ type: "tool-input-delta", id: "c", delta });
      tally.add({ type: "tool-call", toolCallId: "c", toolName: "t", input });
      return tally;
    };
    expect([call("{12}").characters, call("{12}", "{1", "2}").characters, call("{12}", "").characters]).toEqual([
      4, 4, 4,
    ]);
    expect(call("{12}", "{1", "2}").content).toMatchObject([{ type: "tool-call", input: "{12}" }]);
  });
});

const FORMATS = {
  "as text": undefined,
  "as JSON": { type: "json" },
  "as JSON with a schema": {
    type: "json",
    schema: { type: "object", required: ["a"], properties: { a: { type: "number" } } },
  },
} as const;
const CONTENTS: Readonly<Record<string, readonly LanguageModelV4Content[]>> = {
  "nothing": [],
  "white space": [{ type: "text", text: " \n" }],
  "an empty thought": [{ type: "reasoning", text: "" }],
  "a thought": [{ type: "reasoning", text: "hm" }],
  "words": [{ type: "text", text: "hello" }],
  '{"a":1}': [
    { type: "text", text: '{"a"' },
    { type: "text", text: ":1}" },
  ],
  '{"a":"x"}': [{ type: "text", text: '{"a":"x"}' }],
  "a call": [{ type: "tool-call", toolCallId: "1", toolName: "t", input: '{"b":2}' }],
  "a call without input": [{ type: "tool-call", toolCallId: "1", toolName: "t", input: " " }],
  "a call with half an input": [{ type: "tool-call", toolCallId: "1", toolName: "t", input: '{"b":' }],
};
const STOPS: readonly LanguageModelV4FinishReason[] = [
  ...(["stop", "length", "tool-calls", "content-filter", "error", "other", "interrupted"] as const).map((unified) => ({
    unified,
    raw: undefined,
  })),
  { unified: "other", raw: "pause" },
  { unified: "other", raw: "model_context_window_exceeded" },
  { unified: "stop", raw: "refusal" },
  { unified: "error", raw: "MALFORMED_FUNCTION_CALL" },
];

it("a whole answer is judged by how it stopped, what is in it and what was asked for, as the reviewed file says", async () => {
  const lines: string[] = [];
  for (const stop of STOPS)
    for (const [what, content] of Object.entries(CONTENTS)) {
      const told: string[] = [];
      for (const [how, responseFormat] of Object.entries(FORMATS)) {
        const asked = { prompt: [], ...(responseFormat === undefined ? {} : { responseFormat }) };
        const seen = await verdictOn(answerIn(content, stop), asked as LanguageModelV4CallOptions, "acme");
        const verdict = seen === null ? "fine" : JSON.stringify([seen.code, seen.message, seen.context]);
        if (told.at(-1)?.endsWith(`: ${verdict}`) !== true) told.push(`${how}: ${verdict}`);
      }
      lines.push(`${stop.unified} (${stop.raw ?? "-"}), ${what}`, ...told.map((one) => `  ${one}`));
    }
  await expect(`${lines.join("\n")}\n`).toMatchFileSnapshot("judged/answers.txt");
});
