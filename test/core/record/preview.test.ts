// What a short look shows of any value.

import { describe, expect, it } from "vitest";
import { createRedactor } from "../../../src/core/index.ts";
import { hasJsonForm, preview } from "../../../src/core/record/preview.ts";

const SECRET = "planted-Zq81";
const items = (count: number): readonly number[] => Array.from({ length: count }, (_one, index) => index);
const fields = (count: number): object => Object.fromEntries(items(count).map((index) => [`f${index}`, index]));
const nested = (depth: number, inner: unknown): unknown => (depth === 0 ? inner : { in: nested(depth - 1, inner) });
const listed = (depth: number, inner: unknown): unknown => (depth === 0 ? inner : [listed(depth - 1, inner)]);

describe("a short look at a value", () => {
  it.each<[string, unknown, unknown]>([
    ["nothing", undefined, null],
    ["null", null, null],
    ["a boolean", false, false],
    ["a number", 7, 7],
    ["a text", "plain", "plain"],
    ["a secret", `of ${SECRET}`, "of [redacted]"],
    ["a function", () => 1, "[function]"],
    ["a symbol", Symbol("s"), "[symbol]"],
    ["a large number", 7n, "[bigint]"],
    ["bytes", new Uint8Array(5), "[5 bytes]"],
    ["a view of bytes", new DataView(new ArrayBuffer(9)), "[9 bytes]"],
    ["a date", new Date(0), "1970-01-01T00:00:00.000Z"],
    ["what has a form of its own", { toJSON: () => ({ shown: 1 }), hidden: 2 }, { shown: 1 }],
    [
      "what cannot make its form",
      {
        toJSON: () => {
          throw new Error("no");
        },
      },
      null,
    ],
    ["a field of that name that is none", { toJSON: 1 }, { toJSON: 1 }],
    ["a text of 400 characters", "a".repeat(400), "a".repeat(400)],
    ["a text of 401", "a".repeat(401), `${"a".repeat(400)}… (401 characters)`],
    ["the longest text that is read", "a".repeat(65_536), `${"a".repeat(400)}… (65536 characters)`],
    ["a longer one", "a".repeat(65_537), "[65537 characters]"],
    ["twelve items", items(12), items(12)],
    ["thirteen", items(13), [...items(12), "… 1 more"]],
    ["twelve fields", fields(12), fields(12)],
    ["fourteen", fields(14), { ...fields(12), "…": "2 more" }],
    ["a secret as the name of a field", { [SECRET]: 1 }, { "[redacted]": 1 }],
    ["an object four deep", nested(4, { a: 1 }), nested(4, "{…}")],
    ["a text four deep", nested(4, "here"), nested(4, "here")],
    ["a list four deep", listed(4, [1, 2]), listed(4, "[2 items]")],
    ["a form of its own four deep", nested(3, new Date(0)), nested(3, "1970-01-01T00:00:00.000Z")],
    ["what a form of its own shows, one deeper", { toJSON: () => nested(3, { a: 1 }) }, nested(3, "{…}")],
    [
      "what cannot be asked for its form",
      new Proxy(
        { a: 1 },
        {
          has: () => {
            throw new Error("no");
          },
        },
      ),
      { a: 1 },
    ],
    [
      "what throws when it is read",
      new Proxy(
        {},
        {
          ownKeys: () => {
            throw new Error("no");
          },
        },
      ),
      "[unreadable]",
    ],
  ])("of %s", (_what, value, shown) => {
    expect(preview(value, createRedactor([SECRET]))).toEqual(shown);
  });
});

it("a value has a form in JSON unless it is a ring or holds a large number", () => {
  const ring: Record<string, unknown> = {};
  ring["self"] = ring;
  expect([{ a: 1 }, undefined, ring, [7n]].map(hasJsonForm)).toEqual([true, true, false, false]);
});
