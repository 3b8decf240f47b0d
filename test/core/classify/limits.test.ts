// What is seen at a glance is what reading it in full would find, and nothing a response says can throw.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { hasPlenty, NO_PACE, readLimits, readPace } from "../../../src/core/classify/limits.ts";

const NOW = 1_700_000_000_000;
const NAMES = [
  "x-ratelimit-limit-requests",
  "x-ratelimit-remaining-requests",
  "x-ratelimit-reset-requests",
  "anthropic-ratelimit-requests-limit",
  "anthropic-ratelimit-requests-remaining",
  "anthropic-ratelimit-requests-reset",
];

/** A server writes all its names in one way. */
const names = fc.constantFrom(
  NAMES,
  NAMES.map((name) => name.toUpperCase()),
);

/** Values that no server sends, but that a library may hand over. */
const ODD = [true, null, [], ["0"], ["9"], ["50"], ["50", "60"]] as const;

const values = fc.oneof(
  fc.integer({ min: -1, max: 60 }).map(String),
  fc.constantFrom("", " ", "many", "Infinity", "-0", "1e3", "6ms", "30s"),
  fc.integer({ min: 0, max: 60 }),
  fc.constantFrom<unknown>(...ODD),
);

describe("the limits of a response", () => {
  it("are plenty at a glance only where they are when read in full", () => {
    let plenty = 0;
    fc.assert(
      fc.property(
        names.chain((all) => fc.dictionary(fc.constantFrom(...all), values)),
        (headers) => {
          if (!hasPlenty(headers)) return;
          plenty += 1;
          expect(readPace(headers, NOW)).toEqual(NO_PACE);
        },
      ),
      { numRuns: 3000 },
    );
    expect(plenty).toBeGreaterThan(20);
  });

  it("are not plenty at a glance when a value that is not a text comes before a limit that is used up", () => {
    const spent = {
      "anthropic-ratelimit-requests-limit": "10",
      "anthropic-ratelimit-requests-remaining": "0",
      "anthropic-ratelimit-requests-reset": "30s",
    };
    const all = [...ODD, "50", "60", 50, 60];
    for (const left of all) {
      for (const whole of all) {
        const headers = { "x-ratelimit-remaining-requests": left, "x-ratelimit-limit-requests": whole, ...spent };
        const isText = typeof left === "string" && typeof whole === "string";
        expect([left, whole, hasPlenty(headers)]).toEqual([left, whole, isText]);
        if (isText) expect(readPace(headers, NOW)).toEqual(NO_PACE);
      }
    }
  });

  it.each([
    [
      {
        "x-ratelimit-remaining-requests": "9",
        "x-ratelimit-limit-requests": "10",
        "x-ratelimit-reset-requests": "6m0s",
      },
      [{ of: "requests", remaining: 9, limit: 10, resetAt: NOW + 360_000 }],
    ],
    [
      {
        "anthropic-ratelimit-requests-remaining": "4",
        "anthropic-ratelimit-requests-reset": new Date(NOW + 5_000).toISOString(),
        "anthropic-ratelimit-output-tokens-limit": "8000",
      },
      [
        { of: "requests", remaining: 4, limit: null, resetAt: NOW + 5_000 },
        { of: "output-tokens", remaining: null, limit: 8000, resetAt: null },
      ],
    ],
    [
      { "X-RateLimit-Remaining": "0", "X-RateLimit-Reset": String(NOW / 1_000 + 60) },
      [{ of: "requests", remaining: 0, limit: null, resetAt: NOW + 60_000 }],
    ],
    [
      { "x-ratelimit-remaining-tokens": "many", "x-ratelimit-limit-tokens": "-1", "x-ratelimit-reset-tokens": "1s" },
      [],
    ],
    [new Headers({ "x-ratelimit-limit-tokens": "5" }), [{ of: "tokens", remaining: null, limit: 5, resetAt: null }]],
  ])("are read as their senders write them: %o", (headers, expected) => {
    expect(readLimits(headers, NOW)).toEqual(expected);
  });

  it("say nothing when they cannot be read", () => {
    const throws = (): never => {
      throw new Error("hostile");
    };
    const { proxy: revoked, revoke } = Proxy.revocable({}, {});
    revoke();
    const hostile = new Proxy({}, { get: throws, has: throws, ownKeys: throws, getPrototypeOf: throws });
    for (const headers of [hostile, revoked, null, undefined, "x-ratelimit-remaining: 0", 7]) {
      expect([hasPlenty(headers), readPace(headers, NOW), readLimits(headers, NOW)]).toEqual([false, NO_PACE, []]);
    }
  });
});
