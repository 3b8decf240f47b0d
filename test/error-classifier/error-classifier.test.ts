// The CLI error classifier, case by case as its specification lists them.

import { describe, expect, expectTypeOf, it } from "vitest";
import { classifyError, type ErrorCategory } from "../../src/error-classifier/index.ts";

describe("retryable", () => {
  it.each([
    "rate limit exceeded",
    "rate_limit exceeded",
    "Rate Limit Exceeded",
    "ratelimit error",
    "HTTP 429 Too Many Requests",
    "HTTP 503 Service Unavailable",
    "API is overloaded",
    "connect ETIMEDOUT 10.0.0.1:443",
    "read ECONNRESET",
    "connect ECONNREFUSED 127.0.0.1:443",
    "network error occurred",
    "NETWORK ERROR",
    "OverLoaded",
  ])("%s", (message) => {
    expect(classifyError(message)).toBe("retryable");
  });
});

describe("context_overflow", () => {
  it.each([
    "context length exceeded",
    "context_length exceeded",
    "context window exceeded",
    "context_window exceeded",
    "context overflow error",
    "context_overflow detected",
    "too many tokens in request",
    "maximum context length reached",
    "token limit exceeded",
    "token_limit reached",
    "Context Window Exceeded",
  ])("%s", (message) => {
    expect(classifyError(message)).toBe("context_overflow");
  });
});

describe("fatal", () => {
  it.each([
    "HTTP 401 Unauthorized",
    "HTTP 403 Forbidden",
    "unauthorized access",
    "forbidden resource",
    "invalid key provided",
    "invalid_key: abc",
    "authentication failed",
    "something went wrong",
    "",
    "timeout",
    "aborted",
    "startup timeout",
  ])("%j", (message) => {
    expect(classifyError(message)).toBe("fatal");
  });
});

describe("the first list that matches wins", () => {
  it.each<[string, ErrorCategory]>([
    ["429 unauthorized", "retryable"],
    ["network context length exceeded", "retryable"],
    ["context length 401", "context_overflow"],
  ])("%s → %s", (message, category) => {
    expect(classifyError(message)).toBe(category);
  });
});

it("has timeout and aborted in its type, for those who run the process", () => {
  expectTypeOf<ErrorCategory>().toEqualTypeOf<"retryable" | "fatal" | "context_overflow" | "timeout" | "aborted">();
  expectTypeOf(classifyError).toEqualTypeOf<(message: string) => ErrorCategory>();
});
