// Which target is asked next, and how often, when a target fails: this depends on what the second target shares with the first
// (address, key, model) and on the scope of the failure. On a provider that shares no code with the chaos server, through the
// real SDKs, on a test clock.

import { createAnthropic } from "@ai-sdk/anthropic";
import { createOpenAI } from "@ai-sdk/openai";
import { generateText, streamText } from "ai";
import { describe, expect, it, onTestFinished } from "vitest";
import { DEFAULT_POLICY, withRows } from "../../../src/core/index.ts";
import { createFaultline, type Faultline, type ModelTarget } from "../../../src/index.ts";
import type { FakeClock } from "../../../src/testing/fake-clock.ts";
import { createSeededChance } from "../../../src/testing/seeded-chance.ts";
import { type Asked, type Failing, startStub } from "../../support/endpoint-stub.ts";
import { everyPair } from "../../support/grid.ts";
import { createSocketClock } from "../../support/socket-clock.ts";

type Domain = "endpoint" | "account" | "model";

interface World {
  readonly fl: Faultline;
  readonly clock: FakeClock;
  readonly log: Asked[];
  readonly east: string;
  readonly west: string;
}

const gpt = (baseURL: string, model = "gpt-4o", apiKey = "key-a"): ModelTarget =>
  createOpenAI({ baseURL, apiKey }).chat(model);
const claude = (baseURL: string): ModelTarget => createAnthropic({ baseURL, apiKey: "key-c" })("claude-sonnet-4-5");

interface Shape {
  readonly targets: (world: World) => readonly ModelTarget[];
  /** What the second target shares with the first. */
  readonly shares: readonly Domain[];
}

const SHAPES: Readonly<Record<string, Shape>> = {
  "two endpoints of one vendor": { targets: ({ east, west }) => [gpt(east), gpt(west)], shares: [] },
  "two keys at one endpoint": {
    targets: ({ east }) => [gpt(east), gpt(east, "gpt-4o", "key-b")],
    shares: ["endpoint", "model"],
  },
  "two models on one account": {
    targets: ({ east }) => [gpt(east), gpt(east, "gpt-4o-mini")],
    shares: ["endpoint", "account"],
  },
  "two vendors": { targets: ({ east, west }) => [gpt(east), claude(west)], shares: [] },
};

interface Failure {
  readonly does: Exclude<ReturnType<Failing>, null> | "refused";
  /** A target that shares all of these has failed too. */
  readonly of: readonly Domain[];
  /** Such a target is still asked once the retries of the first are used up. */
  readonly isWorthATry: boolean;
  /** Requests to the first target if another can answer, and if none can. */
  readonly requests: readonly [beforeFallback: number, patient: number];
}

const openaiError = (status: number, message: string, code: string, headers = {}): Failure["does"] => ({
  status,
  body: { error: { message, type: code, param: null, code } },
  headers,
});

const FAILURES: Readonly<Record<string, Failure>> = {
  "500": {
    does: openaiError(500, "The server had an error", "server_error"),
    of: ["endpoint"],
    isWorthATry: true,
    requests: [2, 3],
  },
  "503": {
    does: openaiError(503, "Service unavailable", "server_error"),
    of: ["endpoint", "model"],
    isWorthATry: true,
    requests: [2, 3],
  },
  "529": {
    does: openaiError(529, "Overloaded", "overloaded_error"),
    of: ["endpoint", "model"],
    isWorthATry: true,
    requests: [2, 3],
  },
  "reset": { does: "reset", of: ["endpoint"], isWorthATry: true, requests: [2, 3] },
  "refused": { does: "refused", of: ["endpoint"], isWorthATry: true, requests: [0, 0] },
  "silent": { does: "silent", of: ["endpoint"], isWorthATry: true, requests: [1, 3] },
  "429": {
    does: openaiError(429, "Rate limit reached for gpt-4o on requests per min", "rate_limit_exceeded"),
    of: ["endpoint", "account", "model"],
    isWorthATry: false,
    requests: [2, 6],
  },
  "429 of the account": {
    does: openaiError(
      429,
      "This request would exceed your account's rate limit. Please try again later.",
      "rate_limit_error",
    ),
    of: ["endpoint", "account"],
    isWorthATry: false,
    requests: [2, 6],
  },
  "402": {
    does: openaiError(
      402,
      "You exceeded your current quota, please check your plan and billing details.",
      "insufficient_quota",
    ),
    of: ["endpoint", "account"],
    isWorthATry: false,
    requests: [1, 1],
  },
  "404": {
    does: openaiError(404, "The model `gpt-4o` does not exist", "model_not_found"),
    of: ["endpoint", "model"],
    isWorthATry: true,
    requests: [1, 1],
  },
  "401": {
    does: openaiError(401, "Incorrect API key provided", "invalid_api_key"),
    of: ["endpoint", "account"],
    isWorthATry: false,
    requests: [1, 1],
  },
};

