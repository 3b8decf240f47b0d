// However a session is closed, the calls that run in it are over first.

import { describe, expect, it } from "vitest";
import { tool } from "../../../src/index.ts";
import type { Session } from "../../../src/runtime/session/session.ts";
import { eventsOf, life, never } from "./life.ts";

describe("closing a session while a call runs", () => {
  it.each([
    ["leave", (session: Session) => session.leave()],
    ["end", (session: Session) => session.end()],
  ])("waits for the call: %s", async (_how, close) => {
    const { fl, clock } = life();
    const session = await clock.runUntil(fl.session("s", { mode: "headless" }));
    const order: string[] = [];
    const slow = tool({
      id: "slow",
      run: () => new Promise((resolve) => void clock.after(1_000, () => resolve("done"))),
    });
    const call = session.protect(slow, {}, { id: "c" }).then(({ status }) => void order.push(status));
    await clock.advance(1);
    const closed = close(session).then(() => void order.push("closed"));
    await clock.runUntil(Promise.all([call, closed]));
    expect(order).toEqual(["done", "closed"]);
  });

  it("stops the call first: cancel", async () => {
    const { fl, clock, journal } = life();
    const session = await clock.runUntil(fl.session("s", { mode: "headless" }));
    let isRunning = true;
    const call = session.protect(tool({ id: "hangs", run: never }), {}, { id: "c" }).finally(() => (isRunning = false));
    await clock.advance(1);
    await clock.runUntil(session.cancel("enough").then(() => expect(isRunning).toBe(false)));
    expect(await clock.runUntil(call)).toMatchObject({ status: "cancelled" });
    const types = (await eventsOf(journal, "s")).map(({ type }) => type);
    expect(types).toEqual(["session-started", "call-started", "call-admitted", "call-cancelled", "session-ended"]);
  });
});
