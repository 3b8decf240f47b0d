// When to try again, in every form providers write it.

import { describe, expect, it } from "vitest";
import { classify, type Evidence } from "../../../src/core/index.ts";

const NOW = Date.UTC(2026, 10, 15, 12, 0, 0);
const DAY_MS = 86_400_000;

function timingOf(evidence: Partial<Evidence>): { retryAfterMs: number | undefined; resetAt: number | undefined } {
  const { retryAfterMs, resetAt } = classify({ surface: "http", status: 429, observedAt: NOW, ...evidence });
  return { retryAfterMs, resetAt };
}

describe("headers", () => {
  it.each<[string, Record<string, string>, number | undefined]>([
    ["milliseconds", { "retry-after-ms": "1500.5" }, 1501],
    ["seconds", { "retry-after": "30" }, 30_000],
    ["fractional seconds", { "retry-after": "0.25" }, 250],
    ["any letter case", { "Retry-After": "7" }, 7000],
    ["400 days", { "retry-after": String(400 * 86_400) }, 400 * DAY_MS],
    ["more than 400 days, which is a mistake", { "retry-after": String(400 * 86_400 + 1) }, undefined],
    ["none", { "retry-after": "-1" }, undefined],
    ["milliseconds before seconds", { "retry-after": "9", "retry-after-ms": "100" }, 100],
    ["an HTTP date", { "retry-after": "Sun, 15 Nov 2026 12:01:00 GMT" }, 60_000],
    [
      "an HTTP date against the server's own clock",
      { "retry-after": "Sun, 15 Nov 2026 13:00:30 GMT", "date": "Sun, 15 Nov 2026 13:00:00 GMT" },
      30_000,
    ],
    [
      "a Go duration of the limit that is used up",
      {
        "x-ratelimit-reset-tokens": "6m0s",
        "x-ratelimit-remaining-tokens": "0",
        "x-ratelimit-reset-requests": "20m",
        "x-ratelimit-remaining-requests": "4",
      },
      360_000,
    ],
    ["plain seconds", { "x-ratelimit-reset-requests": "12" }, 12_000],
    ["a duration with a fraction", { "x-ratelimit-reset-tokens": "7.66s" }, 7660],
    ["RFC 3339", { "anthropic-ratelimit-tokens-reset": "2026-11-15T12:00:09Z" }, 9000],
    ["epoch seconds", { "anthropic-ratelimit-unified-reset": String(NOW / 1000 + 90) }, 90_000],
    ["epoch milliseconds", { "x-ratelimit-reset": String(NOW + 5000) }, 5000],
    ["the RateLimit field", { ratelimit: '"burst";r=0;t=5, "day";r=7;t=9000' }, 5000],
    ["Retry-After before all of them", { "retry-after": "3", "x-ratelimit-reset-tokens": "9s" }, 3000],
    ["the older RateLimit field", { ratelimit: "limit=100, remaining=0, reset=50" }, 50_000],
    ["seconds when the milliseconds are none", { "retry-after-ms": "0", "retry-after": "3" }, 3000],
    [
      "nothing from limits that have room",
      {
        "x-ratelimit-remaining-requests": "99",
        "x-ratelimit-reset-requests": "8h",
        "x-ratelimit-remaining-tokens": "500",
        "x-ratelimit-reset-tokens": "2s",
      },
      undefined,
    ],
    ["now for zero", { "retry-after": "0" }, 0],
    ["now for zero, whatever limits say", { "retry-after": "0", "x-ratelimit-reset-tokens": "9s" }, 0],
    ["now for zero milliseconds", { "retry-after-ms": "0" }, 0],
    ["nothing for a negative", { "retry-after": "-5" }, undefined],
    ["nothing for a past date", { "retry-after": "Sun, 15 Nov 2020 12:01:00 GMT" }, undefined],
    ["nothing for nonsense", { "retry-after": "soon" }, undefined],
    ["nothing for absurd numbers", { "retry-after": "99999999999999" }, undefined],
  ])("%s", (_form, headers, expected) => {
    expect(timingOf({ headers }).retryAfterMs).toBe(expected);
  });

  it("takes neither a past nor an absurd instant for a time", () => {
    for (const date of ["Sun, 15 Nov 2020 12:01:00 GMT", "Sun, 15 Nov 2090 12:01:00 GMT"]) {
      expect(timingOf({ headers: { "retry-after": date } })).toEqual({ retryAfterMs: undefined, resetAt: undefined });
    }
  });

  it("gives the wait by the server's clock and the time by ours", () => {
    const headers = { "retry-after": "Sun, 15 Nov 2026 13:00:30 GMT", "date": "Sun, 15 Nov 2026 13:00:00 GMT" };
    expect(timingOf({ headers })).toEqual({ retryAfterMs: 30_000, resetAt: NOW + 30_000 });
  });

  it.each<[string, unknown]>([
    ["Headers", new Headers({ "retry-after": "4" })],
    ["a Map", new Map([["Retry-After", "4"]])],
    ["names and values in turn", ["Accept", "x", "Retry-After", "4"]],
    ["pairs", [["Retry-After", "4"]]],
    ["lists of values", { "retry-after": ["4", "9"] }],
    ["a number", { "retry-after": 4 }],
  ])("in %s", (_holder, headers) => {
    expect(timingOf({ headers }).retryAfterMs).toBe(4000);
  });

  it("on an SDK's error", () => {
    const error = Object.assign(new Error("429 slow"), { status: 429, headers: new Headers({ "retry-after": "2" }) });
    expect(classify({ surface: "node", error, observedAt: NOW }).retryAfterMs).toBe(2000);
  });
});

