// What a caller sees of a stream: nothing of an attempt that failed before its first content, and after the first content never a
// clean end of a broken answer.

import type { LanguageModelV4, LanguageModelV4StreamPart } from "@ai-sdk/provider";
import { streamText } from "ai";
import { expect, it } from "vitest";
import type { ScenarioStep } from "../../../src/chaos/scenario-schema.ts";
import {
  always,
  ASKED,
  CLAUDE,
  chainWorld,
  type ChainWorld,
  GEMINI,
  GPT,
  only,
  partsOf,
  textOf,
} from "./chain-world.ts";

type Vendor = "gpt" | "responses" | "claude" | "gemini";
const IDS: Readonly<Record<Vendor, string>> = { gpt: GPT, responses: GPT, claude: CLAUDE, gemini: GEMINI };
const VENDORS: readonly Vendor[] = ["gpt", "responses", "claude", "gemini"];

const BEFORE_CONTENT: readonly ScenarioStep[] = [
  { fault: "server-error" },
  { fault: "reset" },
  { fault: "error-first-event" },
  { fault: "cut-stream", after: 0 },
  { fault: "stall", after: 0 },
  { fault: "error-mid-stream", after: 0 },
  { fault: "empty" },
  { fault: "hang" },
];

const AFTER_CONTENT: readonly ScenarioStep[] = [
  { fault: "error-mid-stream", after: 1 },
  { fault: "cut-stream", after: 3 },
  { fault: "stall", after: 3 },
  { fault: "malformed-chunk", after: 3 },
  { fault: "no-end-mark" },
];

const CASES = VENDORS.flatMap((vendor) => ({ vendor }));

async function read(world: ChainWorld, model: LanguageModelV4): Promise<readonly LanguageModelV4StreamPart[]> {
  const { stream } = await world.run(model.doStream(ASKED));
  return world.run(partsOf(stream));
}

/** What the fallback alone would have sent, without ids. */
function comparable(parts: readonly LanguageModelV4StreamPart[]): string {
  const kept = parts.map((part) => {
    if (part.type === "response-metadata") return { type: part.type };
    if (part.type === "custom") return { type: part.type, kind: part.kind };
    return part.type === "finish" ? { type: part.type, usage: part.usage, finishReason: part.finishReason } : part;
  });
  return JSON.stringify(kept);
}

it.each(CASES.flatMap(({ vendor }) => BEFORE_CONTENT.map((step) => ({ vendor, step }))))(
  "of $vendor with $step.fault nothing is seen: the caller gets what the stand-in alone would have sent",
  async ({ vendor, step }) => {
    const world = await chainWorld([always(IDS[vendor], step)]);
    const other = vendor === "claude" ? world.gpt() : world.claude();
    const alone = await read(world, world.fl.model([other]));
    const chained = await read(world, world.fl.model([world[vendor](), other]));
    expect(comparable(chained)).toBe(comparable(alone));
    expect(only(world.events(), "call-failed").length).toBeGreaterThan(0);
  },
);

it.each(CASES.flatMap(({ vendor }) => AFTER_CONTENT.map((step) => ({ vendor, step }))))(
  "of $vendor with $step.fault after content the stream ends with an error and the reason error, once, and no other target is asked",
  async ({ vendor, step }) => {
    const world = await chainWorld([always(IDS[vendor], step)]);
    const other = vendor === "claude" ? world.gpt() : world.claude();
    const parts = await read(world, world.fl.model([world[vendor](), other]));
    expect(textOf(parts)).toMatch(/^You said/);
    expect(parts.slice(-2)).toMatchObject([
      { type: "error", error: { name: "FaultError" } },
      { type: "finish", finishReason: { unified: "error" } },
    ]);
    expect(parts.filter(({ type }) => type === "error" || type === "finish")).toHaveLength(2);
    expect(world.asked()).toEqual([IDS[vendor]]);
  },
);

it("has not started when Anthropic has only announced a message", async () => {
  const world = await chainWorld([always(CLAUDE, { fault: "cut-stream", after: 0 })]);
  const parts = await read(world, world.fl.model([world.claude(), world.gpt()]));
  expect(parts.at(-1)).toMatchObject({ type: "finish", finishReason: { unified: "stop" } });
  expect(world.asked()).toEqual([CLAUDE, CLAUDE, GPT]);
});

it("throws before returning a stream if no target could answer, so that an empty stream is not taken for an answer", async () => {
  const world = await chainWorld([always("*", { fault: "bad-request" })]);
  const error = await world.failure(world.fl.model([world.gpt(), world.claude()]).doStream(ASKED));
  expect(error).toMatchObject({ name: "FaultError", fault: { code: "RequestInvalid" } });
});

it("gives streamText an error part and the finish reason error, and its text promise does not look complete", async () => {
  const world = await chainWorld([always(GPT, { fault: "cut-stream", after: 2 })]);
  const errors: unknown[] = [];
  const result = streamText({
    model: world.fl.model([world.gpt(), world.claude()]),
    prompt: "hello there",
    onError: ({ error }) => void errors.push(error),
  });
  expect(await world.run(result.finishReason)).toBe("error");
  expect(errors).toMatchObject([{ fault: { code: "NetworkDisconnect" } }]);
});
