// Prices are found by model name, and costs are whole numbers that never drift.

import type { LanguageModelV4Usage } from "@ai-sdk/provider";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createFaultline } from "../../../src/index.ts";
import { costOfAnswer, costOfUsage, estimateCost } from "../../../src/provider/price/cost.ts";
import { priceRows } from "../../../src/provider/price/price-rows.ts";
import { priceOf, priceTable, type Price } from "../../../src/provider/price/price-table.ts";

const TABLE = priceTable();
const DOLLAR = 100_000_000;

function known(provider: string, modelId: string): Price {
  const price = priceOf(TABLE, provider, modelId);
  if (price === null) throw new Error(`${provider} ${modelId} has no price`);
  return price;
}

interface Counts {
  readonly total?: number;
  readonly noCache?: number;
  readonly cacheRead?: number;
  readonly cacheWrite?: number;
  readonly output?: number;
  readonly text?: number;
  readonly reasoning?: number;
}

function usage({ total, noCache, cacheRead, cacheWrite, output, text, reasoning }: Counts): LanguageModelV4Usage {
  return {
    inputTokens: { total, noCache, cacheRead, cacheWrite },
    outputTokens: { total: output, text, reasoning },
  };
}

describe("a price", () => {
  it.each([
    ["openai.responses", "gpt-5.4", 2.5],
    ["openai.chat", "gpt-5-2025-08-07", 1.25],
    ["openai.chat", "gpt-4o-2024-05-13", 5],
    ["openai.chat", "gpt-4o-2024-11-20", 2.5],
    ["azure.responses", "gpt-5.4", 2.5],
    ["vertex.anthropic.messages", "claude-opus-4@20250514", 15],
    ["amazon-bedrock", "us.anthropic.claude-opus-4-5-20251101-v1:0", 5],
    ["gateway", "anthropic/claude-opus-5.5", 4],
    ["google.generative-ai", "gemini-3.1-pro-preview-customtools", 2],
  ])("of %s %s is %d dollars per million tokens of input", (provider, modelId, dollars) => {
    expect(known(provider, modelId).inputMicrocents).toBe(dollars * DOLLAR);
  });

  it("is null for an unknown model, and not borrowed from an older one", () => {
    expect(priceOf(TABLE, "acme.chat", "m")).toBeNull();
    expect(priceOf(TABLE, "anthropic.messages", "claude-opus-5-9")).toBeNull();
    expect(priceOf(TABLE, "openai.responses", "gpt-5.9-mini")).toBeNull();
  });

  it("is the user's if they set one, even for a whole family and for one host", () => {
    const own = priceTable([
      { provider: "anthropic", model: "claude-*", input: 1, output: 2 },
      { provider: "azure", model: "gpt-5.4", input: 3, output: 4 },
    ]);
    expect(priceOf(own, "anthropic.messages", "claude-opus-5-5")?.inputMicrocents).toBe(DOLLAR);
    expect(priceOf(own, "azure.responses", "gpt-5.4")?.inputMicrocents).toBe(3 * DOLLAR);
    expect(priceOf(own, "openai.responses", "gpt-5.4")?.inputMicrocents).toBe(2.5 * DOLLAR);
  });

  it("of cached input is that of input unless set", () => {
    const own = priceTable([{ provider: "acme", model: "m", input: 1, output: 2 }]);
    expect(priceOf(own, "acme.chat", "m")).toMatchObject({
      cachedInputMicrocents: DOLLAR,
      cacheWriteMicrocents: DOLLAR,
      longContext: null,
    });
  });

  it.each([-1, NaN, Infinity, 2_000_000])("of %d is refused", (input) => {
    expect(() => createFaultline({ prices: [{ provider: "acme", model: "m", input, output: 1 }] })).toThrow(
      /prices\[0\]\.input is .*; it must be a number from 0 to 1000000/,
    );
  });

  it("is whole in micro-cents in every row, with a date and a source, and no two for one model", () => {
    expect(TABLE.date).toMatch(/^\d{4}-\d{2}-\d{2}$/);
    expect(TABLE.source).not.toBe("");
    expect(new Set(priceRows().map(({ provider, model }) => `${provider}/${model}`)).size).toBe(priceRows().length);
    for (const row of priceRows()) {
      const { longContext, tiers, ...rates } = known(row.provider, row.model.replace("*", ""));
      for (const tier of tiers.values()) expect(Number.isInteger(tier.outputMicrocents), row.model).toBe(true);
      for (const [rate, long] of Object.entries(rates).map(([key, value]) => [
        value,
        longContext?.[key as keyof typeof rates],
      ])) {
        expect(Number.isInteger(rate), row.model).toBe(true);
        if (long !== undefined) expect(long, row.model).toBeGreaterThanOrEqual(rate ?? 0);
      }
      expect(rates.cachedInputMicrocents, row.model).toBeLessThanOrEqual(rates.inputMicrocents);
      // Embeddings have no output.
      if (!row.model.includes("embedding"))
        expect(rates.outputMicrocents, row.model).toBeGreaterThan(rates.inputMicrocents);
    }
  });
});