describe("bodies", () => {
  it.each<[string, unknown, number]>([
    [
      "Google's RetryInfo",
      {
        error: {
          code: 429,
          status: "RESOURCE_EXHAUSTED",
          details: [{ "@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "34.0748s" }],
        },
      },
      34_075,
    ],
    [
      "RetryInfo as text in text",
      JSON.stringify({ error: { message: JSON.stringify({ error: { details: [{ retryDelay: "2.5s" }] } }) } }),
      2500,
    ],
    ["OpenRouter's availability", { error: { code: 429, availability: { retry_after: 8 } } }, 8000],
    [
      "the seconds until a plan's window ends",
      { error: { type: "usage_limit_reached", resets_in_seconds: 600 } },
      600_000,
    ],
    ["the epoch of that end", { error: { type: "usage_limit_reached", resets_at: NOW / 1000 + 60 } }, 60_000],
    ["a model that is loading", { error: "Model x is currently loading", estimated_time: 20 }, 20_000],
  ])("%s", (_form, body, expected) => {
    expect(timingOf({ body }).retryAfterMs).toBe(expected);
  });

  it("keeps the reset time of a quota as an instant", () => {
    const fault = classify({
      surface: "http",
      status: 429,
      observedAt: NOW,
      body: { error: { type: "usage_limit_reached", resets_at: NOW / 1000 + 7200 } },
    });
    expect(fault).toMatchObject({ code: "QuotaExhausted", resetAt: NOW + 7_200_000 });
  });
});

describe("words", () => {
  it.each<[string, number | undefined]>([
    ["Rate limit reached. Please try again in 1.4s.", 1400],
    ["Rate limit reached. Please try again in 11m0.528s.", 660_528],
    ["Rate limit reached. Please try again in 6m 11.52s.", 371_520],
    ["Rate limit reached. Please try again in 1h23m45.6s.", 5_025_600],
    ["Rate limit is exceeded. Please retry after 37 seconds.", 37_000],
    ["Too many requests. Please retry in 2.5s", 2500],
    ["Too many requests. Please wait 8s.", 8000],
    ["Rate limited. Please wait 71 minutes before trying again.", 71 * 60_000],
    ["Rate limit reached. Try again in 120ms.", 120],
    ["Rate limit reached. Try again in ~30s", 30_000],
    ["429 Too Many Requests, Retry-After: 12", 12_000],
    ["请求过于频繁，请在 30 秒后重试", 30_000],
    ["lock wait 50s exceeded: too many requests", undefined],
    ["rate limit exceeded [retrying in 15s attempt #5]", undefined],
    ["429 Too Many Requests · Retrying in 39 seconds… (attempt 8/10)", undefined],
    ["rate limit exceeded, sleep for 5.0 seconds", undefined],
  ])("%s", (message, expected) => {
    expect(timingOf({ message }).retryAfterMs).toBe(expected);
  });

  it.each<[string, number]>([
    ["You've hit your 5-hour limit · resets 9:16pm (UTC)", Date.UTC(2026, 10, 15, 21, 16)],
    ["You've hit your session limit · resets 11am (UTC)", Date.UTC(2026, 10, 16, 11)],
    ["Claude usage limit reached. Your limit will reset at 5pm (Europe/Warsaw).", Date.UTC(2026, 10, 15, 16)],
    ["You've hit your weekly limit · resets Nov 18 at 9am (America/New_York)", Date.UTC(2026, 10, 18, 14)],
    [
      "You have reached your specified API usage limits. You will regain access on 2026-12-01 at 00:00 UTC.",
      Date.UTC(2026, 11, 1),
    ],
  ])("%s", (message, resetAt) => {
    expect(classify({ surface: "cli", message, observedAt: NOW })).toMatchObject({ code: "QuotaExhausted", resetAt });
  });

  it("keeps to a zone's own clock when it changes overnight", () => {
    const message = "You've hit your session limit · resets 9am (Europe/Berlin)";
    expect(classify({ surface: "cli", message, observedAt: Date.UTC(2026, 9, 24, 12) }).resetAt).toBe(
      Date.UTC(2026, 9, 25, 8),
    );
    expect(classify({ surface: "cli", message, observedAt: Date.UTC(2026, 2, 28, 12) }).resetAt).toBe(
      Date.UTC(2026, 2, 29, 7),
    );
  });

  it("makes nothing of a clock time without a zone, or without knowing the day", () => {
    expect(
      classify({ surface: "cli", message: "You've hit your usage limit. Try again at 8:33 PM.", observedAt: NOW })
        .resetAt,
    ).toBeUndefined();
    expect(
      classify({ surface: "cli", message: "You've hit your 5-hour limit · resets 9:16pm (UTC)" }).resetAt,
    ).toBeUndefined();
    expect(
      classify({ surface: "cli", message: "You've hit your limit · resets 9pm (Mars/Olympus)", observedAt: NOW })
        .resetAt,
    ).toBeUndefined();
  });
});

describe("an instant without a clock to compare it with", () => {
  const limit = (seconds: number): number | undefined =>
    classify({ surface: "cli", message: `Claude AI usage limit reached|${seconds}` }).resetAt;

  it.each([
    ["the first that is plausible", 1_200_000_000, true],
    ["one before it", 1_199_999_999, false],
    ["the last that is plausible", 4_200_000_000, true],
    ["one after it", 4_200_000_001, false],
  ])("is believed if it is plausible: %s", (_what, seconds, isBelieved) => {
    expect(limit(seconds)).toBe(isBelieved ? seconds * 1000 : undefined);
  });
});

describe("how long tells what for", () => {
  it("takes a rate limit of a day for the quota it is", () => {
    expect(
      classify({
        surface: "http",
        status: 429,
        message: "exceeded call rate limit. Please retry after 86400 seconds.",
      }),
    ).toMatchObject({
      code: "QuotaExhausted",
      retryAfterMs: DAY_MS,
      evidence: { rule: "timing/long-wait", nearly: ["words/rate-limit", "status/429"] },
    });
  });

  it("takes what words call a quota for a rate limit when it lifts in seconds", () => {
    expect(
      classify({ surface: "cli", message: "You have exhausted your capacity. Your quota will reset after 5s." }),
    ).toMatchObject({
      code: "RateLimited",
      retryAfterMs: 5000,
      evidence: { rule: "timing/short-wait" },
    });
  });

  it("believes an identifier more than a wait", () => {
    const details = [
      { violations: [{ quotaId: "GenerateRequestsPerDayPerProjectPerModel-FreeTier" }] },
      { retryDelay: "5s" },
    ];
    expect(classify({ surface: "http", status: 429, body: { error: { details } } }).code).toBe("QuotaExhausted");
  });
});
