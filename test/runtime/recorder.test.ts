// The ring of recent events outside sessions, and its listeners.

import { describe, expect, it } from "vitest";
import { type Entry, fault, partial, tool, type Tool } from "../../src/index.ts";
import { broken, callTimes, failure, scripted, type World, world } from "../support/world.ts";

describe("a listener", () => {
  it.each([
    [
      "throws",
      (): void => {
        throw new Error("bug in the listener");
      },
    ],
    ["rejects", (): Promise<void> => Promise.reject(new Error("bug in the listener"))],
  ])("and %s harms no call, does not keep others from listening, and is reported once", async (_what, listener) => {
    const here = world();
    const heard: Entry[] = [];
    here.fl.subscribe(listener);
    here.fl.subscribe((entry) => void heard.push(entry));
    const flaky = scripted("flaky", [failure("ToolUnavailable")]);
    expect(await callTimes(here, flaky.tool, 1)).toMatchObject([{ status: "done", attempts: 2 }]);
    expect(flaky.runs).toEqual([1, 2]);
    expect(heard.map(({ event }) => event.type)).toEqual([
      "call-started",
      "call-admitted",
      "call-failed",
      "call-admitted",
      "call-succeeded",
    ]);
    await here.clock.advance(0);
    const suppressed = here.events().filter(({ type }) => type === "fault-suppressed");
    expect(suppressed).toMatchObject([{ fault: { message: "bug in the listener" } }]);
  });

  it("hears nothing after it has unsubscribed", async () => {
    const here = world();
    const heard: Entry[] = [];
    const leave = here.fl.subscribe((entry) => void heard.push(entry));
    const gone = broken("gone", "NotFound");
    await callTimes(here, gone.tool, 1);
    const before = heard.length;
    leave();
    await callTimes(here, gone.tool, 1);
    expect([before > 0, heard.length]).toEqual([true, before]);
  });

  it("sees no secret, and neither does a later reader", async () => {
    const here = world({ secrets: ["open sesame"] });
    const heard: Entry[] = [];
    here.fl.subscribe((entry) => void heard.push(entry));
    const leaky = scripted("leaky", [new Error("cannot log in with open sesame")], { idempotent: false });
    await callTimes(here, leaky.tool, 1);
    expect(JSON.stringify([heard, here.fl.recent()])).not.toContain("open sesame");
    expect(JSON.stringify(heard)).toContain("cannot log in with");
  });
});

describe("the ring", () => {
  it("keeps only the last events, in order, and the numbering continues", async () => {
    const here = world({ maxRecent: 5 });
    const gone = broken("gone", "NotFound");
    await callTimes(here, gone.tool, 4);
    expect(here.fl.recent().map(({ seq }) => seq)).toEqual([8, 9, 10, 11, 12]);
    expect(here.events().map(({ type }) => type)).toEqual([
      "call-admitted",
      "call-failed",
      "call-started",
      "call-admitted",
      "call-failed",
    ]);
  });

  it("counts the events of a kept call as one", async () => {
    const here = world({ maxRecent: 4 });
    await callTimes(here, priced(here), 3);
    expect(here.fl.recent().map(({ seq }) => seq)).toEqual([6, 7, 8, 9]);
    await callTimes(here, broken("gone", "NotFound").tool, 1);
    expect(here.fl.recent().map(({ seq }) => seq)).toEqual([9, 10, 11, 12]);
    expect(here.events()[0]).toMatchObject({ type: "call-succeeded" });
  });
});

/** Takes a second, reports its cost, and its third answer is partial. */
function priced({ clock }: World): Tool<string, string> {
  let calls = 0;
  return tool<string, string>({
    id: "priced",
    cost: { estimate: () => 500 },
    run: async (_input, { cost }) => {
      calls += 1;
      await new Promise<void>((resolve) => void clock.after(1_000, resolve));
      if (calls === 2) cost(700, "estimated");
      else if (calls !== 4) cost(600);
      return calls === 3 ? partial("half", [{ item: 2, fault: fault("NotFound") }]) : "whole";
    },
  });
}

describe("a call that succeeds at once", () => {
  async function seenOf(isWatched: boolean): Promise<unknown> {
    const here = world();
    if (isWatched) here.fl.subscribe(() => undefined);
    const work = priced(here);
    const outcomes = [];
    for (let made = 0; made < 4; made++) {
      outcomes.push(await here.clock.runUntil(here.fl.protect(work, "x", { deadlineMs: 9_000 })));
    }
    return { recent: here.fl.recent(), metrics: here.fl.metrics(), spending: here.fl.spending, outcomes };
  }

  it("is recorded as if a listener had watched it", async () => {
    const unwatched = (await seenOf(false)) as { readonly recent: readonly Entry[] };
    expect(unwatched).toEqual(await seenOf(true));
    expect(unwatched.recent).toHaveLength(12);
    const times = unwatched.recent.map(({ at }) => at - (unwatched.recent[0]?.at ?? 0));
    expect(times.slice(0, 6)).toEqual([0, 0, 1_000, 1_000, 1_000, 2_000]);
  });

  it("is reported from its beginning to a listener that joins before its end", async () => {
    const here = world();
    const heard: string[] = [];
    const late = tool<string, string>({
      id: "late",
      cost: { estimate: () => 500 },
      run: () => {
        here.fl.subscribe(({ event }) => void heard.push(event.type));
        return "done";
      },
    });
    expect(await callTimes(here, late, 1)).toMatchObject([{ status: "done" }]);
    expect(heard).toEqual(["call-started", "call-admitted", "call-succeeded"]);
  });

  it("is recorded compactly again once the last listener has left", async () => {
    const here = world();
    const heard: string[] = [];
    const leave = here.fl.subscribe(({ event }) => void heard.push(event.type));
    here.fl.subscribe(() => undefined)();
    const work = priced(here);
    await callTimes(here, work, 1);
    leave();
    await callTimes(here, work, 1);
    expect([heard.length, here.fl.recent().length]).toEqual([3, 6]);
  });
});
