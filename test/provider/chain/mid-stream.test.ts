// Streams that break after the caller has seen a part, for callers who allow another attempt to restart or to continue.

import type { LanguageModelV4StreamPart } from "@ai-sdk/provider";
import { streamText, tool } from "ai";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import type { ScenarioRule } from "../../../src/chaos/scenario-schema.ts";
import type { ModelTarget } from "../../../src/index.ts";
import {
  always,
  ANSWERED,
  ASKED,
  CLAUDE,
  chainWorld,
  type ChainWorld,
  GPT,
  only,
  partsOf,
  steps,
  textOf,
  UNKNOWN,
} from "./chain-world.ts";

const BEGUN = "You said: hello there (This answer ";
const OPUS = "claude-opus-4-5";
/** Requires a final user message, so it cannot continue another model's text. */
const OPUS_NEW = "claude-opus-4-7";
const OVERLOADED = { fault: "error-mid-stream", after: 3 } as const;
const CUT = { fault: "cut-stream", after: 3 } as const;

interface Continued {
  readonly world: ChainWorld;
  readonly parts: readonly LanguageModelV4StreamPart[];
}

async function readContinued(
  rules: readonly ScenarioRule[],
  targets: (world: ChainWorld) => readonly ModelTarget[],
  ask = ASKED,
): Promise<Continued> {
  const world = await chainWorld(rules);
  const { stream } = await world.run(world.fl.model(targets(world), { midStream: "continue" }).doStream(ask));
  return { world, parts: await world.run(partsOf(stream)) };
}

function lastTurnOf(world: ChainWorld): unknown {
  const body = world.received().at(-1)?.body as { readonly messages: readonly unknown[] } | undefined;
  return body?.messages.at(-1);
}

const SEEN_AS_PREFILL = { role: "assistant", content: [{ type: "text", text: BEGUN.trimEnd() }] };

