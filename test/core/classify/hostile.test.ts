// Whatever comes in, a fault comes out: no throw, no hang, and no more work than the input is long.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { classify, isFaultCode, SHAPE_REDACTOR, SURFACES, type Evidence } from "../../../src/core/index.ts";
import { samples } from "../../support/grid.ts";
import { anyText } from "../../support/any-text.ts";

function expectFault(evidence: Evidence): void {
  const fault = classify(evidence);
  expect(isFaultCode(fault.code)).toBe(true);
  expect(fault.message.length).toBeLessThan(600);
  JSON.stringify(fault);
}

const thrower = new Proxy(
  {},
  {
    get: () => {
      throw new Error("get");
    },
    ownKeys: () => {
      throw new Error("ownKeys");
    },
    has: () => {
      throw new Error("has");
    },
    getPrototypeOf: () => {
      throw new Error("getPrototypeOf");
    },
  },
);

function revoked(): object {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
}

/** What says that it is larger than any memory, or never comes to an end: each as every part of the evidence, and inside an error and a body. */
const BOUNDLESS: readonly (readonly [string, () => unknown])[] = [
  [
    "a sparse array of 2^28 items",
    () => {
      const list: unknown[] = [];
      list[2 ** 28] = "rate limit exceeded";
      return list;
    },
  ],
  ["an empty array of 2^32 - 1 items", () => new Array<unknown>(2 ** 32 - 1)],
  [
    "an array whose proxy says it is endless",
    () => new Proxy([], { get: (_, key) => (key === "length" ? Infinity : ["a", "b"]) }),
  ],
  [
    "a Map whose pairs never end",
    () =>
      new (class extends Map<string, string> {
        override *[Symbol.iterator](): MapIterator<[string, string]> {
          for (;;) yield ["a", "b"];
        }
      })(),
  ],
  [
    "an object whose iterator never ends",
    () => ({
      *[Symbol.iterator]() {
        for (;;) yield ["a", "b"];
      },
    }),
  ],
  ["a boxed text of 2^27 characters", () => Object("x".repeat(2 ** 27)) as unknown],
  ["an object that says its length is 2^53", () => ({ length: Number.MAX_SAFE_INTEGER, 0: "a" })],
];

const PARTS = [
  "error",
  "body",
  "headers",
  "message",
  "code",
  "status",
  "exitCode",
  "signal",
  "stopReason",
  "provider",
  "observedAt",
] as const;
const INSIDE = [
  "headers",
  "errors",
  "cause",
  "message",
  "code",
  "status",
  "type",
  "retry_after",
  "details",
  "error",
] as const;

describe("what is boundless", () => {
  it.each(BOUNDLESS)("%s becomes a fault in every place", (_what, make) => {
    const value = make();
    for (const part of PARTS) expectFault({ surface: "http", status: 500, [part]: value });
    for (const field of INSIDE) {
      expectFault({ surface: "node", error: Object.assign(new Error("x"), { [field]: value }) });
      expectFault({ surface: "http", body: { error: { [field]: value } } });
    }
  });
});

