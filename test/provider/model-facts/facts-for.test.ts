// The vendor behind a provider string, and the tables' facts about its models.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { CAPABILITIES } from "../../../src/provider/model-facts/capability.ts";
import { factsFor } from "../../../src/provider/model-facts/facts-for.ts";
import { longestMatch, modelIdentity } from "../../../src/provider/model-facts/model-id.ts";
import { modelRows, MODEL_ROWS_DATE } from "../../../src/provider/model-facts/model-rows.ts";
import {
  apiOf,
  hostOf,
  providerOf,
  providerRow,
  PROVIDERS,
  vendorOfNamespace,
} from "../../../src/provider/model-facts/provider-of.ts";

describe("a provider string", () => {
  it.each([
    ["openai.responses", "openai", "openai"],
    ["openai.chat", "openai", "openai"],
    ["anthropic.messages", "anthropic", "anthropic"],
    ["google.generative-ai", "google", "google"],
    ["google.vertex.chat", "google", "vertex"],
    ["googleVertex.chat", "google", "vertex"],
    ["azure-openai.chat", "openai", "azure"],
    ["azure.responses", "openai", "azure"],
    ["amazon-bedrock", "bedrock", "bedrock"],
    ["vertex.anthropic.messages", "anthropic", "vertex"],
    ["bedrock.anthropic.messages", "anthropic", "bedrock"],
    ["openai-compatible.chat", "openai-compatible", "openai-compatible"],
    ["acme.chat", "acme", "acme"],
    ["", "", ""],
  ])("%s is of vendor %s and served by %s", (provider, vendor, host) => {
    expect(providerOf(provider)).toBe(vendor);
    expect(hostOf(provider)).toBe(host);
  });

  it.each(PROVIDERS.map((row) => [row.example, row] as const))(
    "%s finds the row it is the example of",
    (example, row) => {
      expect(PROVIDERS.find(({ match }) => match.test(example))).toBe(row);
    },
  );

  it("says which APIs refuse a text without characters: those of Anthropic, wherever they are served, and Bedrock's", () => {
    const refusing = PROVIDERS.filter(({ acceptsEmptyText }) => !acceptsEmptyText).map(({ example }) => example);
    expect(refusing).toEqual([
      "vertex.anthropic.messages",
      "bedrock.anthropic.messages",
      "azure.anthropic.messages",
      "anthropic.messages",
      "amazon-bedrock",
    ]);
    expect(factsFor("my-proxy.chat", "m").acceptsEmptyText).toBe(true);
  });

  it("of an unknown server reads options under its own name, as written and in camel case", () => {
    expect(factsFor("my-proxy.chat", "m").namespaces.slice(0, 2)).toEqual(["my-proxy", "myProxy"]);
    expect(vendorOfNamespace("my-proxy")).toBeNull();
    expect(vendorOfNamespace("googleVertex")).toBe("google");
  });
});

describe("a model id", () => {
  it.each([
    ["openai.responses", "gpt-5-2025-08-07", "openai", "gpt-5"],
    ["vertex.anthropic.messages", "claude-opus-4@20250514", "anthropic", "claude-opus-4"],
    ["anthropic.messages", "claude-sonnet-4-5-20250929", "anthropic", "claude-sonnet-4-5"],
    ["anthropic.messages", "claude-3-7-sonnet-latest", "anthropic", "claude-3-7-sonnet"],
    ["amazon-bedrock", "us.anthropic.claude-opus-4-5-20251101-v1:0", "anthropic", "claude-opus-4-5"],
    ["amazon-bedrock", "anthropic.claude-opus-4-6-v1", "anthropic", "claude-opus-4-6"],
    ["gateway", "anthropic/claude-sonnet-5.5", "anthropic", "claude-sonnet-5-5"],
    ["openrouter.chat", "openai/gpt-5.4", "openai", "gpt-5.4"],
    ["groq.chat", "openai/gpt-oss-120b", "groq", "gpt-oss-120b"],
    ["google.generative-ai", "models/gemini-2.5-pro", "google", "gemini-2.5-pro"],
    ["openai.chat", "gpt-4.1", "openai", "gpt-4.1"],
    ["openai.chat", "constructor/gpt-4o", "openai", "gpt-4o"],
  ])("%s %s is made by %s and called %s", (provider, modelId, maker, name) => {
    const identity = modelIdentity(provider, modelId);
    expect(identity.maker).toBe(maker);
    expect(identity.names.at(-1)).toBe(name);
  });

  it("matches its own row before a family, and the longer prefix before the shorter", () => {
    const rows = [{ model: "gpt-*" }, { model: "gpt-5*" }, { model: "gpt-5" }, { model: "gpt-5-mini" }];
    expect(longestMatch(rows, ["gpt-5"])?.model).toBe("gpt-5");
    expect(longestMatch(rows, ["gpt-5-mini"])?.model).toBe("gpt-5-mini");
    expect(longestMatch(rows, ["gpt-5-nano"])?.model).toBe("gpt-5*");
    expect(longestMatch(rows, ["gpt-4"])?.model).toBe("gpt-*");
    expect(longestMatch(rows, ["o3"])).toBeNull();
  });

  it("of any shape gives facts", () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (provider, modelId) => {
        const facts = factsFor(provider, modelId);
        expect(facts.contextWindowTokens).toBeGreaterThan(0);
      }),
    );
  });
});

