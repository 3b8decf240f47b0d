// Calls, failures and money are counted per target, even if a program leaves two targets unnamed and both would be called
// `openai/gpt-4o`. The live counts and those folded from the journal are equal.

import { createOpenAI } from "@ai-sdk/openai";
import { generateText, streamText } from "ai";
import OpenAI from "openai";
import { describe, expect, it, onTestFinished } from "vitest";
import { countEntries, metricsOf } from "../../../src/core/index.ts";
import { createFaultline, type Faultline, type Session, type ToolMetrics } from "../../../src/index.ts";
import { createSeededChance } from "../../../src/testing/seeded-chance.ts";
import { type Asked, startStub } from "../../support/endpoint-stub.ts";
import { createSocketClock } from "../../support/socket-clock.ts";

interface Place {
  readonly baseURL: string;
  readonly apiKey: string;
}

type Ask = (fl: Faultline, place: Place, within: { readonly within?: Session }) => Promise<unknown>;

const modelAt = ({ baseURL, apiKey }: Place): ReturnType<ReturnType<typeof createOpenAI>["chat"]> =>
  createOpenAI({ baseURL, apiKey }).chat("gpt-4o");

const SURFACES: Readonly<Record<string, Ask>> = {
  "generateText": (fl, place, within) =>
    generateText({ model: fl.model([modelAt(place)], within), prompt: "hello", maxRetries: 0 }),
  "streamText": async (fl, place, within) => {
    let failure: unknown = null;
    const onError = ({ error }: { readonly error: unknown }): void => void (failure ??= error);
    const { textStream } = streamText({ model: fl.model([modelAt(place)], within), prompt: "hello", onError });
    for await (const part of textStream) expect(part).toBe("well");
    if (failure !== null) throw failure as Error;
  },
  "fl.fetch": (fl, { baseURL, apiKey }, within) =>
    new OpenAI({
      baseURL,
      apiKey,
      maxRetries: 0,
      fetch: fl.fetch({ provider: "openai", ...within }),
    }).chat.completions.create({ model: "gpt-4o", messages: [{ role: "user", content: "hello" }] }),
};

const NAME = "openai/gpt-4o";
const sumOf = (rows: Readonly<Record<string, ToolMetrics>>, field: "call_count" | "cost_microcents"): number =>
  Object.values(rows).reduce((sum, row) => sum + row[field], 0);

describe.each(Object.entries(SURFACES))("two targets of one name, asked by %s", (_surface, ask) => {
  it.each([
    { differ: "address", second: (_east: string, west: string): Place => ({ baseURL: west, apiKey: "key-a" }) },
    { differ: "key", second: (east: string): Place => ({ baseURL: east, apiKey: "key-b" }) },
  ])("have separate rows when they differ by their $differ", async ({ second }) => {
    const clock = createSocketClock(1_800_000_000_000);
    const log: Asked[] = [];
    const down = { status: 500, body: { error: { message: "The server had an error", type: "server_error" } } };
    const failing = ({ server, key }: Asked): typeof down | null =>
      server === "east" && key === "key-a" ? down : null;
    const [east, west] = await Promise.all([startStub("east", log, failing), startStub("west", log, failing)]);
    onTestFinished(async () => void (await Promise.all([east.close(), west.close()])));
    const fl = createFaultline({ clock, chance: createSeededChance(1) });
    const session = await clock.runUntil(fl.session("s"));
    const sick: Place = { baseURL: east.url, apiKey: "key-a" };
    const well = second(east.url, west.url);
    for (const within of [{}, { within: session }]) {
      for (let call = 0; call < 3; call++) {
        await clock.runUntil(ask(fl, sick, within).then(shouldHaveFailed, () => undefined));
        await clock.runUntil(ask(fl, well, within));
      }
    }

    const metrics = fl.metrics();
    const [other = ""] = Object.keys(metrics).filter((row) => row !== NAME);
    expect(metrics[NAME]).toMatchObject({ call_count: 6, success_count: 0, cost_microcents: 0 });
    expect(metrics[NAME]?.circuit_breaker_opens).toBeGreaterThan(0);
    expect(metrics[other]).toMatchObject({ call_count: 6, success_count: 6, error_count: 0, circuit_breaker_opens: 0 });
    expect(metrics[other]?.cost_microcents).toBeGreaterThan(0);
    // The row names its target as `fl.targets()` does.
    expect(fl.targets().filter(({ target }) => other === `${NAME} (${target})`)).toMatchObject([{ breaker: "closed" }]);
    expect(sumOf(metrics, "cost_microcents")).toBe(fl.spending.microcents + session.spending.microcents);

    const kept = await clock.runUntil(session.entries());
    const counted = [...countEntries([...fl.recent(), ...kept])].map(([row, each]) => [row, metricsOf(each)]);
    expect(Object.fromEntries(counted)).toEqual(metrics);
  });
});

function shouldHaveFailed(): never {
  throw new Error("the sick target answered");
}

describe("two chains with one target", () => {
  it("are counted in one row", async () => {
    const log: Asked[] = [];
    const { url, close } = await startStub("east", log, () => null);
    onTestFinished(close);
    const fl = createFaultline();
    const place = { baseURL: url, apiKey: "key-a" };
    for (const ask of Object.values(SURFACES)) await ask(fl, place, {});
    expect(Object.keys(fl.metrics())).toEqual([NAME]);
    expect(fl.metrics()[NAME]?.call_count).toBe(3);
  });
});