describe("continue", () => {
  it.each([
    {
      name: "the same model, when it can",
      rules: [steps(CLAUDE, CUT, { answer: "ends here." })],
      asked: [CLAUDE, CLAUDE],
    },
    {
      name: "another one of the vendor",
      rules: [always(CLAUDE, OVERLOADED), steps(OPUS, { answer: "ends here." })],
      asked: [CLAUDE, CLAUDE, OPUS],
    },
  ])("continues with $name: one text block, one answer", async ({ rules, asked }) => {
    const { world, parts } = await readContinued(rules, ({ claude }) => [
      claude(),
      { model: claude(OPUS), credential: "b" },
    ]);
    expect(world.asked().slice(0, asked.length)).toEqual(asked);
    expect(textOf(parts).startsWith(BEGUN)).toBe(true);
    expect(parts.filter(({ type }) => type === "text-start")).toHaveLength(1);
    expect(parts.filter(({ type }) => type === "text-end")).toHaveLength(1);
    const ids = parts.flatMap((part) => (part.type.startsWith("text-") && "id" in part ? [part.id] : []));
    expect(new Set(ids).size).toBe(1);
    expect(parts.at(-1)).toMatchObject({ type: "finish", finishReason: { unified: "stop" } });
  });

  it("passes the seen text to the model and joins the rest without a space too many or too few", async () => {
    const { world, parts } = await readContinued(
      [always(GPT, CUT), steps(CLAUDE, { answer: " is from another model." })],
      ({ gpt, claude }) => [gpt(), claude()],
    );
    expect(lastTurnOf(world)).toEqual(SEEN_AS_PREFILL);
    expect(textOf(parts)).toBe(`${BEGUN}is from another model.`);
    expect(world.asked()).toEqual([GPT, CLAUDE]);
  });

  it("never asks the broken model to continue if it cannot: it would repeat everything", async () => {
    const { world, parts } = await readContinued([always(GPT, CUT)], ({ gpt }) => [gpt()]);
    expect(world.asked()).toEqual([GPT]);
    expect(textOf(parts)).toBe(BEGUN);
    expect(parts.at(-1)).toMatchObject({ type: "finish", finishReason: { unified: "error" } });
  });

  it.each([
    { name: "one that is known not to be able", next: OPUS_NEW },
    { name: "an unknown one", next: UNKNOWN },
  ])("skips $name", async ({ next }) => {
    const { world, parts } = await readContinued([always(GPT, CUT)], ({ gpt, claude }) => [
      gpt(),
      claude(next),
      claude(),
    ]);
    expect(world.asked()).toEqual([GPT, CLAUDE]);
    expect(only(world.events(), "call-failed")[0]?.decision.passedOver).toEqual([
      { id: `anthropic/${next}`, why: "lacks capability" },
    ]);
    expect(textOf(parts).startsWith(BEGUN)).toBe(true);
  });

  it("asks an unknown model if it is declared able", async () => {
    const { world } = await readContinued([always(GPT, CUT)], ({ gpt, claude }) => [
      gpt(),
      { model: claude(UNKNOWN), facts: { capabilities: ["streaming", "prefill"] } },
    ]);
    expect(world.asked()).toEqual([GPT, UNKNOWN]);
  });

  it("never continues once a tool call has started", async () => {
    const call = { call: { tool: "look_up", input: { name: "a long name of something to look up" } } };
    const { world, parts } = await readContinued(
      [{ when: { model: GPT, request: 1 }, fault: "cut-stream", after: 2, ...call }],
      ({ gpt, claude }) => [gpt(), claude()],
      { ...ASKED, tools: [{ type: "function", name: "look_up", inputSchema: { type: "object" } }] },
    );
    expect(parts.some(({ type }) => type === "tool-input-start")).toBe(true);
    expect(world.asked()).toEqual([GPT]);
    expect(parts.at(-1)).toMatchObject({ type: "finish", finishReason: { unified: "error" } });
  });

  it("judges and keeps the whole text, not only the rest", async () => {
    const world = await chainWorld([
      {
        when: { model: CLAUDE, request: 1 },
        ...CUT,
        json: { first: "one of many words in it", second: 2 },
      },
      steps(CLAUDE, { answer: "x" }),
    ]);
    const session = await world.run(world.fl.session("s"));
    const model = world.fl.model([world.claude()], { midStream: "continue", within: session });
    const { stream } = await world.run(model.doStream(ASKED));
    const live = textOf(await world.run(partsOf(stream)));
    const kept = await world.run(world.fl.journal.kept("result", "s/c1"));
    expect(JSON.stringify(kept)).toContain(JSON.stringify(live).slice(1, -1));
  });
});

describe("restart", () => {
  it("shows an answer once it is complete, and nothing of the broken attempts", async () => {
    const world = await chainWorld([always(GPT, CUT)]);
    const model = world.fl.model([world.gpt(), world.claude()], { midStream: "restart" });
    const result = streamText({ model, prompt: "hello there", onError: () => undefined });
    const shown: string[] = [];
    await world.run(
      (async () => {
        for await (const text of result.textStream) shown.push(text);
      })(),
    );
    expect(shown.join("")).toBe(ANSWERED);
    expect(await result.text).toBe(ANSWERED);
    expect(world.asked()).toEqual([GPT, GPT, CLAUDE]);
  });

  it("runs no tool of a broken attempt", async () => {
    const call = { call: { tool: "pay", input: { amount: 5 } } };
    const world = await chainWorld([
      { when: { model: GPT }, fault: "no-end-mark", ...call },
      { when: { model: CLAUDE, request: 1 }, ...call },
    ]);
    let paid = 0;
    const pay = tool({ inputSchema: z.object({ amount: z.number() }), execute: () => void (paid += 1) });
    const model = world.fl.model([world.gpt(), world.claude()], { midStream: "restart" });
    const result = streamText({ model, prompt: "pay", tools: { pay }, onError: () => undefined });
    await world.run(result.steps);
    expect(world.asked()).toEqual([GPT, GPT, CLAUDE]);
    expect(paid).toBe(1);
  });

  it("throws if no attempt completes", async () => {
    const world = await chainWorld([always(GPT, CUT)]);
    const asking = world.fl.model([world.gpt()], { midStream: "restart" }).doStream(ASKED);
    expect(await world.failure(asking)).toMatchObject({ fault: { code: "NetworkDisconnect" } });
    expect(world.asked()).toEqual([GPT, GPT, GPT]);
  });
});