describe("hostile input", () => {
  it("of any kind becomes a fault", () => {
    const anything = fc.anything({
      withBigInt: true,
      withDate: true,
      withMap: true,
      withNullPrototype: true,
      withSparseArray: true,
      withTypedArray: true,
    });
    fc.assert(
      fc.property(
        fc.record(
          {
            surface: fc.constantFrom(...SURFACES),
            status: anything,
            headers: anything,
            body: anything,
            message: anything,
            error: anything,
            code: anything,
            exitCode: anything,
            signal: anything,
            stopReason: anything,
            provider: anything,
            observedAt: anything,
            aborted: fc.constantFrom(undefined, false),
          },
          { requiredKeys: ["surface"] },
        ),
        (evidence) => {
          expectFault(evidence as Evidence);
        },
      ),
      { numRuns: samples(250, 2000) },
    );
  });

  it("in any bytes becomes a fault", () => {
    fc.assert(
      fc.property(anyText({ maxLength: 500 }), fc.constantFrom(...SURFACES), (message, surface) => {
        expectFault({ surface, message, body: message, headers: { "retry-after": message } });
      }),
      { numRuns: samples(250, 1000) },
    );
  });

  it.each<[string, Evidence]>([
    ["getters that throw", { surface: "node", error: thrower, body: thrower, headers: thrower }],
    [
      "an error whose message throws",
      {
        surface: "node",
        error: Object.defineProperty(new Error("x"), "message", {
          get: () => {
            throw new Error("no");
          },
        }),
      },
    ],
    ["nothing", undefined as unknown as Evidence],
    ["a proxy for evidence", thrower as unknown as Evidence],
    ["a revoked proxy", { surface: "http", status: 500, body: revoked(), headers: revoked(), error: revoked() }],
    [
      "a hundred thousand keys",
      { surface: "http", body: Object.fromEntries(Array.from({ length: 100_000 }, (_, i) => [`k${i}`, i])) },
    ],
    ["ten megabytes of bytes", { surface: "http", body: Buffer.alloc(10_000_000, 97) }],
    ["lone surrogates", { surface: "cli", message: "\ud800 rate limit exceeded \udfff" }],
    ["NUL and control bytes", { surface: "cli", message: "\u0000\u0001\u001b[31mrate limit exceeded\u001b[0m" }],
    ["ten megabytes of text", { surface: "cli", message: "x".repeat(10_000_000) }],
    ["ten megabytes of JSON", { surface: "http", status: 500, body: `{"a":"${"x".repeat(10_000_000)}"}` }],
    ["ten megabytes of brackets", { surface: "http", status: 500, body: "[".repeat(10_000_000) }],
    ["ten megabytes of quotes and colons", { surface: "cli", message: '"type":"'.repeat(1_250_000) }],
    ["ten megabytes of digits", { surface: "cli", message: "429 ".repeat(2_500_000) }],
    ["ten megabytes of white space", { surface: "cli", message: " ".repeat(10_000_000) }],
    ["an absurd retry-after", { surface: "http", status: 429, headers: { "retry-after": "9".repeat(5000) } }],
    ["a number as a header", { surface: "http", status: 429, headers: 42 }],
    ["NaN for a status", { surface: "http", status: NaN }],
  ])("%s", (_what, evidence) => {
    expectFault(evidence);
  });

  it("deep nesting and cyclic causes", () => {
    let deep: unknown = "rate limit exceeded";
    for (let i = 0; i < 100_000; i++) deep = { error: deep };
    expectFault({ surface: "http", body: deep });
    const cyclic = new Error("a");
    cyclic.cause = new Error("b", { cause: cyclic });
    expectFault({ surface: "node", error: cyclic });
    const wide = { errors: Array.from({ length: 20_000 }, () => new Error("x")) };
    expectFault({ surface: "node", error: wide });
  });

  it("reads bytes as text, and a status that is text", () => {
    expect(
      classify({ surface: "http", status: 429, body: Buffer.from('{"error":{"code":"insufficient_quota"}}') }).code,
    ).toBe("QuotaExhausted");
    expect(classify({ surface: "http", status: "429" as unknown as number }).code).toBe("RateLimited");
  });

  it("keeps control characters out of what is shown", () => {
    const { message, evidence } = classify({
      surface: "cli",
      message: "\u001b]0;evil\u0007\u001b[2J 429 rate limit\u202e exceeded",
    });
    expect(message + evidence.excerpt).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202e]/);
  });

  it("still finds signals at the head or the tail of a long text", () => {
    const filler = "lorem ipsum dolor ".repeat(600_000);
    expect(classify({ surface: "cli", message: `rate limit exceeded ${filler}` }).code).toBe("RateLimited");
    expect(classify({ surface: "cli", message: `${filler} prompt is too long: 3 tokens > 2 maximum` }).code).toBe(
      "ContextOverflow",
    );
  });

  it.each([
    [0, "Unclassified", "none"],
    [200_000, "Unclassified", "none"],
    [262_144, "RateLimited", "text"],
    [1_000_000, "RateLimited", "text"],
  ])(
    "reads JSON as data, whose prose says nothing, and a text that is too long for it as text (+%i)",
    (more, code, source) => {
      const body = JSON.stringify({ error: { code: "zzz" }, padding: "x".repeat(more), note: "rate limit exceeded" });
      expect(classify({ surface: "http", body })).toMatchObject({ code, evidence: { source } });
    },
  );

  it("cannot change the prototype of anything", () => {
    classify({ surface: "http", body: JSON.parse('{"__proto__":{"code":"polluted"},"constructor":{"name":"x"}}') });
    expect(({} as { code?: string }).code).toBeUndefined();
  });
});

describe("text made to be slow to search", () => {
  const MANY = 20_000;
  const EVIL: readonly string[] = [
    `Aa${"A".repeat(200_000)}_`,
    `Aa${"A".repeat(60)}_`,
    "Aa".repeat(MANY),
    "a_".repeat(MANY),
    "A_".repeat(MANY),
    "eyJa-".repeat(MANY),
    "sk-".repeat(MANY),
    "api_key".repeat(MANY),
    "token=".repeat(MANY),
    `x-api-key${" ".repeat(200_000)}:`,
    "a".repeat(260_000),
    "a-".repeat(MANY),
    "-----BEGIN PRIVATE KEY-----".repeat(MANY / 10),
    "https://".repeat(MANY),
    "//a:".repeat(MANY),
    `{"type":${'"\\'.repeat(MANY)}`,
    "status 429.".repeat(MANY),
    "error (".repeat(MANY),
    "try again in 1".repeat(MANY),
    "try again in 1s 1s 1s 1s 1s 1s 1s 1s ".repeat(MANY / 10),
    "resets at 1 ".repeat(MANY),
    "Limit 1, ".repeat(MANY),
    "[unavailable".repeat(MANY),
    "Error".repeat(MANY),
    "context length exceeded ".repeat(MANY),
    "\\".repeat(200_000),
    "\n".repeat(200_000),
  ];

  // Each takes a few milliseconds. A pattern that backtracks, or is quadratic, would not come back before the test's time is up.
  it.each(EVIL.map((text) => [`${text.slice(0, 24)}…`, text] as const))("%j", { timeout: 8_000 }, (_name, text) => {
    expectFault({ surface: "http", status: 429, headers: { "retry-after": text }, body: text, message: text });
    expectFault({ surface: "cli", message: `rate limit ${text}` });
    SHAPE_REDACTOR.text(text);
    SHAPE_REDACTOR.value({ text, nested: { text: [text] } });
  });
});
