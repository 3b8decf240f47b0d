// A request goes only to models that can do what it needs, at the first choice and at every fallback.

import type { LanguageModelV4CallOptions } from "@ai-sdk/provider";
import { describe, expect, it } from "vitest";
import { wordsFor } from "../../../src/core/index.ts";
import { type FactOverrides, type FaultCode, FaultError, traitsOf } from "../../../src/index.ts";
import { always, ASKED, CLAUDE, chainWorld, GEMINI, GPT, only } from "./chain-world.ts";

const ALL = ["streaming", "tools", "vision", "files", "audio"];
const without = (missing: string): FactOverrides => ({ capabilities: ALL.filter((each) => each !== missing) });

const PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNkYAAAAAYAAjCB0C8AAAAASUVORK5CYII=";
const WITH_IMAGE: LanguageModelV4CallOptions = {
  prompt: [
    {
      role: "user",
      content: [
        { type: "text", text: "what is this" },
        { type: "file", mediaType: "image/png", data: { type: "data", data: PIXEL } },
      ],
    },
  ],
};
const WITH_TOOLS: LanguageModelV4CallOptions = {
  ...ASKED,
  tools: [{ type: "function", name: "look_up", inputSchema: { type: "object" } }],
};
const LONG: LanguageModelV4CallOptions = {
  prompt: [{ role: "user", content: [{ type: "text", text: "word ".repeat(20_000) }] }],
};
const SMALL: FactOverrides = { contextWindowTokens: 8_000 };

interface Row {
  readonly name: string;
  readonly asks: LanguageModelV4CallOptions;
  readonly lacking: FactOverrides;
  readonly code: FaultCode;
}

const ROWS: readonly Row[] = [
  { name: "an image", asks: WITH_IMAGE, lacking: without("vision"), code: "MissingModality" },
  { name: "tools", asks: WITH_TOOLS, lacking: without("tools"), code: "MissingToolCalling" },
  { name: "a long prompt", asks: LONG, lacking: SMALL, code: "ContextWindowTooSmall" },
];

describe.each(ROWS)("$name", ({ asks, lacking, code }) => {
  it("skips a first choice that lacks it, without a request", async () => {
    const world = await chainWorld();
    const model = world.fl.model([{ model: world.gpt(), facts: lacking }, world.claude()]);
    await world.run(model.doGenerate(asks));
    expect(world.asked()).toEqual([CLAUDE]);
    expect(only(world.events(), "call-decided")).toMatchObject([
      { fault: { code }, decision: { recourse: "fallback", target: `anthropic/${CLAUDE}` } },
    ]);
  });

  it("skips a fallback that lacks it", async () => {
    const world = await chainWorld([always(GPT, { fault: "not-found" })]);
    const model = world.fl.model([world.gpt(), { model: world.claude(), facts: lacking }, world.gemini()]);
    await world.run(model.doGenerate(asks));
    expect(world.asked()).toEqual([GPT, GEMINI]);
    expect(only(world.events(), "call-failed")[0]?.decision.passedOver).toMatchObject([{ id: `anthropic/${CLAUDE}` }]);
  });

  it("that no target has is a fault with an explanation, and no target is asked", async () => {
    const world = await chainWorld();
    const model = world.fl.model([
      { model: world.gpt(), facts: lacking },
      { model: world.claude(), facts: lacking },
    ]);
    const error = await world.failure(model.doGenerate(asks));
    expect(error).toBeInstanceOf(FaultError);
    const { fault } = error as FaultError;
    expect(traitsOf(fault.code).class).toBe("ProviderCapability");
    expect(fault.code).toBe(code);
    expect(fault.message).toMatch(/gpt-4o/);
    expect(wordsFor(fault.code, "en")).toBeDefined();
    expect(world.asked()).toEqual([]);
  });
});

it("is not required by a request that does not need it", async () => {
  const world = await chainWorld();
  const model = world.fl.model([{ model: world.gpt(), facts: without("vision") }, world.claude()]);
  await world.run(model.doGenerate(ASKED));
  expect(world.asked()).toEqual([GPT]);
});

it("is required for streaming only when the call streams", async () => {
  const world = await chainWorld();
  const model = world.fl.model([{ model: world.gpt(), facts: without("streaming") }, world.claude()]);
  await world.run(model.doGenerate(ASKED));
  await world.run(model.doStream(ASKED));
  expect(world.asked()).toEqual([GPT, CLAUDE]);
});
