// Regressions around chains: breakers of keys, pauses for quotas, times reported to callers, requests left open.

import { generateText } from "ai";
import { describe, expect, it } from "vitest";
import { DEFAULT_POLICY, withRows } from "../../../src/core/index.ts";
import { type FaultError, openJournal, type PolicyRow, type Turn } from "../../../src/index.ts";
import { createSeededChance } from "../../../src/testing/seeded-chance.ts";
import { newPath } from "../../runtime/session/life.ts";
import { always, ASKED, CLAUDE, chainWorld, GPT, only, START_AT, steps } from "./chain-world.ts";

const HOUR_MS = 3_600_000;

describe("a breaker is about one target, not about its provider", () => {
  it("the breaker of one key leaves the same model with another key in the chain", async () => {
    const world = await chainWorld([{ when: { key: "key-a" }, fault: "rate-limit-bare" }]);
    const model = world.fl.model([
      { model: world.gpt(GPT, "key-a"), credential: "a" },
      { model: world.gpt(GPT, "key-b"), credential: "b" },
    ]);
    for (let call = 0; call < DEFAULT_POLICY.breaker.failures + 1; call++) {
      await world.run(generateText({ model, prompt: "hello" }));
    }
    expect(world.fl.targets().map(({ breaker }) => breaker)).toEqual(["open", "closed"]);
  });
});

describe("a quota that is used up until a known time pauses its target", () => {
  const spent = (seconds: number) => ({ "fault": "quota-reset", "retry-after": seconds }) as const;

  it("when all are used up, the fault says when the first is back", async () => {
    const world = await chainWorld([always(GPT, spent(1_800)), always(CLAUDE, spent(3_600))]);
    const error = await world.failure(
      generateText({ model: world.fl.model([world.gpt(), world.claude()]), prompt: "hello" }),
    );
    expect((error as FaultError).fault).toMatchObject({ code: "QuotaExhausted", resetAt: START_AT + HOUR_MS / 2 });
  });

  it("in a session the call is parked until the first is back, and is sent there", async () => {
    const world = await chainWorld([steps(GPT, spent(1_800)), always(CLAUDE, spent(3_600))]);
    const session = await world.run(world.fl.session("s", { mode: "headless" }));
    const model = world.fl.model([world.gpt(), world.claude()], { within: session });
    const error = await world.failure(generateText({ model, prompt: "hello" }));
    expect((error as FaultError).fault.resetAt).toBe(START_AT + HOUR_MS / 2);
  });

  it("the next call does not ask it again before that time", async () => {
    const world = await chainWorld([always(GPT, spent(3_600))]);
    const model = world.fl.model([world.gpt(), world.claude()]);
    for (let call = 0; call < 2; call++) await world.run(generateText({ model, prompt: "hello" }));
    expect(world.asked()).toEqual([GPT, CLAUDE, CLAUDE]);
  });
});

describe("a rate limit reported to the caller says when the first target is back", () => {
  it("even if that is not the target that was asked last", async () => {
    const limited = (seconds: number) => ({ "fault": "rate-limit", "retry-after": seconds }) as const;
    const world = await chainWorld([always(GPT, limited(1_200)), always(CLAUDE, limited(2_400))]);
    const error = await world.failure(
      generateText({ model: world.fl.model([world.gpt(), world.claude()]), prompt: "hello" }),
    );
    const { resetAt, retryAfterMs = NaN } = (error as FaultError).fault;
    expect(resetAt ?? world.clock.now() + retryAfterMs).toBe(START_AT + 1_200_000);
  });
});