describe("facts", () => {
  it("come from the table for a known model, with what its API and the model itself reject", () => {
    const facts = factsFor("openai.responses", "gpt-5-2025-08-07");
    expect(facts).toMatchObject({
      known: true,
      vendor: "openai",
      contextWindowTokens: 400_000,
      maxOutputTokens: 128_000,
    });
    expect(facts.refusedParameters).toEqual(expect.arrayContaining(["temperature", "topK", "seed"]));
    expect(facts.capabilities).toContain("vision");
    expect(facts.capabilities).not.toContain("audio");
  });

  it("assume everything of an unknown model, and say so", () => {
    const facts = factsFor("acme.chat", "brand-new");
    expect(facts.known).toBe(false);
    expect(facts.contextWindowTokens).toBe(Infinity);
    expect(facts.maxOutputTokens).toBe(Infinity);
    expect(facts.capabilities).toEqual(expect.arrayContaining([...CAPABILITIES]));
    expect(facts.refusedParameters).toEqual([]);
  });

  it("do not give a newer model the facts of an older one", () => {
    expect(factsFor("anthropic.messages", "claude-opus-5-9").known).toBe(false);
    expect(factsFor("openai.responses", "gpt-5.9").known).toBe(false);
  });

  it("know that Claude can be prefilled up to 4.5 and takes no sampling from 4.7 on", () => {
    const claude = (id: string) => factsFor("anthropic.messages", id);
    expect(claude("claude-sonnet-4-5").capabilities).toContain("prefill");
    expect(claude("claude-sonnet-4-6").capabilities).not.toContain("prefill");
    expect(claude("claude-opus-4-6").refusedParameters).not.toContain("temperature");
    expect(claude("claude-opus-4-7").refusedParameters).toContain("temperature");
  });

  it("give a model that does not reason no reasoning option", () => {
    expect(factsFor("openai.chat", "gpt-4.1").refusedParameters).toContain("reasoning");
  });

  it("can be overridden by the user", () => {
    const facts = factsFor("acme.chat", "m", { contextWindowTokens: 8000, capabilities: ["tools"] });
    expect(facts).toMatchObject({ contextWindowTokens: 8000, capabilities: ["tools"], known: false });
  });

  it("let a router read the options of the maker whose model it serves", () => {
    expect(factsFor("gateway", "anthropic/claude-opus-5-5").namespaces).toEqual(["gateway", "anthropic"]);
  });

  it("have rows that each match themselves, have a date, and are unique per model", () => {
    expect(MODEL_ROWS_DATE).toMatch(/^\d{4}-\d{2}-\d{2}$/);
    expect(new Set(modelRows().map(({ vendor, model }) => `${vendor}/${model}`)).size).toBe(modelRows().length);
    for (const row of modelRows()) {
      const facts = factsFor(row.vendor, row.model.replace("*", ""));
      expect(facts, row.model).toMatchObject({ known: true, contextWindowTokens: row.contextWindowTokens });
      expect(row.maxOutputTokens === Infinity || row.maxOutputTokens <= row.contextWindowTokens, row.model).toBe(true);
    }
  });
});

it("each API has the name, the namespaces and the habits of the reviewed file", async () => {
  const examples = [...PROVIDERS.map(({ example }) => example), "my-server.chat", "acme"];
  const lines = examples.map((example) => {
    const { match: _match, example: _example, ...facts } = providerRow(example);
    const shown = Object.entries(facts).map(
      ([name, fact]) => `  ${name}: ${fact instanceof RegExp ? String(fact) : JSON.stringify(fact)}`,
    );
    return [`${example} (API ${apiOf(example)}, run by ${hostOf(example)})`, ...shown].join("\n");
  });
  await expect(`${lines.join("\n")}\n`).toMatchFileSnapshot("reviewed/providers.txt");
});
