// A limit reported to one caller applies to all; a nearly exhausted limit is spread over time; and watchers see every wait and
// every switch.

import type { LanguageModelV4 } from "@ai-sdk/provider";
import { generateText } from "ai";
import { describe, expect, it } from "vitest";
import { type Entry, type Notice, noticeOf } from "../../../src/index.ts";
import { always, ASKED, CLAUDE, chainWorld, type ChainWorld, GPT, only, START_AT, steps } from "./chain-world.ts";

function noticesOf(entries: readonly Entry[]): readonly Notice[] {
  return entries.flatMap((entry) => noticeOf(entry) ?? []);
}

/** The model, with rate-limit headers in its answers. */
function saying(model: LanguageModelV4, headers: Readonly<Record<string, string>>): LanguageModelV4 {
  return {
    specificationVersion: "v4",
    provider: model.provider,
    modelId: model.modelId,
    supportedUrls: {},
    doStream: (options) => model.doStream(options),
    doGenerate: async (options) => {
      const result = await model.doGenerate(options);
      return { ...result, response: { ...result.response, headers: { ...headers } } };
    },
  };
}

describe("a wait requested from one caller", () => {
  it("applies to the other one, who starts a little after it", async () => {
    const world = await chainWorld([steps(GPT, { "fault": "rate-limit", "retry-after": 30 })]);
    const model = world.fl.model([world.gpt()]);
    const first = world.run(generateText({ model, prompt: "one" }).then(({ text }) => text));
    const second = Promise.resolve().then(async () => {
      await new Promise<void>((resolve) => void world.clock.after(1_000, resolve));
      return (await generateText({ model, prompt: "two" })).text;
    });
    expect(await first).toContain("You said: one");
    await world.clock.advance(10_000);
    expect(await second).toContain("You said: two");
    const times = world.received().map(({ at }) => at - START_AT);
    expect(times[0]).toBe(0);
    expect(Math.min(...times.slice(1))).toBeGreaterThanOrEqual(30_000);
    expect(only(world.events(), "call-held")).toMatchObject([{ reason: "paused", tool: `openai/${GPT}` }]);
  });

  it("makes the other one continue in the chain without a request", async () => {
    const world = await chainWorld([steps(GPT, { "fault": "rate-limit", "retry-after": 30 })]);
    const model = world.fl.model([world.gpt(), world.claude()]);
    await world.run(generateText({ model, prompt: "one" }));
    await world.run(generateText({ model, prompt: "two" }));
    expect(world.asked()).toEqual([GPT, CLAUDE, CLAUDE]);
    await world.clock.advance(30_000);
    await world.run(generateText({ model, prompt: "three" }));
    expect(world.asked().at(-1)).toBe(GPT);
  });
});

describe("a limit", () => {
  it("that is nearly reached spreads the calls over the remaining time", async () => {
    const world = await chainWorld();
    const model = world.fl.model([
      saying(world.gpt(), {
        "x-ratelimit-limit-requests": "100",
        "x-ratelimit-remaining-requests": "4",
        "x-ratelimit-reset-requests": "10s",
      }),
    ]);
    for (let call = 0; call < 4; call++) await world.run(model.doGenerate(ASKED));
    const times = world.received().map(({ at }) => at - START_AT);
    expect(times.slice(0, 2)).toEqual([0, 0]);
    expect(times.slice(2)).toEqual([2_000, 4_000]);
    expect(only(world.events(), "call-held")).toMatchObject([
      { reason: "paced", nextAt: START_AT + 2_000 },
      { reason: "paced", nextAt: START_AT + 4_000 },
    ]);
  });

  it("that is exhausted is waited for before the server refuses", async () => {
    const world = await chainWorld();
    const model = world.fl.model([
      saying(world.gpt(), {
        "x-ratelimit-limit-requests": "100",
        "x-ratelimit-remaining-requests": "0",
        "x-ratelimit-reset-requests": "5s",
      }),
    ]);
    await world.run(model.doGenerate(ASKED));
    await world.run(model.doGenerate(ASKED));
    expect(world.received().map(({ at }) => at - START_AT)[1]).toBeGreaterThanOrEqual(5_000);
  });

  it("that is far away delays no call", async () => {
    const world = await chainWorld();
    const model = world.fl.model([world.gpt()]);
    for (let call = 0; call < 5; call++) await world.run(model.doGenerate(ASKED));
    expect(world.clock.now()).toBe(START_AT);
    expect(only(world.events(), "call-held")).toEqual([]);
  });
});

describe("a watcher", () => {
  async function watched(world: ChainWorld, model: LanguageModelV4): Promise<readonly Notice[]> {
    const live: Entry[] = [];
    const stop = world.fl.subscribe((entry) => void live.push(entry));
    await world.run(generateText({ model, prompt: "hello" }));
    stop();
    expect(live).toEqual(world.entries());
    return noticesOf(live);
  }

  it("sees for each wait which attempt it is for, of how many, why and until when", async () => {
    const world = await chainWorld([steps(GPT, "server-error", { "fault": "rate-limit", "retry-after": 3 })]);
    const [first, second, ...others] = await watched(world, world.fl.model([world.gpt()]));
    expect(first).toMatchObject({ kind: "wait", tool: `openai/${GPT}`, attempt: 2, of: 3, reason: "Provider5xx" });
    expect(second).toMatchObject({ kind: "wait", attempt: 3, of: 6, reason: "RateLimited" });
    expect(others).toEqual([]);
    const times = world.received().map(({ at }) => at);
    expect([first, second].map((notice) => (notice?.kind === "wait" ? notice.nextAt : 0))).toEqual(times.slice(1));
  });

  it("sees for each switch the source, the target and the reason", async () => {
    const world = await chainWorld([always(GPT, { fault: "not-found" }), steps(CLAUDE, "forbidden")]);
    const notices = await watched(world, world.fl.model([world.gpt(), world.claude(), world.gemini()]));
    expect(notices).toMatchObject([
      { kind: "switch", by: "fallback", from: `openai/${GPT}`, to: `anthropic/${CLAUDE}`, why: "ModelNotFound" },
      {
        kind: "switch",
        by: "fallback",
        from: `anthropic/${CLAUDE}`,
        to: "google/gemini-2.5-flash",
        why: "AccessDenied",
      },
    ]);
  });
});
