// What waits and can be cancelled.

import { describe, expect, it } from "vitest";
import { cancellation, Interruptible } from "../../src/runtime/scope.ts";
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