describe("a cost", () => {
  const opus = known("anthropic.messages", "claude-opus-4-5");

  it("counts cached tokens once, each at its own price, and reasoning as output", () => {
    const reported = usage({
      total: 1000,
      noCache: 100,
      cacheRead: 700,
      cacheWrite: 200,
      output: 50,
      text: 20,
      reasoning: 30,
    });
    expect(costOfUsage(reported, opus)).toBe(100 * 500 + 700 * 50 + 200 * 625 + 50 * 2500);
  });

  it("comes from whatever was reported: the total, or the parts", () => {
    expect(costOfUsage(usage({ total: 1000, cacheRead: 700 }), opus)).toBe(300 * 500 + 700 * 50);
    expect(costOfUsage(usage({ noCache: 300, cacheRead: 700 }), opus)).toBe(300 * 500 + 700 * 50);
    expect(costOfUsage(usage({ text: 20, reasoning: 30 }), opus)).toBe(50 * 2500);
    expect(costOfUsage(usage({ total: NaN, output: -5 }), opus)).toBe(0);
  });

  it.each([
    ["no usage", null, true],
    ["a usage that says nothing", usage({}), true],
    ["a proxy's zeros", usage({ total: 0, output: 0 }), true],
    ["an answer that broke before it was counted", null, false],
  ])("of an answer with %s is that of what was sent and seen, and marked", (_name, said, isWhole) => {
    const seen = { inputTokens: () => 100, outputCharacters: 41 };
    const expected = { microcents: 100 * 500 + 11 * 2500, basis: "estimated" };
    expect(costOfAnswer(said, isWhole, seen, opus, null)).toEqual(expected);
  });

  it("of a broken answer uses the provider's input count, and the reported or seen output, whichever is more", () => {
    const seen = (outputCharacters: number) => ({ inputTokens: () => 100, outputCharacters });
    const said = usage({ total: 30, cacheRead: 10, output: 5 });
    expect(costOfAnswer(said, false, seen(400), opus, null)).toEqual({
      microcents: 20 * 500 + 10 * 50 + 100 * 2500,
      basis: "estimated",
    });
    expect(costOfAnswer(said, false, seen(4), opus, null).microcents).toBe(20 * 500 + 10 * 50 + 5 * 2500);
    expect(costOfAnswer(said, true, seen(400), opus, null)).toEqual({
      microcents: 20 * 500 + 10 * 50 + 5 * 2500,
      basis: "reported",
    });
  });

  it.each<[string, Counts, number, "reported" | "estimated"]>([
    ["one fresh token", { noCache: 1, output: 1 }, 9, "reported"],
    ["only cache reads", { total: 1, cacheRead: 1, output: 1 }, 9, "reported"],
    ["only cache writes", { total: 1, cacheWrite: 1, output: 1 }, 9, "reported"],
    ["no input", { output: 1 }, 9, "estimated"],
    ["one token of output", { total: 9, output: 1 }, 9, "reported"],
    ["no output although some was seen", { total: 9, output: 0 }, 1, "estimated"],
    ["no output, and none was seen", { total: 9, output: 0 }, 0, "reported"],
  ])("is the provider's count if it counts at all: %s", (_what, counts, outputCharacters, basis) => {
    expect(costOfAnswer(usage(counts), true, { inputTokens: () => 5, outputCharacters }, opus, null).basis).toBe(basis);
  });

  it("of one-hour cache writes is twice that of input, and of the others as before", () => {
    const hour = (tokens: number): LanguageModelV4Usage => ({
      ...usage({ total: 1000, noCache: 100, cacheRead: 700, cacheWrite: 200, output: 50 }),
      raw: { cache_creation: { ephemeral_5m_input_tokens: 200 - tokens, ephemeral_1h_input_tokens: tokens } },
    });
    const rest = 100 * 500 + 700 * 50 + 50 * 2500;
    expect(costOfUsage(hour(0), opus)).toBe(rest + 200 * 625);
    expect(costOfUsage(hour(150), opus)).toBe(rest + 50 * 625 + 150 * 1000);
    expect(costOfUsage(hour(200), opus)).toBe(rest + 200 * 1000);
    // More than was written cannot have been written.
    expect(costOfUsage(hour(9000), opus)).toBe(rest + 200 * 1000);
  });

  it.each([
    ["openai.responses", "gpt-5.4", "flex", 0.5],
    ["openai.responses", "gpt-5.4", "batch", 0.5],
    ["openai.responses", "gpt-5.4", "priority", 2],
    ["openai.responses", "gpt-5.4", "default", 1],
    ["openai.chat", "gpt-5.5", "fast", 2.5],
    ["openai.chat", "gpt-4o", "priority", 1.7],
    ["anthropic.messages", "claude-opus-4-5", "batch", 0.5],
    ["anthropic.messages", "claude-opus-4-5", "priority", 1],
    ["anthropic.messages", "claude-opus-4-6", "fast", 6],
    ["google.generative-ai", "gemini-2.5-flash", "flex", 0.5],
    ["google.generative-ai", "gemini-2.5-flash", "priority", 2],
    ["google.generative-ai", "gemini-2.5-flash", "a tier of tomorrow", 1],
  ])("of %s %s in tier %s is %d times the list price", (provider, model, tier, times) => {
    const price = known(provider, model);
    const used = usage({ total: 10_000, cacheRead: 4_000, output: 2_000 });
    expect(costOfUsage(used, price, tier)).toBe(Math.ceil(costOfUsage(used, price) * times));
    expect(estimateCost(10_000, 2_000, price, tier)).toBe(Math.ceil(estimateCost(10_000, 2_000, price) * times));
  });

  it("follows the user's own tiers", () => {
    const own = priceTable([{ provider: "acme", model: "m", input: 1, output: 2, tiers: { night: 0.25 } }]);
    const price = priceOf(own, "acme.chat", "m");
    if (price === null) throw new Error("it has a price");
    expect(costOfUsage(usage({ total: 1000 }), price, "night")).toBe(25_000);
    const wrong = { provider: "acme", model: "m", input: 1, output: 2, tiers: { night: -1 } };
    expect(() => createFaultline({ prices: [wrong] })).toThrow(/prices\[0\]\.tiers\.night is -1/);
  });

  it("is rounded up", () => {
    const cheap = known("deepseek.chat", "deepseek-flash");
    expect(cheap.cachedInputMicrocents).toBe(600_000);
    expect(costOfUsage(usage({ cacheRead: 1 }), cheap)).toBe(1);
    expect(costOfUsage(usage({ cacheRead: 5 }), cheap)).toBe(3);
  });

  it("uses the long-context price for all tokens once the input is longer, and not before", () => {
    const gpt = known("openai.responses", "gpt-5.4");
    expect(costOfUsage(usage({ total: 272_000, output: 10 }), gpt)).toBe(272_000 * 250 + 10 * 1500);
    expect(costOfUsage(usage({ total: 272_001, output: 10 }), gpt)).toBe(272_001 * 500 + 10 * 2250);
    expect(estimateCost(272_001, 10, gpt)).toBe(272_001 * 500 + 10 * 2250);
  });

  const rate = fc.integer({ min: 0, max: 10_000 * DOLLAR });
  const price = fc.record({
    inputMicrocents: rate,
    cachedInputMicrocents: rate,
    cacheWriteMicrocents: rate,
    cacheWriteHourMicrocents: rate,
    outputMicrocents: rate,
    longContext: fc.constant(null),
    tiers: fc.constant(new Map<string, Price>()),
  });
  const tokens = fc.integer({ min: 0, max: 1_000_000_000 });
  const counts = fc.record({ noCache: tokens, cacheRead: tokens, cacheWrite: tokens, output: tokens });

  it("is additive up to one rounding, and exactly so when a token costs whole micro-cents", () => {
    fc.assert(
      fc.property(counts, counts, price, (a, b, rates) => {
        const sum = usage({
          noCache: a.noCache + b.noCache,
          cacheRead: a.cacheRead + b.cacheRead,
          cacheWrite: a.cacheWrite + b.cacheWrite,
          output: a.output + b.output,
        });
        const apart = costOfUsage(usage(a), rates) + costOfUsage(usage(b), rates);
        const together = costOfUsage(sum, rates);
        if (together === Number.MAX_SAFE_INTEGER) return;
        expect(apart - together === 0 || apart - together === 1).toBe(true);
      }),
    );
    fc.assert(
      fc.property(counts, counts, (a, b) => {
        const sum = usage({ noCache: a.noCache + b.noCache, output: a.output + b.output });
        const apart = [a, b].map(({ noCache, output }) => costOfUsage(usage({ noCache, output }), opus));
        expect(costOfUsage(sum, opus)).toBe((apart[0] ?? 0) + (apart[1] ?? 0));
      }),
    );
  });

  it("never falls with more tokens of any kind, and is a safe integer", () => {
    const kind = fc.constantFrom("noCache", "cacheRead", "cacheWrite", "output");
    const any = fc.constantFrom(...priceRows().map(({ provider, model }) => known(provider, model.replace("*", ""))));
    fc.assert(
      fc.property(counts, kind, tokens, fc.oneof(price, any), (given, more, extra, rates) => {
        const before = costOfUsage(usage(given), rates);
        const after = costOfUsage(usage({ ...given, [more]: given[more] + extra }), rates);
        expect(Number.isSafeInteger(before)).toBe(true);
        expect(after).toBeGreaterThanOrEqual(before);
      }),
    );
  });

  it("of huge numbers of tokens is as exact as numbers can be", () => {
    const small = { ...opus, inputMicrocents: 1_000_001, outputMicrocents: 0 };
    expect(costOfUsage(usage({ noCache: 8_000_000_000_000_001 }), small)).toBe(8_000_008_000_000_002);
    expect(costOfUsage(usage({ noCache: Infinity }), opus)).toBe(Number.MAX_SAFE_INTEGER);
  });

  it("equals the result with big integers, whether or not a number could hold the sum", () => {
    const some = fc.oneof(fc.nat(100_000), fc.nat(Number.MAX_SAFE_INTEGER));
    const rate = fc.nat(10 * DOLLAR);
    fc.assert(
      fc.property(some, some, rate, rate, (noCache, output, inputMicrocents, outputMicrocents) => {
        const rates = { ...opus, inputMicrocents, outputMicrocents, longContext: null };
        const millionths = BigInt(noCache) * BigInt(inputMicrocents) + BigInt(output) * BigInt(outputMicrocents);
        const exact = (millionths + 999_999n) / 1_000_000n;
        const most = BigInt(Number.MAX_SAFE_INTEGER);
        expect(BigInt(costOfUsage(usage({ noCache, output }), rates))).toBe(exact > most ? most : exact);
      }),
    );
  });

  it("is never above its estimate, however the input was cached", () => {
    const any = fc.constantFrom(...priceRows().map(({ provider, model }) => known(provider, model.replace("*", ""))));
    fc.assert(
      fc.property(counts, any, ({ noCache, cacheRead, cacheWrite, output }, rates) => {
        const input = noCache + cacheRead + cacheWrite;
        const cost = costOfUsage(usage({ noCache, cacheRead, cacheWrite, output }), rates);
        expect(cost).toBeLessThanOrEqual(estimateCost(input, output, rates));
      }),
    );
  });
});

