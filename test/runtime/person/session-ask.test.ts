// Questions that a program asks itself, and ways to sign in, through the public API.

import { describe, expect, it } from "vitest";
import { createFaultline, createMemoryJournal, fault, FaultError, type Journal, tool } from "../../../src/index.ts";
import { createFakeClock } from "../../../src/testing/fake-clock.ts";
import { scriptedInteractor } from "../../../src/testing/scripted-interactor.ts";
import { createSeededChance } from "../../../src/testing/seeded-chance.ts";

function life(seed: number, journal?: Journal, interactors: ReturnType<typeof scriptedInteractor>[] = []) {
  const clock = createFakeClock(1_000_000);
  const chance = createSeededChance(seed);
  const kept = journal ?? createMemoryJournal({ clock, chance });
  return { clock, journal: kept, fl: createFaultline({ clock, chance, journal: kept, interactors }) };
}

async function textOf(journal: Journal): Promise<string> {
  const lines: string[] = [];
  for await (const { event } of journal.read("s")) lines.push(JSON.stringify(event));
  return lines.join("\n");
}

describe("a program's own question", () => {
  it("is answered by a person who is present, and the answer is found again after a restart", async () => {
    const person = scriptedInteractor("ada", [{ status: "accepted", value: true }]);
    const first = life(1, undefined, [person]);
    const session = await first.clock.runUntil(first.fl.session("s"));
    const question = { kind: "Confirm", prompt: "Delete the branch?" } as const;
    expect(await first.clock.runUntil(session.ask("delete", question))).toEqual({ status: "accepted", value: true });
    const next = life(2, first.journal);
    const resumed = await next.clock.runUntil(next.fl.session("s"));
    expect(await next.clock.runUntil(resumed.ask("delete", question))).toEqual({ status: "accepted", value: true });
    expect(person.asked).toHaveLength(1);
  });

  it("waits for a person who is absent, and continues when it is answered from elsewhere", async () => {
    const { clock, fl } = life(1);
    const session = await clock.runUntil(fl.session("s", { mode: "headless" }));
    const ask = () => session.ask("city", { kind: "Ask", prompt: "Which city?", field: "city" });
    expect(await clock.runUntil(ask())).toMatchObject({ status: "waiting", question: { call: "ask:city" } });
    const [open] = await fl.questions();
    await fl.answer(open?.id ?? "", { status: "accepted", value: "Lisbon" });
    expect(await clock.runUntil(ask())).toEqual({ status: "accepted", value: "Lisbon" });
    expect(await fl.questions()).toEqual([]);
  });

  it("about a password returns it, and it appears nowhere else", async () => {
    const person = scriptedInteractor("ada", [{ status: "accepted", value: "hunter2-hunter2" }]);
    const { clock, fl, journal } = life(1, undefined, [person]);
    const session = await clock.runUntil(fl.session("s"));
    const answer = await clock.runUntil(session.ask("login", { kind: "Auth.Password", prompt: "Password?" }));
    expect(answer).toEqual({ status: "accepted", value: "hunter2-hunter2" });
    expect(await textOf(journal)).not.toContain("hunter2");
    expect(JSON.stringify(await journal.keptAll("answer"))).not.toContain("hunter2");
  });
});

describe("a failed credential", () => {
  it("is renewed by a person with the code the tool gets for them, and the call continues", async () => {
    const person = scriptedInteractor("ada", [{ status: "accepted", value: true }]);
    const { clock, fl } = life(1, undefined, [person]);
    let signedIn = false;
    const mail = tool<object, string>({
      id: "mail",
      signIn: () => {
        signedIn = true;
        return Promise.resolve({ url: "https://example.test/device", code: "ABCD-1234" });
      },
      run: () => {
        if (!signedIn) throw new FaultError(fault("AuthFailed", { message: "token expired" }));
        return "sent";
      },
    });
    const session = await clock.runUntil(fl.session("s"));
    expect(await clock.runUntil(session.protect(mail, {}))).toMatchObject({ status: "done", value: "sent" });
    expect(person.asked[0]?.payload).toMatchObject({ kind: "Auth.DeviceCode", code: "ABCD-1234" });
  });
});

describe("an open session", () => {
  it("is the same one when it is requested again", async () => {
    const { clock, fl } = life(1);
    const one = await clock.runUntil(fl.session("s"));
    expect(await clock.runUntil(fl.session("s"))).toBe(one);
  });
});
