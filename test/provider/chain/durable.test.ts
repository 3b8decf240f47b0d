// A resumed session returns finished answers from its journal, whole and streamed, and requests only what is missing.

import type { LanguageModelV4StreamPart } from "@ai-sdk/provider";
import { generateText, stepCountIs, streamText, tool } from "ai";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { ONE_RETRY } from "../../../src/core/policy/matrix.ts";
import { DEFAULT_POLICY, withRows } from "../../../src/core/index.ts";
import { type Faultline, openJournal, type Session } from "../../../src/index.ts";
import { createSeededChance } from "../../../src/testing/seeded-chance.ts";
import { newPath } from "../../runtime/session/life.ts";
import {
  always,
  ANSWERED,
  ASKED,
  CLAUDE,
  chainWorld,
  type ChainWorld,
  GPT,
  partsOf,
  steps,
  textOf,
} from "./chain-world.ts";

/** By default an interrupted call gets two attempts in total; here it has used both when it is interrupted. */
const PATIENT = withRows(DEFAULT_POLICY, [
  {
    match: { code: ["Interrupted"] },
    retry: { ...ONE_RETRY, maxAttempts: 5 },
    then: ["fail"],
    origin: { layer: "file", at: "test" },
  },
]);

/** One life of the program on the file; it ends abruptly, like a killed process. */
async function live<T>(
  world: ChainWorld,
  path: string,
  life: number,
  body: (fl: Faultline, session: Session) => Promise<T>,
): Promise<T> {
  const chance = createSeededChance(life);
  const named = { roll: () => chance.roll(), newId: (prefix: string) => chance.newId(`${prefix}${life}`) };
  const journal = await openJournal(path, { clock: world.clock, chance: named });
  const fl = world.createLife({ journal, chance: named, policy: PATIENT });
  try {
    return await world.run(fl.session("s").then((session) => body(fl, session)));
  } finally {
    await world.run(fl.close());
  }
}

class Killed extends Error {}

describe("a restarted program", () => {
  it("does not request answers it has, and requests the one it was killed before", async () => {
    const world = await chainWorld();
    const path = newPath();
    const program =
      (isKilled: boolean) =>
      async (fl: Faultline, session: Session): Promise<readonly string[]> => {
        const model = fl.model([world.gpt(), world.claude()], { within: session });
        const texts: string[] = [];
        for (const prompt of ["one", "two", "three"]) {
          if (isKilled && prompt === "three") throw new Killed();
          texts.push((await generateText({ model, prompt })).text);
        }
        return texts;
      };
    await expect(live(world, path, 1, program(true))).rejects.toThrow(Killed);
    expect(world.received()).toHaveLength(2);
    const texts = await live(world, path, 2, program(false));
    expect(texts.map((text) => /said: (\w+)/.exec(text)?.[1])).toEqual(["one", "two", "three"]);
    expect(world.received()).toHaveLength(3);
  });

  it("streams an answer it has, part by part, without a request", async () => {
    const world = await chainWorld([steps(GPT, "server-error")]);
    const path = newPath();
    const program = async (fl: Faultline, session: Session): Promise<readonly LanguageModelV4StreamPart[]> => {
      const model = fl.model([world.gpt(), world.claude()], { within: session });
      return partsOf((await model.doStream(ASKED)).stream);
    };
    const first = await live(world, path, 1, program);
    const second = await live(world, path, 2, program);
    expect(textOf(second)).toBe(ANSWERED);
    expect(textOf(second)).toBe(textOf(first));
    expect(second.map(({ type }) => type)).toEqual(["stream-start", "text-start", "text-delta", "text-end", "finish"]);
    const [a, b] = [first, second].map((parts) => parts.find((part) => part.type === "finish"));
    expect(b?.finishReason).toEqual(a?.finishReason);
    expect(b?.usage.outputTokens.total).toBe(a?.usage.outputTokens.total);
    expect(world.received()).toHaveLength(2);
  });

  it("gives both with the same usage and reason to generateText and streamText", async () => {
    const world = await chainWorld();
    const path = newPath();
    const program = async (fl: Faultline, session: Session): Promise<unknown> => {
      const model = fl.model([world.claude()], { within: session });
      const whole = await generateText({ model, prompt: "whole" });
      const streamed = streamText({ model, prompt: "streamed" });
      return [
        whole.text,
        whole.finishReason,
        whole.usage,
        await streamed.text,
        await streamed.finishReason,
        await streamed.usage,
      ];
    };
    const before = JSON.stringify(await live(world, path, 1, program));
    expect(JSON.stringify(await live(world, path, 2, program))).toBe(before);
    expect(world.received()).toHaveLength(2);
  });

  it("keeps the signatures by which a vendor recognises its own reasoning", async () => {
    const world = await chainWorld();
    const path = newPath();
    const mark = { anthropic: { signature: "sig-1" } };
    const thinking = {
      ...{ specificationVersion: "v4" as const, provider: "anthropic.messages", modelId: CLAUDE, supportedUrls: {} },
      doGenerate: () => Promise.reject(new Error("it only streams")),
      doStream: () => Promise.resolve({ stream: ReadableStream.from(thoughts(mark)) }),
    };
    const program = async (fl: Faultline, session: Session): Promise<readonly LanguageModelV4StreamPart[]> =>
      partsOf((await fl.model([thinking], { within: session }).doStream(ASKED)).stream);
    await live(world, path, 1, program);
    const again = await live(world, path, 2, program);
    expect(again.find(({ type }) => type === "reasoning-end")).toMatchObject({ providerMetadata: mark });
  });

  it("continues a tool loop after the recorded call: the model is not asked for it again", async () => {
    const world = await chainWorld([steps(GPT, { call: { tool: "lookUp", input: { name: "oslo" } } })]);
    const path = newPath();
    const program =
      (isKilled: boolean) =>
      async (fl: Faultline, session: Session): Promise<string> => {
        const lookUp = tool({
          inputSchema: z.object({ name: z.string() }),
          execute: ({ name }) => (isKilled ? new Promise<string>(() => undefined) : `${name} is in Norway`),
        });
        const model = fl.model([world.gpt()], { within: session });
        const asking = generateText({ model, prompt: "where", tools: { lookUp }, stopWhen: stepCountIs(2) });
        return isKilled ? Promise.race([asking.then(({ text }) => text), killed(world)]) : (await asking).text;
      };
    await expect(live(world, path, 1, program(true))).rejects.toThrow(Killed);
    expect(world.asked()).toEqual([GPT]);
    expect(await live(world, path, 2, program(false))).toContain("oslo is in Norway");
    expect(world.asked()).toEqual([GPT, GPT]);
  });
});

