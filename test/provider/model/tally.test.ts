// The content of a streamed answer is what a call without streaming would return.

import type { LanguageModelV4StreamPart } from "@ai-sdk/provider";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ContentTally } from "../../../src/provider/model/tally.ts";

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
      { numRuns: 300 },
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
