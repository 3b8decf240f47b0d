import { describe, expect, it } from "vitest";
import { modelTimeouts, type Timeouts } from "../../../src/provider/model/watch.ts";

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
