// A failure that was wrapped is the same failure: same class, same code, worth a retry or not, as before.

import { describe, expect, it } from "vitest";
import { classify, fault, FAULT_CODES, FaultError, traitsOf } from "../../../src/core/index.ts";

const inner = (error: unknown): Error => new Error("while planning", { cause: error });

/** What libraries and programs put around an error. */
const WRAPPERS: readonly (readonly [string, (error: unknown) => unknown])[] = [
  ["nothing", (error) => error],
  ["a cause", inner],
  ["causes three deep", (error) => inner(inner(inner(error)))],
  ["an AggregateError", (error) => new AggregateError([new Error("and this"), error], "several")],
  ["a cause in an AggregateError in a cause", (error) => inner(new AggregateError([inner(error)]))],
  ["the AI SDK's RetryError", (error) => Object.assign(new Error("failed after 3 attempts"), { lastError: error })],
  ["a message that names another cause", (error) => new Error("429 rate limit exceeded", { cause: error })],
  ["an error with another code", (error) => Object.assign(inner(error), { code: "ECONNREFUSED", status: 401 })],
];

describe("a fault in a wrapper", () => {
  describe.each(WRAPPERS)("of %s", (_name, wrap) => {
    it.each(["node", "tool", "http", "mcp"] as const)(
      "stays what it was, on the surface %s, whatever its code",
      (surface) => {
        for (const code of FAULT_CODES) {
          const seen = classify({ surface, error: wrap(new FaultError(fault(code, { retryAfterMs: 7 }))) });
          const { class: of, retryable } = traitsOf(code);
          expect([seen.class, seen.code, seen.retryAfterMs, traitsOf(seen.code).retryable]).toEqual([
            of,
            code,
            7,
            retryable,
          ]);
        }
      },
    );
  });
});

/** Errors as they are thrown, with what they mean. */
const THROWN = [
  [{ status: 429, headers: { "retry-after": "7" } }, "RateLimited"],
  [{ status: 401 }, "AuthFailed"],
  [{ status: 529 }, "Overloaded"],
  [{ code: "ECONNRESET" }, "NetworkDisconnect"],
  [{ code: "SELF_SIGNED_CERT_IN_CHAIN" }, "TlsUntrusted"],
] as const;

describe("an error in a wrapper", () => {
  const [plain, ...wrappers] = WRAPPERS.slice(0, 6);
  it.each(THROWN)("%j is what it is alone, in every wrapper: %s", (fields, code) => {
    for (const [name, wrap] of [plain, ...wrappers].filter((one) => one !== undefined))
      expect(classify({ surface: "http", error: wrap(Object.assign(new Error("no"), fields)) }).code, name).toBe(code);
  });
});