describe("a call is parked for the target that is back first", () => {
  it("a call is parked for the target that is back first, not for the one that refused", async () => {
    const world = await chainWorld();
    const { failures } = DEFAULT_POLICY.breaker;
    world.afflict(GPT, "unavailable");
    for (let call = 0; call < failures; call++) {
      await world.run(generateText({ model: world.fl.model([world.gpt(), world.claude()]), prompt: "x" }));
    }
    await world.clock.advance(10_000);
    world.afflict(CLAUDE, "unavailable");
    for (let call = 0; call < failures; call++) {
      await world.failure(generateText({ model: world.fl.model([world.claude(), world.gpt()]), prompt: "x" }));
    }
    const session = await world.run(world.fl.session("s", { mode: "headless" }));
    const model = world.fl.model([world.claude(), world.gpt()], { within: session });
    await world.failure(generateText({ model, prompt: "hello" }));
    const [decided] = only(
      (await world.run(session.entries())).map(({ event }) => event),
      "call-decided",
    );
    expect(decided?.decision).toMatchObject({ recourse: "park", target: `openai/${GPT}` });
  });
});

describe("a turn that timed out leaves no request open", () => {
  it("of an answer that does not stream", async () => {
    const world = await chainWorld([always(GPT, { fault: "hang" })]);
    const session = await world.run(world.fl.session("s"));
    const body = async (turn: Turn): Promise<void> => {
      await world.fl.model([world.gpt()], { within: turn }).doGenerate(ASKED);
    };
    await world.run(session.turn(body, { timeoutMs: 5_000 }));
    await world.clock.advance(60_000);
    expect(world.received()).toMatchObject([{ ended: "client-left" }]);
  });
});

describe("the limit on the whole call names its phase, like the others", () => {
  it("total", async () => {
    const world = await chainWorld([always(GPT, { fault: "hang" })]);
    const model = world.fl.model([world.gpt(), world.claude()], {
      timeouts: { totalMs: 5_000 },
      retryBeforeFallback: { maxAttempts: 1 },
    });
    await world.run(model.doGenerate(ASKED));
    expect(only(world.events(), "call-failed")[0]?.fault.context).toMatchObject({ phase: "total", limit: 5_000 });
  });
});

describe("an interrupted model call does not fail because of attempts before the interruption", () => {
  it("is repeated by the next life, although the first attempt had met a 503", async () => {
    const world = await chainWorld([steps(GPT, "unavailable", "hang")]);
    const path = newPath();
    const inLife = async (life: number): Promise<() => Promise<string>> => {
      const chance = createSeededChance(life);
      const fl = world.createLife({ journal: await openJournal(path, { clock: world.clock, chance }), chance });
      const session = await world.run(fl.session("s"));
      return async () =>
        (await generateText({ model: fl.model([world.gpt()], { within: session }), prompt: "hello" })).text;
    };
    const first = await inLife(1);
    void first().then(
      () => null,
      () => null,
    );
    await world.clock.advance(5_000);
    expect(world.asked()).toEqual([GPT, GPT]);
    const second = await inLife(2);
    expect(await world.run(second())).toContain("You said: hello");
  });
});

describe("an unusable answer", () => {
  it.each(["html-page", "gibberish", "malformed-json", "empty", "odd-error-in-body"] as const)(
    "goes over after %s, like every failure of an endpoint",
    async (fault) => {
      const world = await chainWorld([always(GPT, { fault })]);
      await world.run(generateText({ model: world.fl.model([world.gpt(), world.claude()]), prompt: "hello" }));
      expect(world.asked()).toEqual([GPT, GPT, CLAUDE]);
    },
  );

  it("of a model falls back only if a policy row says so", async () => {
    const row: PolicyRow = {
      match: { class: ["Output"] },
      retry: null,
      then: ["fallback", "fail"],
      origin: { layer: "file", at: "policy.yaml:3" },
    };
    const fault = "empty-output";
    const world = await chainWorld([always(GPT, { fault })], { policy: withRows(DEFAULT_POLICY, [row]) });
    await world.run(generateText({ model: world.fl.model([world.gpt(), world.claude()]), prompt: "hello" }));
    expect(world.asked()).toEqual([GPT, CLAUDE]);
  });
});
