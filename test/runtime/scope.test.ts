// What waits and can be cancelled.

import { describe, expect, it } from "vitest";
import { cancellation, Interruptible, Scope, scopeWithin } from "../../src/runtime/scope.ts";
import { createFakeClock } from "../../src/testing/fake-clock.ts";

const WHY = cancellation("tool", "enough");
const never = (): Promise<string> => new Promise(() => undefined);

const WAITS: readonly (readonly [string, (waiting: Interruptible, at: number) => Promise<unknown>, unknown])[] = [
  ["until a time", (waiting, at) => waiting.waitUntil(at), false],
  ["until a time or a wake", (waiting, at) => waiting.waitOnce(at), undefined],
  ["for work", (waiting, at) => waiting.within(never(), at), null],
  ["for work, with no limit", (waiting) => waiting.within(never(), Infinity), null],
];

describe("a wait", () => {
  it.each(WAITS)("%s ends at once, and sets no timer, if it was cancelled before", async (_what, wait, ended) => {
    const clock = createFakeClock(0);
    const waiting = new Interruptible(clock);
    waiting.cancel(WHY);
    expect(await clock.runUntil(wait(waiting, 1_000))).toBe(ended);
    expect(clock.now()).toBe(0);
    expect(waiting.wake).toBeNull();
  });

  it.each(WAITS)("%s ends when it is cancelled", async (_what, wait, ended) => {
    const clock = createFakeClock(0);
    const waiting = new Interruptible(clock);
    clock.after(10, () => waiting.cancel(WHY));
    expect(await clock.runUntil(wait(waiting, 1_000))).toBe(ended);
    expect(clock.now()).toBe(10);
    expect(waiting.wake).toBeNull();
  });

  it("gets work that is done already, also when it was cancelled before", async () => {
    const waiting = new Interruptible(createFakeClock(0));
    waiting.cancel(WHY);
    expect(await waiting.within(Promise.resolve("done"), 1_000)).toBe("done");
  });
});

describe("a scope within another, with a signal", () => {
  const within = (): { session: Scope; left: AbortController } & ReturnType<typeof scopeWithin> => {
    const [session, left] = [new Scope("session", null), new AbortController()];
    return { session, left, ...scopeWithin(session, left.signal) };
  };

  it("is cancelled by either, with the reason of the first", () => {
    const [one, other] = [within(), within()];
    one.session.cancel(cancellation("session", "the end"));
    one.left.abort(new Error("too late"));
    expect(one.scope.cancelled).toMatchObject({ code: "SessionCancelled", message: "the end" });
    other.left.abort(new Error("gone"));
    expect(other.scope.cancelled).toMatchObject({ code: "ToolCancelled", message: "gone" });
    expect(other.session.cancelled).toBeNull();
  });

  it("is cancelled by neither once it is left", () => {
    const { session, left, scope, leave } = within();
    leave();
    session.cancel(cancellation("session", "the end"));
    left.abort();
    expect(scope.cancelled).toBeNull();
  });
});
