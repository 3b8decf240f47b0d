// The open sessions of a runtime: one handle each, for any number of callers.

import { describe, expect, it } from "vitest";
import { type Journal, step, tool } from "../../../src/index.ts";
import { thrownBy } from "../../support/thrown.ts";
import { eventsOf, life, lifeOn, newPath, only } from "./life.ts";

const ok = tool<object, string>({ id: "ok", run: () => "fine" });

describe("a session", () => {
  it("that is open is the same for every caller that asks for it by name", async () => {
    const { fl, clock, journal } = life();
    const [first, second] = await clock.runUntil(Promise.all([fl.session("s"), fl.session("s")]));
    const third = await clock.runUntil(fl.session("s"));
    expect([second === first, third === first]).toEqual([true, true]);
    expect(await clock.runUntil(third.turn({ a: step(ok, {}) }))).toMatchObject({ status: "done" });
    expect(only(await eventsOf(journal, "s"), "session-resumed")).toEqual([]);
  });

  it("that lost its store is reopened by one new handle, and both callers get it", async () => {
    let isBroken = false;
    const between = (inner: Journal): Journal => ({
      ...inner,
      append: (...args) => (isBroken ? Promise.reject(new Error("EIO: i/o error, write")) : inner.append(...args)),
    });
    const { fl, clock, journal } = await lifeOn(newPath(), {}, between);
    const lost = await clock.runUntil(fl.session("s"));
    isBroken = true;
    expect(await clock.runUntil(lost.protect(ok, {}))).toMatchObject({ fault: { code: "StoreUnavailable" } });
    isBroken = false;
    const [first, second] = await clock.runUntil(Promise.all([fl.session("s"), fl.session("s")]));
    expect([first === lost, first === second]).toEqual([false, true]);
    expect(await clock.runUntil(first.protect(ok, {}))).toMatchObject({ status: "done" });
    expect(only(await eventsOf(journal, "s"), "session-resumed")).toHaveLength(1);
  });

  it("that cannot be opened is tried again by the next caller", async () => {
    let isBroken = true;
    const between = (inner: Journal): Journal => ({
      ...inner,
      append: (...args) => (isBroken ? Promise.reject(new Error("EIO: i/o error, write")) : inner.append(...args)),
    });
    const { fl, clock } = await lifeOn(newPath(), {}, between);
    expect(await clock.runUntil(thrownBy(fl.session("s")))).toMatchObject({ fault: { code: "StoreUnavailable" } });
    isBroken = false;
    expect((await clock.runUntil(fl.session("s"))).status).toBe("open");
  });

  it("is not disturbed by others, however many there are and however they end", async () => {
    const { fl, clock } = life();
    for (let number = 0; number < 150; number++) {
      const session = await clock.runUntil(fl.session(`s${number}`));
      if (number % 2 === 0) await clock.runUntil(session.end());
    }
    // An invalid name is refused while the others are searched.
    const [refused, opened] = await clock.runUntil(Promise.all([thrownBy(fl.session("a/b")), fl.session("fine")]));
    expect(refused).toMatchObject({ fault: { class: "Validation" } });
    expect(await clock.runUntil(opened.protect(ok, {}))).toMatchObject({ status: "done" });
    const kept = await clock.runUntil(fl.session("s1"));
    expect(await clock.runUntil(kept.protect(ok, {}))).toMatchObject({ status: "done" });
  });
});
