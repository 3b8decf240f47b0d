import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { formatMs, isoTime } from "../../../src/core/fault/words/time-words.ts";

const [SECOND, MINUTE, HOUR, DAY] = [1_000, 60_000, 3_600_000, 86_400_000];
const MS_PER = { ms: 1, s: SECOND, min: MINUTE, h: HOUR, d: DAY };
/** The smallest step that is shown, by the largest unit: tenths of seconds up to a minute, then the next smaller unit. */
const STEP_MS = { ms: 1, s: 100, min: SECOND, h: MINUTE, d: HOUR };
const FLOAT_ERROR_MS = 1e-6;

describe("a duration in words", () => {
  it.each([
    [0, "0 ms", "0 毫秒"],
    [1.4, "1 ms", "1 毫秒"],
    [999, "999 ms", "999 毫秒"],
    [999.5, "1 s", "1 秒"],
    [1_449, "1.4 s", "1.4 秒"],
    [59_949, "59.9 s", "59.9 秒"],
    [59_950, "1 min", "1 分钟"],
    [MINUTE, "1 min", "1 分钟"],
    [90 * SECOND, "1 min 30 s", "1 分钟 30 秒"],
    [HOUR - 501, "59 min 59 s", "59 分钟 59 秒"],
    [HOUR - 500, "1 h", "1 小时"],
    [2.5 * HOUR, "2 h 30 min", "2 小时 30 分钟"],
    [2 * DAY - MINUTE, "47 h 59 min", "47 小时 59 分钟"],
    [2 * DAY - MINUTE / 2, "2 d", "2 天"],
    [3 * DAY + 5 * HOUR, "3 d 5 h", "3 天 5 小时"],
    [3 * DAY + 23.5 * HOUR, "4 d", "4 天"],
  ])("%d ms reads %s and %s", (ms, en, zh) => {
    expect(formatMs(ms, "en")).toBe(en);
    expect(formatMs(ms, "zh-CN")).toBe(zh);
  });

  /** As often below a second, a minute, an hour and a day as above. */
  const duration = fc.oneof(
    ...[SECOND, MINUTE, HOUR, DAY, 1_000 * DAY].map((max) => fc.double({ min: 0, max, noNaN: true })),
  );

  it("is off by at most half of the smallest step that is shown", () => {
    fc.assert(
      fc.property(duration, (ms) => {
        const words = formatMs(ms, "en").split(" ");
        const units = words.filter((_, index) => index % 2 === 1) as (keyof typeof MS_PER)[];
        const readMs = units.reduce((sum, unit, index) => sum + Number(words[2 * index]) * MS_PER[unit], 0);
        expect(Math.abs(readMs - ms)).toBeLessThanOrEqual(STEP_MS[units[0] ?? "ms"] / 2 + FLOAT_ERROR_MS);
        expect(words.length / 2).toBeLessThanOrEqual(2);
      }),
    );
  });
});

describe("an instant in words", () => {
  it.each([
    [0, "1970-01-01T00:00:00Z"],
    [1_234, "1970-01-01T00:00:01.234Z"],
    [8_640_000_000_000_000, "+275760-09-13T00:00:00Z"],
    [1e18, "+275760-09-13T00:00:00Z"],
  ])("%d is %s", (at, words) => expect(isoTime(at)).toBe(words));
});
