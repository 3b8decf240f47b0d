// One outage of a provider and many callers at once, over real HTTP and through the AI SDK: an outage that is shorter than the
// retry schedule fails none of them, and the failing provider gets little more than one request from each.

import { generateText, streamText, type LanguageModel } from "ai";
import { describe, expect, it } from "vitest";
import { DEFAULT_POLICY } from "../../../src/core/index.ts";
import { type FaultCode, isFaultError } from "../../../src/index.ts";
import { mostRequests, retryOf, shortestMs } from "../../support/outage-bounds.ts";
import { ANSWERED, chainWorld, type ChainWorld, CLAUDE, only, START_AT } from "./chain-world.ts";
import { samples, shareOf } from "../../support/grid.ts";

const PROMPT = "hello there";
/** What the provider does during the outage, and its fault code. */
const OUTAGES = [
  { fault: "server-error", says: "500", code: "Provider5xx" },
  { fault: "unavailable", says: "503", code: "Overloaded" },
  { fault: "overloaded", says: "529", code: "Overloaded" },
  { fault: "rate-limit-bare", says: "a bare 429", code: "RateLimited" },
  { fault: "reset", says: "a connection reset", code: "NetworkDisconnect" },
] as const satisfies readonly { readonly fault: string; readonly says: string; readonly code: FaultCode }[];

type Ask = (model: LanguageModel, index?: number) => Promise<string>;

const whole: Ask = async (model) => (await generateText({ model, prompt: PROMPT })).text;
const streamed: Ask = async (model) => {
  let text = "";
  for await (const part of streamText({ model, prompt: PROMPT, onError: () => undefined }).stream) {
    if (part.type === "text-delta") text += part.text;
    if (part.type === "error") throw part.error;
  }
  return text;
};

const mixed: Ask = (model, index = 0) => (index % 2 === 0 ? whole : streamed)(model);

const SURFACES = [
  { name: "generateText", ask: whole },
  { name: "streamText", ask: streamed },
];
const CALLERS = [
  ...SURFACES.flatMap((surface) => [1, 5, 20].map((count) => ({ ...surface, count }))),
  { name: "generateText and streamText", ask: mixed, count: samples(40, 100) },
];

function askTogether({ fl, claude, run }: ChainWorld, count: number, ask: Ask): Promise<readonly string[]> {
  const model = fl.model([claude()]);
  return run(Promise.all(Array.from({ length: count }, (_, index) => ask(model, index))));
}

const CASES = OUTAGES.flatMap((outage, row) => shareOf(CALLERS, 3, row).map((callers) => ({ ...outage, ...callers })));

describe("an outage that is shorter than the retry schedule", () => {
  it.each(CASES)("of $says fails none of $count calls of $name", async ({ fault, code, ask, count }) => {
    const world = await chainWorld();
    const retry = retryOf(code);
    const outageMs = shortestMs(retry) - 1;
    world.afflict(CLAUDE, fault);
    world.clock.after(outageMs, () => world.afflict(CLAUDE, null));

    expect(await askTogether(world, count, ask)).toEqual(Array.from({ length: count }, () => ANSWERED));

    const met = only(world.events(), "call-failed").map((event) => event.fault.code);
    expect(new Set(met)).toEqual(new Set([code]));
    const whileDown = world.received().filter(({ at }) => at < START_AT + outageMs);
    expect(whileDown.length).toBeLessThanOrEqual(mostRequests(retry, count, outageMs));
    expect(whileDown.length).toBeLessThanOrEqual(count * retry.maxAttempts);
    expect(world.fl.targets()).toMatchObject([{ breaker: "closed" }]);
  });
});

describe("a provider that stays down", () => {
  it.each(SURFACES)("opens its breaker, and a new $name fails at once and says what opened it", async ({ ask }) => {
    const world = await chainWorld();
    const { fl, run, clock, received } = world;
    const model = fl.model([world.claude()]);
    const codeOf = (work: Promise<string>): Promise<unknown> =>
      work.then(
        () => "answered",
        (error: unknown) => (isFaultError(error) ? error.fault.code : error),
      );
    world.afflict(CLAUDE, "server-error");
    for (let wave = 1; wave <= 5; wave++) {
      const codes = await run(Promise.all(Array.from({ length: 5 }, () => codeOf(ask(model)))));
      expect(new Set(codes)).toEqual(new Set(["Provider5xx"]));
    }
    expect(fl.targets()).toMatchObject([{ breaker: "open" }]);

    const [asked, since] = [received().length, clock.now()];
    const error = await world.failure(ask(model));
    expect([received().length, clock.now()]).toEqual([asked, since]);
    expect(error).toMatchObject({ fault: { code: "CircuitOpen", context: { cause: "Provider5xx" } } });
    expect((error as Error).message).toMatch(
      /opened [\d.]+ m?s ago after Provider5xx \(.*\); it lets one call through in [\d.]+ m?s/,
    );

    for (const tool of Object.values(fl.metrics())) expect(tool.permanent_error_count).toBe(0);

    world.afflict(CLAUDE, null);
    await clock.advance(60_000);
    for (let probe = 1; probe <= DEFAULT_POLICY.breaker.successes; probe++)
      expect(await run(ask(model))).toBe(ANSWERED);
    expect(fl.targets()).toMatchObject([{ breaker: "closed" }]);
  });
});
