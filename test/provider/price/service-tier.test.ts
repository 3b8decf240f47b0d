// Which tier a request was served in: what the answer says, and what was asked for where it says nothing.

import { describe, expect, it } from "vitest";
import { servedTier } from "../../../src/provider/price/cost.ts";

type Fields = Readonly<Record<string, unknown>>;

function tier(provider: string, asked: Fields, raw: Fields, metadata: Fields = {}): string | null {
  const name = provider.split(".")[0] ?? "";
  const options = { prompt: [], providerOptions: { [name]: asked } } as Parameters<typeof servedTier>[1];
  const usage = { inputTokens: {}, outputTokens: {}, raw } as Parameters<typeof servedTier>[2];
  return servedTier(provider, options, usage, { [name]: metadata });
}

describe("the tier of an answer", () => {
  // prettier-ignore
  it.each<[string, string, Fields, Fields, Fields, string | null]>([
    ["nothing is asked or said",            "openai.chat",        {},                       {},                        {},                          null],
    ["only asked for",                      "openai.chat",        { serviceTier: "flex" },  {},                        {},                          "flex"],
    ["the answer says another one",         "openai.chat",        { serviceTier: "flex" },  { service_tier: "default" }, {},                        "default"],
    ["the metadata come before the usage",  "openai.responses",   {},                       { service_tier: "flex" },  { serviceTier: "priority" }, "priority"],
    ["speed as asked",                      "anthropic.messages", { speed: "fast" },        { speed: "fast" },         {},                          "fast"],
    ["speed that was not asked for",        "anthropic.messages", {},                       { speed: "fast" },         {},                          "fast"],
    ["speed asked for, and no word of it",  "anthropic.messages", { speed: "fast" },        {},                        {},                          "fast"],
    ["speed asked for, and not given",      "anthropic.messages", { speed: "fast" },        { speed: "standard", service_tier: "standard" }, {},    "standard"],
    ["fast is a tier elsewhere",            "openai.chat",        { serviceTier: "fast" },  { service_tier: "default" }, {},                        "default"],
  ])("%s", (_what, provider, asked, raw, metadata, served) => {
    expect(tier(provider, asked, raw, metadata)).toBe(served);
  });
});
