import { describe, expect, it } from "vitest";
import type { Fault } from "../../../src/core/index.ts";
import { modelTimeouts, type Timeouts, Watch } from "../../../src/provider/model/watch.ts";
import type { RunContext } from "../../../src/runtime/tool/tool.ts";
import { createFakeClock } from "../../../src/testing/fake-clock.ts";

const MINUTE_MS = 60_000;

describe("how long a model may take", () => {
  it.each<[number, Partial<Timeouts>, Timeouts, number]>([
    // The model may be silent for, the program sets, then: limits of a stream, until a whole answer is there.
    [
      30_000,
      {},
      { headersMs: 30_000, firstTokenMs: 30_000, idleMs: MINUTE_MS, thinkingMs: 30_000, totalMs: 10 * MINUTE_MS },
      5 * MINUTE_MS,
    ],
    [
      900_000,
      {},
      { headersMs: 900_000, firstTokenMs: 900_000, idleMs: MINUTE_MS, thinkingMs: 900_000, totalMs: 1_800_000 },
      900_000,
    ],
    [
      30_000,
      { headersMs: 7 },
      { headersMs: 7, firstTokenMs: 30_000, idleMs: MINUTE_MS, thinkingMs: 30_000, totalMs: 600_000 },
      7,
    ],
    [
      30_000,
      { firstTokenMs: 7 },
      { headersMs: 30_000, firstTokenMs: 7, idleMs: MINUTE_MS, thinkingMs: 30_000, totalMs: 600_000 },
      7,
    ],
    [
      30_000,
      { headersMs: 9, firstTokenMs: 7 },
      { headersMs: 9, firstTokenMs: 7, idleMs: MINUTE_MS, thinkingMs: 30_000, totalMs: 600_000 },
      7,
    ],
    [
      30_000,
      { idleMs: 7 },
      { headersMs: 30_000, firstTokenMs: 30_000, idleMs: 7, thinkingMs: 7, totalMs: 600_000 },
      300_000,
    ],
    [
      30_000,
      { idleMs: 7, thinkingMs: 9, totalMs: 11 },
      { headersMs: 30_000, firstTokenMs: 30_000, idleMs: 7, thinkingMs: 9, totalMs: 11 },
      300_000,
    ],
  ])("that may be silent for %d ms, with %o set", (quietMs, given, stream, wholeMs) => {
    const whole = { ...stream, headersMs: wholeMs, firstTokenMs: wholeMs };
    expect(modelTimeouts(given, { quietMs })).toEqual({ stream, whole });
  });
});

describe("a stream whose reader takes its time", () => {
  it.each([
    { isThinking: false, phase: "idle", limitMs: 300 },
    { isThinking: true, phase: "thinking", limitMs: 400 },
  ])("has its whole limit from when the reader waits, while it is $phase", async ({ isThinking, phase, limitMs }) => {
    const clock = createFakeClock(1_000);
    let disarm = (): void => undefined;
    const alarm = (ms: number, ring: () => void): void => {
      disarm();
      disarm = clock.after(ms, ring);
    };
    const late: Fault[] = [];
    const timeouts = { headersMs: 100, firstTokenMs: 200, idleMs: 300, thinkingMs: 400, totalMs: 1e9 };
    const watch = new Watch(clock, timeouts, { alarm } as unknown as RunContext, (seen) => void late.push(seen));
    watch.headers();
    watch.progress(isThinking);
    await clock.advance(10_000);
    watch.wait();
    await clock.advance(limitMs - 1);
    expect(late).toEqual([]);
    await clock.advance(1);
    expect(late).toMatchObject([{ code: "NetworkTimeout", context: { phase, limit: limitMs } }]);
  });
});
