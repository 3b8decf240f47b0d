// Parts that load on first use: once for all who ask, again if that failed, and while a fake clock stands still.

import { describe, expect, it } from "vitest";
import { lazyPart } from "../../src/host/lazy-part.ts";
import { createFakeClock } from "../../src/testing/fake-clock.ts";

describe("a part that loads on first use", () => {
  it("is loaded once, however many ask for it", async () => {
    let loads = 0;
    const part = lazyPart(() => Promise.resolve(++loads));
    expect(await Promise.all([part(), part()])).toEqual([1, 1]);
    expect(await part()).toBe(1);
  });

  it("that could not be loaded is tried again", async () => {
    let loads = 0;
    const part = lazyPart(() => (++loads === 1 ? Promise.reject(new Error("not installed")) : Promise.resolve(loads)));
    await expect(Promise.all([part(), part()])).rejects.toThrow("not installed");
    expect(await part()).toBe(2);
    expect(await part()).toBe(2);
  });

  it("stops a fake clock while it loads, however long that takes", async () => {
    const clock = createFakeClock(0);
    const part = lazyPart(async () => {
      for (let turn = 0; turn < 50; turn++) await new Promise((resolve) => setImmediate(resolve));
      return clock.now();
    });
    clock.after(1_000, () => undefined);
    expect(await clock.runUntil(part())).toBe(0);
  });
});
