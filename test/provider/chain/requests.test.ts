// What happens to a request that was refused for its size, and to an unusable answer: repaired once, then given to another model,
// then reported.

import type { LanguageModelV4Prompt } from "@ai-sdk/provider";
import { generateText, Output, stepCountIs, streamText, tool } from "ai";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import type { ScenarioRule } from "../../../src/chaos/scenario-schema.ts";
import type { FaultCode, ModelOptions } from "../../../src/index.ts";
import { always, ANSWERED, CLAUDE, chainWorld, GPT, only, steps } from "./chain-world.ts";

const LONG = `${"word ".repeat(400)}end`;

function lastHalf(prompt: LanguageModelV4Prompt): LanguageModelV4Prompt {
  return prompt.map((message) =>
    message.role === "user"
      ? {
          ...message,
          content: message.content.map((part) =>
            part.type === "text" ? { ...part, text: part.text.slice(part.text.length / 2) } : part,
          ),
        }
      : message,
  );
}

describe("a prompt that is too long", () => {
  it("is compacted once and sent to the same model", async () => {
    const world = await chainWorld([steps(GPT, "context-overflow")]);
    const model = world.fl.model([world.gpt(), world.claude()], { compact: lastHalf });
    await world.run(generateText({ model, prompt: LONG }));
    expect(world.asked()).toEqual([GPT, GPT]);
    const sizes = world.received().map(({ body }) => JSON.stringify(body).length);
    expect(sizes[1]).toBeLessThan(sizes[0] ?? 0);
    expect(only(world.events(), "call-adapted")).toMatchObject([{ changes: [{ rule: "compacted" }], kept: true }]);
  });

  it.each<{ readonly name: string; readonly compact: NonNullable<ModelOptions["compact"]> }>([
    { name: "is not smaller", compact: (prompt) => [...prompt] },
    { name: "is larger", compact: (prompt) => [...prompt, ...prompt] },
    { name: "is given up", compact: () => null },
    { name: "fails", compact: () => Promise.reject(new Error("the summary failed")) },
  ])("that $name goes to the larger model as it was", async ({ compact }) => {
    const world = await chainWorld([always(GPT, { fault: "context-overflow" })]);
    let calls = 0;
    const counting: typeof compact = (prompt, about) => {
      calls++;
      return compact(prompt, about);
    };
    await world.run(
      generateText({ model: world.fl.model([world.gpt(), world.claude()], { compact: counting }), prompt: LONG }),
    );
    expect(world.asked()).toEqual([GPT, CLAUDE]);
    expect(JSON.stringify(world.received()[1]?.body)).toContain(LONG);
    expect(only(world.events(), "call-adapted")).toEqual([]);
    expect(calls).toBe(1);
  });

  it("that is still too long goes to the larger model, and then fails: it is never compacted twice", async () => {
    const world = await chainWorld([always("*", { fault: "context-overflow" })]);
    let calls = 0;
    const compact = (prompt: LanguageModelV4Prompt): LanguageModelV4Prompt => {
      calls++;
      return lastHalf(prompt);
    };
    const model = world.fl.model([world.gpt(), world.gpt("gpt-4o-mini"), world.claude()], { compact });
    const error = await world.failure(generateText({ model, prompt: LONG }));
    expect(error).toMatchObject({ fault: { code: "ContextOverflow" } });
    expect(world.asked()).toEqual([GPT, GPT, CLAUDE]);
    expect(calls).toBe(1);
  });
});

const OUTPUT = Output.object({ schema: z.object({ city: z.string(), people: z.number() }) });
const GOOD = { json: { city: "Oslo", people: 700_000 } };