function killed({ clock }: ChainWorld): Promise<never> {
  return new Promise((_resolve, reject) => void clock.after(5_000, () => reject(new Killed())));
}

async function* thoughts(mark: {
  readonly anthropic: { readonly signature: string };
}): AsyncGenerator<LanguageModelV4StreamPart> {
  await Promise.resolve();
  yield { type: "stream-start", warnings: [] };
  yield { type: "reasoning-start", id: "0" };
  yield { type: "reasoning-delta", id: "0", delta: "hm" };
  yield { type: "reasoning-delta", id: "0", delta: "", providerMetadata: mark };
  yield { type: "reasoning-end", id: "0" };
  yield { type: "text-start", id: "1" };
  yield { type: "text-delta", id: "1", delta: "so" };
  yield { type: "text-end", id: "1" };
  const none = { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 };
  yield {
    type: "finish",
    usage: { inputTokens: none, outputTokens: { total: 1, text: 1, reasoning: 0 } },
    finishReason: { unified: "stop", raw: "end_turn" },
  };
}

it("a compacted request is sent in its compacted form when the program dies before the answer", async () => {
  const world = await chainWorld([
    steps(GPT, "context-overflow", "hang", "ok"),
    always(CLAUDE, { fault: "unavailable" }),
  ]);
  const path = newPath();
  const long = `${"word ".repeat(500)}end`;
  let compactions = 0;
  const program = async (fl: Faultline, session: Session): Promise<string> => {
    const model = fl.model([world.gpt()], {
      within: session,
      compact: (prompt) => {
        compactions++;
        return prompt.map((message) =>
          message.role === "user" ? { ...message, content: [{ type: "text", text: "short" }] } : message,
        );
      },
    });
    return (await generateText({ model, prompt: long })).text;
  };
  const chance = createSeededChance(1);
  const journal = await openJournal(path, { clock: world.clock, chance });
  const fl = world.createLife({ journal, chance });
  const session = await world.run(fl.session("s"));
  void program(fl, session).then(
    () => null,
    () => null,
  );
  // The journal is not a socket: the clock does not wait for it.
  for (let second = 0; second < 60 && world.asked().length < 2; second++) await world.clock.advance(1_000);
  expect(world.asked()).toEqual([GPT, GPT]);
  // The first life hangs in its second request; the next one opens the same file.
  const text = await live(world, path, 2, program);
  expect(text).toContain("You said: short");
  expect(compactions).toBe(1);
});