/** A refused key ends a call unless the operator allows a fallback. */
const KEYS_FALL_OVER = withRows(DEFAULT_POLICY, [
  { match: { code: ["AuthFailed"] }, retry: null, then: ["fallback", "fail"], origin: { layer: "file", at: "test" } },
]);

/** Only the first target fails, except that an address that refuses connections refuses all of them. */
async function worldWith({ does }: Failure): Promise<World> {
  const clock = createSocketClock(1_800_000_000_000);
  const log: Asked[] = [];
  const isFirst = ({ server, key, model }: Asked): boolean =>
    server === "east" && key === "key-a" && model === "gpt-4o";
  const failing: Failing = (asked) => (isFirst(asked) && does !== "refused" ? does : null);
  const [east, west] = await Promise.all([startStub("east", log, failing), startStub("west", log, failing)]);
  onTestFinished(async () => void (await Promise.all([east.close(), west.close()])));
  if (does === "refused") await east.close();
  const fl = createFaultline({ clock, chance: createSeededChance(1), policy: KEYS_FALL_OVER });
  return { fl, clock, log, east: east.url, west: west.url };
}

const SURFACES = {
  generateText: async (fl: Faultline, targets: readonly ModelTarget[]) =>
    (await generateText({ model: fl.model(targets), prompt: "hello" })).text,
  streamText: async (fl: Faultline, targets: readonly ModelTarget[]) => {
    let failure: unknown = null;
    const onError = ({ error }: { readonly error: unknown }): void => void (failure ??= error);
    let text = "";
    for await (const part of streamText({ model: fl.model(targets), prompt: "hello", onError }).textStream)
      text += part;
    if (failure !== null) throw failure as Error;
    return text;
  },
} as const;

const GRID = everyPair(
  Object.keys(SHAPES).flatMap((shape) =>
    Object.keys(SURFACES).flatMap((surface) => Object.keys(FAILURES).map((name) => ({ shape, surface, name }))),
  ),
  ({ shape }) => shape,
  ({ surface }) => surface,
  ({ name }) => name,
);

describe.each(Object.entries(SHAPES))("%s", (shape, { targets, shares }) => {
  describe.each(Object.entries(SURFACES))("%s", (surface, ask) => {
    const here = GRID.filter((one) => one.shape === shape && one.surface === surface).map(({ name }) => name);
    it.each(Object.entries(FAILURES).filter(([name]) => here.includes(name)))("%s", async (_name, failure) => {
      const world = await worldWith(failure);
      const answered = await world.clock.runUntil(ask(world.fl, targets(world)).then(isTrue, isFalse));
      const isShared = failure.of.every((domain) => shares.includes(domain));
      const isAsked = !isShared || failure.isWorthATry;
      const [beforeFallback, patient] = failure.requests;
      const first = world.log.filter(
        (asked) => asked.server === "east" && asked.key === "key-a" && asked.model === "gpt-4o",
      );
      const isGone = failure.does === "refused" && shares.includes("endpoint");
      expect({ first: first.length, others: world.log.length - first.length, answered }).toEqual({
        first: isShared ? patient : beforeFallback,
        others: isAsked && !isGone ? 1 : 0,
        answered: isAsked && !isGone,
      });
    });
  });
});