describe("structured output", () => {
  it("that breaks its schema is requested again, with the mistakes in the request", async () => {
    const world = await chainWorld([steps(GPT, { json: { city: "Oslo" } }, GOOD)]);
    const { output } = await world.run(
      generateText({ model: world.fl.model([world.gpt(), world.claude()]), prompt: "a city", output: OUTPUT }),
    );
    expect(output).toEqual(GOOD.json);
    expect(world.asked()).toEqual([GPT, GPT]);
    const second = JSON.stringify(world.received()[1]?.body);
    expect(second).toContain("people");
    expect(second).toContain("could not be used");
    expect(second).toContain("Oslo");
    expect(world.clock.now()).toBe(world.received()[0]?.at);
  });

  it.each<{
    readonly name: string;
    readonly rules: readonly ScenarioRule[];
    readonly code: FaultCode;
    readonly asked: number;
  }>([
    {
      name: "breaks its schema twice",
      rules: [always(GPT, { json: { city: "Oslo" } })],
      code: "SchemaInvalid",
      asked: 2,
    },
    { name: "is no JSON twice", rules: [always(GPT, { answer: "Oslo, a city" })], code: "SchemaInvalid", asked: 2 },
    { name: "is cut twice", rules: [always(GPT, { fault: "truncated" })], code: "OutputTruncated", asked: 2 },
  ])("that $name has its code, and is neither waited for nor sent elsewhere", async ({ rules, code, asked }) => {
    const world = await chainWorld(rules);
    const error = await world.failure(
      generateText({ model: world.fl.model([world.gpt(), world.claude()]), prompt: "a city", output: OUTPUT }),
    );
    expect(error).toMatchObject({ name: "FaultError", fault: { code } });
    expect(world.asked()).toEqual(Array.from({ length: asked }, () => GPT));
    expect(world.clock.now()).toBe(world.received()[0]?.at);
  });

  it("that is empty twice is requested elsewhere", async () => {
    const world = await chainWorld([always(GPT, { answer: "" })]);
    const model = world.fl.model([world.gpt(), world.claude()]);
    const { output } = await world.run(generateText({ model, prompt: "a city", output: OUTPUT }));
    expect(output).toBeDefined();
    expect(world.asked()).toEqual([GPT, GPT, CLAUDE]);
  });

  it("is requested once when regenerate is off", async () => {
    const world = await chainWorld([always(GPT, { json: { city: "Oslo" } })]);
    const model = world.fl.model([world.gpt()], { regenerate: false });
    const error = await world.failure(generateText({ model, prompt: "a city", output: OUTPUT }));
    expect(error).toMatchObject({ fault: { code: "SchemaInvalid" } });
    expect(world.asked()).toEqual([GPT]);
  });

  it("that streams and breaks its schema ends with the error: the caller has already seen it", async () => {
    const world = await chainWorld([always(GPT, { json: { city: "Oslo" } })]);
    const errors: unknown[] = [];
    const result = streamText({
      model: world.fl.model([world.gpt()]),
      prompt: "a city",
      output: OUTPUT,
      onError: ({ error }) => void errors.push(error),
    });
    expect(await world.run(result.finishReason)).toBe("error");
    expect(errors).toMatchObject([{ fault: { code: "SchemaInvalid" } }]);
  });
});

describe("an answer", () => {
  it.each<{
    readonly name: string;
    readonly model: "gpt" | "responses" | "claude";
    readonly rule: ScenarioRule;
    readonly code: FaultCode;
  }>([
    { name: "that is empty", model: "gpt", rule: always(GPT, { answer: "" }), code: "EmptyOutput" },
    { name: "without a block", model: "claude", rule: always(CLAUDE, { fault: "empty-output" }), code: "EmptyOutput" },
    { name: "that declines", model: "claude", rule: always(CLAUDE, { fault: "refusal" }), code: "ContentFiltered" },
    {
      name: "that declines in OpenAI's chat",
      model: "gpt",
      rule: always(GPT, { fault: "refusal" }),
      code: "ContentFiltered",
    },
    {
      name: "that declines in OpenAI's responses",
      model: "responses",
      rule: always(GPT, { fault: "refusal" }),
      code: "ContentFiltered",
    },
    {
      name: "that a filter stopped",
      model: "gpt",
      rule: always(GPT, { fault: "content-filtered-output" }),
      code: "ContentFiltered",
    },
    {
      name: "whose tool call is cut",
      model: "gpt",
      rule: always(GPT, { fault: "truncated-tool-call" }),
      code: "OutputTruncated",
    },
    {
      name: "whose tool call is not JSON",
      model: "gpt",
      rule: always(GPT, { fault: "invalid-tool-call" }),
      code: "SchemaInvalid",
    },
  ])("$name has the code $code", async ({ model, rule, code }) => {
    const world = await chainWorld([rule]);
    const lookUp = tool({ inputSchema: z.object({ name: z.string() }), execute: () => "found" });
    const asking = generateText({ model: world.fl.model([world[model]()]), prompt: "hello", tools: { lookUp } });
    expect(await world.failure(asking)).toMatchObject({ name: "FaultError", fault: { code } });
  });

  it("that is empty in a stream is requested again, because the caller has seen nothing", async () => {
    const world = await chainWorld([steps(GPT, { answer: "" })]);
    const result = streamText({ model: world.fl.model([world.gpt()]), prompt: "hello there" });
    expect(await world.run(result.text)).toContain("could not be used: the answer is empty");
    expect(world.asked()).toEqual([GPT, GPT]);
  });

  it("in text that the limit cut is returned with the reason length", async () => {
    const world = await chainWorld([always(GPT, { fault: "truncated" })]);
    const { text, finishReason } = await world.run(
      generateText({ model: world.fl.model([world.gpt()]), prompt: "hello there" }),
    );
    expect(finishReason).toBe("length");
    expect(ANSWERED.startsWith(text)).toBe(true);
  });
});

it("a tool loop runs through the chain, and each step may be answered by another model", async () => {
  const world = await chainWorld([steps(GPT, { call: { tool: "lookUp", input: { name: "oslo" } } }, "not-found")]);
  const looked: string[] = [];
  const lookUp = tool({
    inputSchema: z.object({ name: z.string() }),
    execute: ({ name }) => {
      looked.push(name);
      return "it is in Norway";
    },
  });
  const { text } = await world.run(
    generateText({
      model: world.fl.model([world.gpt(), world.claude()]),
      prompt: "where is Oslo",
      tools: { lookUp },
      stopWhen: stepCountIs(3),
    }),
  );
  expect(looked).toEqual(["oslo"]);
  expect(text).toContain("it is in Norway");
  expect(world.asked()).toEqual([GPT, GPT, CLAUDE]);
});