describe("a cost", () => {
  const rates = {
    ...{ inputMicrocents: 1_000_000, cachedInputMicrocents: 3_000_000, cacheWriteMicrocents: 5_000_000 },
    ...{ cacheWriteHourMicrocents: 7_000_000, outputMicrocents: 11_000_000 },
  };
  const longContext = { ...rates, aboveInputTokens: 10, outputMicrocents: 13_000_000 };
  const price: Price = { ...known("openai.responses", "gpt-5.4"), ...rates, longContext, tiers: new Map() };
  const counted = (fresh: number, cacheRead: number, cacheWrite: number, hour: number): LanguageModelV4Usage => ({
    ...usage({ noCache: fresh, cacheRead, cacheWrite: cacheWrite + hour, output: 1 }),
    raw: { cache_creation: { ephemeral_1h_input_tokens: hour } },
  });

  it.each([
    [4, 3, 2, 1, 4 + 9 + 10 + 7 + 11],
    [5, 3, 2, 1, 5 + 9 + 10 + 7 + 13],
    [4, 4, 2, 1, 4 + 12 + 10 + 7 + 13],
    [4, 3, 3, 1, 4 + 9 + 15 + 7 + 13],
    [4, 3, 2, 2, 4 + 9 + 10 + 14 + 13],
  ])("of %d new, %d cached, %d written and %d long-lived tokens counts them all as input", (a, b, c, d, microcents) => {
    expect(costOfUsage(counted(a, b, c, d), price, null)).toBe(microcents);
  });

  it("is rounded up to a whole micro-cent, also where the sum needs more digits than a number has", () => {
    const cheap: Price = {
      ...price,
      longContext: null,
      inputMicrocents: 1,
      outputMicrocents: 0,
      cacheWriteMicrocents: 1,
      cachedInputMicrocents: 1,
    };
    expect([0, 1, 1_000_000, 1_000_001].map((tokens) => estimateCost(tokens, 0, cheap))).toEqual([0, 1, 1, 2]);
    const dear: Price = { ...cheap, outputMicrocents: 3_000_001 };
    expect(estimateCost(0, 4_000_000_000_000, dear)).toBe(12_000_004_000_000);
    expect(estimateCost(1, 4_000_000_000_000, dear)).toBe(12_000_004_000_001);
    expect(estimateCost(Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER, dear)).toBe(Number.MAX_SAFE_INTEGER);
  });
});