describe("a limit with a time", () => {
  const limited = (message: string): Failure => ({
    does: openaiError(429, message, "rate_limit_exceeded", { "retry-after": "20" }),
    of: [],
    isWorthATry: false,
    requests: [0, 0],
  });
  const OWN = limited("Rate limit reached for gpt-4o on requests per min");
  const WIDE = limited("This request would exceed your account's rate limit. Please try again later.");

  /** No call waits, so that the pause itself is visible. */
  const IMPATIENT = withRows(DEFAULT_POLICY, [
    { match: { code: ["RateLimited"] }, retry: null, then: ["fail"], origin: { layer: "file", at: "test" } },
  ]);

  it.each([
    { whose: "of the model", failure: OWN, key: "key-a", isHeldBack: false },
    { whose: "of the account", failure: WIDE, key: "key-a", isHeldBack: true },
    { whose: "of another account", failure: WIDE, key: "key-b", isHeldBack: false },
  ])("$whose pauses another model with $key: $isHeldBack", async ({ failure, key, isHeldBack }) => {
    const { clock, log, east } = await worldWith(failure);
    const fl = createFaultline({ clock, chance: createSeededChance(1), policy: IMPATIENT });
    const ask = (target: ModelTarget): Promise<boolean> =>
      clock.runUntil(SURFACES.generateText(fl, [target]).then(isTrue, isFalse));
    expect(await ask(gpt(east))).toBe(false);
    expect(await ask(gpt(east, "gpt-4o-mini", key))).toBe(!isHeldBack);
    expect(log).toHaveLength(isHeldBack ? 1 : 2);
    // Once the time has passed, all calls may continue.
    await clock.advance(20_000);
    expect(await ask(gpt(east, "gpt-4o-mini", key))).toBe(true);
  });
});

const isTrue = (): boolean => true;
const isFalse = (): boolean => false;

describe("experience with a fault", () => {
  it("belongs to the domain it was met in, whatever the target is called", async () => {
    const log: Asked[] = [];
    const down = openaiError(500, "The server had an error", "server_error");
    if (down === "refused") throw new Error("the failure has an answer");
    const stubs = await Promise.all([startStub("east", log, () => down), startStub("west", log, () => down)]);
    onTestFinished(() => Promise.all(stubs.map(({ close }) => close())).then(() => undefined));
    const [east, west] = stubs.map(({ url }) => url) as [string, string];
    const clock = createSocketClock(1_800_000_000_000);
    const patientBreaker = { ...DEFAULT_POLICY, breaker: { ...DEFAULT_POLICY.breaker, failures: 1_000 } };
    const fl = createFaultline({ clock, chance: createSeededChance(1), policy: patientBreaker });
    const requestsOf = async (target: ModelTarget): Promise<number> => {
      const before = log.length;
      await clock.runUntil(SURFACES.generateText(fl, [target]).then(isTrue, isFalse));
      return log.length - before;
    };
    const calls: number[] = [];
    for (let call = 0; call < 6; call++) calls.push(await requestsOf(gpt(east)));
    expect(calls).toEqual([3, 3, 3, 3, 3, 1]);
    const renamed = { model: createOpenAI({ baseURL: east, apiKey: "key-a" }).chat("gpt-4o"), id: "mine/gpt" };
    expect(await requestsOf(renamed)).toBe(1);
    expect(await requestsOf(gpt(west))).toBe(3);
    expect(await requestsOf(gpt(east, "gpt-4o", "key-b"))).toBe(3);
    expect(await requestsOf(gpt(east, "gpt-4o-mini"))).toBe(3);
  });
});

describe("fl.fetch", () => {
  it("keeps breaker and pause under the address, the key and the model that the SDK used", async () => {
    const failure = FAILURES["402"];
    if (failure === undefined) throw new Error("there is no such failure");
    const { fl, clock, log, east, west } = await worldWith(failure);
    const ask = (baseURL: string, model: string, apiKey: string): Promise<unknown> => {
      const openai = createOpenAI({ baseURL, apiKey, fetch: fl.fetch({ provider: "openai" }) });
      return clock.runUntil(
        generateText({ model: openai.chat(model), prompt: "hello", maxRetries: 0 }).then(isTrue, isFalse),
      );
    };
    for (const url of [east, west])
      for (const model of ["gpt-4o", "gpt-4o-mini"]) for (const key of ["key-a", "key-b"]) await ask(url, model, key);
    expect(log).toHaveLength(8);
    const names = fl.targets().map(({ target }) => target);
    expect(new Set(names).size).toBe(8);
    for (const url of [east, west])
      for (const model of ["gpt-4o", "gpt-4o-mini"])
        expect(names.filter((name) => name.startsWith(`${model}@openai+${url.replace("/v1", "")}#`))).toHaveLength(2);
    expect(names.join(" ")).not.toContain("key-a");
  });
});
