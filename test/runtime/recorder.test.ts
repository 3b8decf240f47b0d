// The ring of the last events outside sessions, and those who listen to it.

import { describe, expect, it } from "vitest";
import type { Entry } from "../../src/index.ts";
import { broken, callTimes, failure, scripted, world } from "../support/world.ts";

describe("somebody who listens", () => {
  it.each([
    [
      "throws",
      (): void => {
        throw new Error("bug in the listener");
      },
    ],
    ["rejects", (): Promise<void> => Promise.reject(new Error("bug in the listener"))],
  ])("and %s harms no call, keeps nobody else from listening, and is told of", async (_what, listener) => {
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
    expect(suppressed).toHaveLength(heard.length);
    expect(suppressed[0]).toMatchObject({ fault: { message: "bug in the listener" } });
  });

  it("hears nothing more once it has left", async () => {
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

  it("sees no secret, and neither does whoever looks later", async () => {
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
  it("keeps the last events only, in order, and numbers go on", async () => {
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
});
