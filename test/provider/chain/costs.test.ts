// The cost of attempts: reported, estimated if unreported, marked if there is no price; and budgets that stop before a request is
// sent.

import { generateText, streamText } from "ai";
import { describe, expect, it } from "vitest";
import { type Cost, type Entry, type FaultlineOptions, type JournalEvent, type Spending } from "../../../src/index.ts";
import { scriptedInteractor } from "../../../src/testing/scripted-interactor.ts";
import { always, CLAUDE, chainWorld, type ChainWorld, GPT, only, steps, UNKNOWN } from "./chain-world.ts";

function costsIn(events: readonly JournalEvent[]): readonly (Cost | null)[] {
  return events.flatMap((event) =>
    event.type === "call-failed" || event.type === "call-succeeded" || event.type === "call-cancelled"
      ? [event.cost]
      : [],
  );
}

/** The sum over the events, with later reports replacing earlier bookings. */
function sumOf(events: readonly JournalEvent[]): Spending {
  const sum = { microcents: 0, estimatedMicrocents: 0, unpricedAttempts: 0 };
  const add = (cost: Cost | null, sign: number): void => {
    if (cost === null) return;
    if (cost.microcents === null) sum.unpricedAttempts += sign;
    else sum.microcents += sign * cost.microcents;
    if (cost.basis === "estimated") sum.estimatedMicrocents += sign * (cost.microcents ?? 0);
  };
  for (const cost of costsIn(events)) add(cost, 1);
  for (const { cost, booked } of only(events, "call-late")) {
    if (cost === null) continue;
    add(booked, -1);
    add(cost, 1);
  }
  return sum;
}

async function drained(world: ChainWorld, model: ReturnType<ChainWorld["gpt"]>): Promise<void> {
  await world.run(streamText({ model, prompt: "hello there", onError: () => undefined }).consumeStream());
}

describe("an attempt", () => {
  it("that is answered costs what its usage adds up to", async () => {
    const world = await chainWorld();
    const { usage } = await world.run(generateText({ model: world.fl.model([world.gpt()]), prompt: "hello" }));
    const microcents = 250 * (usage.inputTokens ?? 0) + 1_000 * (usage.outputTokens ?? 0);
    expect(costsIn(world.events())).toEqual([{ microcents, basis: "reported" }]);
    expect(world.fl.spending).toEqual({ microcents, estimatedMicrocents: 0, unpricedAttempts: 0 });
  });

  it("that is refused costs nothing, and that is certain", async () => {
    const world = await chainWorld([always(GPT, { fault: "not-found" })]);
    await world.failure(generateText({ model: world.fl.model([world.gpt()]), prompt: "hello" }));
    expect(costsIn(world.events())).toEqual([{ microcents: 0, basis: "reported" }]);
  });

  it("that is cut costs an estimate of what has arrived", async () => {
    const world = await chainWorld([always(GPT, { fault: "cut-stream", after: 2 })]);
    await drained(world, world.fl.model([world.gpt()]));
    const [cost] = costsIn(world.events());
    expect(cost?.basis).toBe("estimated");
    expect(cost?.microcents).toBeGreaterThan(0);
    expect(world.fl.spending.estimatedMicrocents).toBe(cost?.microcents);
  });

  it("that is cut later costs more", async () => {
    const costs: number[] = [];
    for (const after of [1, 6]) {
      const world = await chainWorld([always(GPT, { fault: "cut-stream", after })]);
      await drained(world, world.fl.model([world.gpt()]));
      costs.push(costsIn(world.events())[0]?.microcents ?? NaN);
    }
    expect(costs[1]).toBeGreaterThan(costs[0] ?? Infinity);
  });

  it("at a model without a price is marked, not free", async () => {
    const world = await chainWorld();
    await world.run(generateText({ model: world.fl.model([world.gpt(UNKNOWN)]), prompt: "hello" }));
    expect(costsIn(world.events())).toEqual([{ microcents: null, basis: "unpriced" }]);
    expect(world.fl.spending.unpricedAttempts).toBe(1);
  });

  it("costs what the user's price says", async () => {
    const world = await chainWorld([], { prices: [{ provider: "openai", model: UNKNOWN, input: 1, output: 2 }] });
    const { usage } = await world.run(generateText({ model: world.fl.model([world.gpt(UNKNOWN)]), prompt: "hello" }));
    expect(costsIn(world.events())[0]?.microcents).toBe(
      100 * (usage.inputTokens ?? 0) + 200 * (usage.outputTokens ?? 0),
    );
  });
});

describe("spending", () => {
  it("is the sum over all events, in and outside a session, whatever went wrong", async () => {
    const rules = [
      steps(GPT, "server-error", "cut-stream", "ok", "hang", "ok", { answer: "" }, { answer: "" }),
      steps(CLAUDE, "overloaded", "reset", "ok"),
    ];
    const world = await chainWorld(rules);
    const session = await world.run(world.fl.session("s"));
    const timeouts = { headersMs: 2_000, totalMs: 5_000 };
    for (const within of [undefined, session, undefined, session]) {
      const model = world.fl.model([world.gpt(), world.claude(), world.gpt(UNKNOWN)], {
        timeouts,
        ...(within === undefined ? {} : { within }),
      });
      await world.run(
        generateText({ model, prompt: "hello" }).then(
          () => null,
          () => null,
        ),
      );
      await drained(world, model);
    }
    await world.clock.advance(60_000);
    const kept = (await world.run(session.entries())).map(({ event }: Entry) => event);
    expect(sumOf(world.events())).toEqual(world.fl.spending);
    expect(sumOf(kept)).toEqual(session.spending);
    expect(session.spending.microcents).toBeGreaterThan(0);
  });
});

describe("a budget", () => {
  const small = (onExceed: "fail" | "pause_for_approval", more: FaultlineOptions = {}): FaultlineOptions => ({
    ...more,
    budget: { maxUsd: 0.0001, onExceed },
  });

  it("that would be exceeded stops the call before a request is sent, and no other target is asked", async () => {
    const world = await chainWorld([], small("fail"));
    const asking = generateText({ model: world.fl.model([world.gpt(), world.claude()]), prompt: "hello" });
    expect(await world.failure(asking)).toMatchObject({ fault: { code: "BudgetExceeded" } });
    expect(world.asked()).toEqual([]);
    expect(only(world.events(), "budget-exceeded")).toHaveLength(1);
  });

  it("with room for a short answer lets it through", async () => {
    const world = await chainWorld([], small("fail"));
    const model = world.fl.model([world.gpt()]);
    await world.run(generateText({ model, prompt: "hello", maxOutputTokens: 5 }));
    expect(world.asked()).toEqual([GPT]);
  });

  it.each([
    { name: "yes lets it through", answer: { status: "accepted", value: true } as const, asked: [GPT] },
    { name: "no stops it", answer: { status: "rejected", reason: "too dear" } as const, asked: [] },
  ])("that asks a person first: $name", async ({ answer, asked }) => {
    const person = scriptedInteractor("person", [answer]);
    const world = await chainWorld([], small("pause_for_approval", { interactors: [person] }));
    const asking = generateText({ model: world.fl.model([world.gpt(), world.claude()]), prompt: "hello" });
    await world.run(
      asking.then(
        () => null,
        () => null,
      ),
    );
    expect(person.asked).toHaveLength(1);
    expect(world.asked()).toEqual(asked);
  });
});
