// Chains that have to wait for a time or for a person: parked in a session, failed outside of one, asked about if a person is
// present.

import { generateText } from "ai";
import { describe, expect, it } from "vitest";
import { DEFAULT_POLICY, withRows } from "../../../src/core/index.ts";
import { createMemoryJournal, type Faultline, FaultError, type Session } from "../../../src/index.ts";
import { scriptedInteractor } from "../../../src/testing/scripted-interactor.ts";
import { createSeededChance } from "../../../src/testing/seeded-chance.ts";
import { always, CLAUDE, chainWorld, type ChainWorld, GPT, only, START_AT, steps } from "./chain-world.ts";

const HOUR_MS = 3_600_000;
const SPENT = { "fault": "quota-reset", "retry-after": 3_600 } as const;

function sessionOf(fl: Faultline, { run }: ChainWorld): Promise<Session> {
  return run(fl.session("s", { mode: "headless" }));
}

describe("a quota that comes back at a known time", () => {
  it("fails outside a session, and the fault says when", async () => {
    const world = await chainWorld([always(GPT, SPENT)]);
    const error = await world.failure(generateText({ model: world.fl.model([world.gpt()]), prompt: "hello" }));
    expect(error).toBeInstanceOf(FaultError);
    expect((error as FaultError).fault).toMatchObject({ code: "QuotaExhausted", resetAt: START_AT + HOUR_MS });
    expect(world.asked()).toEqual([GPT]);
  });

  it("parks in a session, and the call continues when the program runs again after that time", async () => {
    const world = await chainWorld([steps(GPT, SPENT)]);
    const journal = createMemoryJournal({ clock: world.clock, chance: createSeededChance(2) });
    const turn = async (fl: Faultline): Promise<string> => {
      const session = await fl.session("s", { mode: "headless" });
      return (await generateText({ model: fl.model([world.gpt()], { within: session }), prompt: "hello" })).text;
    };
    const first = await world.failure(turn(world.createLife({ journal })));
    expect(first).toMatchObject({ fault: { code: "QuotaExhausted", resetAt: START_AT + HOUR_MS } });
    await world.clock.advance(HOUR_MS / 2);
    expect(await world.failure(turn(world.createLife({ journal })))).toMatchObject({
      fault: { resetAt: START_AT + HOUR_MS },
    });
    expect(world.asked()).toEqual([GPT]);
    await world.clock.advance(HOUR_MS / 2);
    expect(await world.run(turn(world.createLife({ journal })))).toContain("You said: hello");
    expect(world.asked()).toEqual([GPT, GPT]);
  });

  it("does not make the call wait while another key is available", async () => {
    const world = await chainWorld([always(GPT, SPENT)]);
    const session = await sessionOf(world.fl, world);
    const model = world.fl.model([world.gpt(), world.claude()], { within: session });
    expect((await world.run(generateText({ model, prompt: "hello" }))).text).toContain("You said: hello");
    expect(world.asked()).toEqual([GPT, CLAUDE]);
  });
});

describe("a person", () => {
  const ASKING = withRows(DEFAULT_POLICY, [
    { match: { code: ["AuthFailed"] }, retry: null, then: ["ask", "fail"], origin: { layer: "file", at: "test" } },
  ]);

  it("who approves makes the call go out again", async () => {
    const person = scriptedInteractor("person", [{ status: "accepted", value: true }]);
    const world = await chainWorld([steps(GPT, "unauthorized")], { policy: ASKING, interactors: [person] });
    const { text } = await world.run(generateText({ model: world.fl.model([world.gpt()]), prompt: "hello" }));
    expect(text).toContain("You said: hello");
    expect(person.asked).toMatchObject([{ code: "AuthFailed" }]);
    expect(world.asked()).toEqual([GPT, GPT]);
  });

  it("who declines ends it with the fault they were asked about", async () => {
    const person = scriptedInteractor("person", [{ status: "rejected", reason: "not today" }]);
    const world = await chainWorld([always(GPT, { fault: "unauthorized" })], { policy: ASKING, interactors: [person] });
    const error = await world.failure(generateText({ model: world.fl.model([world.gpt()]), prompt: "hello" }));
    expect(error).toMatchObject({ fault: { code: "AuthFailed" } });
    expect(world.asked()).toEqual([GPT]);
  });

  it("who is absent finds the question in the journal, and the next run uses the answer", async () => {
    const world = await chainWorld([steps(GPT, "unauthorized")], { policy: ASKING });
    const journal = createMemoryJournal({ clock: world.clock, chance: createSeededChance(2) });
    const turn = async (fl: Faultline): Promise<string> => {
      const session = await fl.session("s", { mode: "headless" });
      return (await generateText({ model: fl.model([world.gpt()], { within: session }), prompt: "hello" })).text;
    };
    const fl = world.createLife({ journal, policy: ASKING });
    expect(await world.failure(turn(fl))).toMatchObject({ fault: { code: "AuthFailed" } });
    const [question] = await world.run(fl.questions());
    await world.run(fl.answer(question?.id ?? "", { status: "accepted", value: true }));
    expect(await world.run(turn(world.createLife({ journal, policy: ASKING })))).toContain("You said: hello");
    expect(world.asked()).toEqual([GPT, GPT]);
  });

  it("is not asked about what the chain can do by itself", async () => {
    const person = scriptedInteractor("person", []);
    const world = await chainWorld([always(GPT, { fault: "quota" })], { interactors: [person] });
    await world.run(generateText({ model: world.fl.model([world.gpt(), world.claude()]), prompt: "hello" }));
    expect(person.asked).toEqual([]);
    expect(only(world.events(), "question-asked")).toEqual([]);
  });
});
