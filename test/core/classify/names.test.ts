// Names by cause, as classes: what is said not to be the cause, identifiers in every spelling, and whose memory it was.

import { describe, expect, it } from "vitest";
import { classify } from "../../../src/core/index.ts";

describe("a cause that is denied", () => {
  const CAUSES = [
    ...["usage limit reached", "rate limit exceeded", "quota exceeded", "invalid api key", "context window exceeded"],
    ...["model not found", "content filter", "insufficient permissions"],
  ];
  const DENIALS = [
    ...["not your", "not a", "not the", "not due to", "not related to", "not caused by", "not because of", "not about"],
    ...["isn't a", "isn't your", "never a", "unrelated to", "rather than"],
  ];

  it.each(DENIALS.flatMap((denial) => CAUSES.map((cause) => [denial, cause] as const)))(
    "%s %s does not name the fault",
    (denial, cause) => {
      const named = classify({ surface: "http", message: cause });
      const denied = classify({ surface: "http", status: 529, message: `Overloaded (${denial} ${cause})` });
      expect(named.code).not.toBe("Unclassified");
      expect(denied.code).toBe("Overloaded");
    },
  );
});

describe("an identifier that names one cause", () => {
  const WORDS = [
    "rate limit exceeded",
    "quota exceeded",
    "invalid api key",
    "context window exceeded",
    "model not found",
  ];
  const TYPED: readonly (readonly [code: string, type: string, status: number])[] = [
    ["AuthFailed", "authentication_error", 401],
    ["QuotaExhausted", "insufficient_quota", 429],
    ["ContextOverflow", "context_length_exceeded", 400],
    ["ModelNotFound", "model_not_found", 404],
    ["Overloaded", "overloaded_error", 529],
    ["ContentFiltered", "content_filter", 400],
    ["NetworkTimeout", "timeout_error", 504],
  ];

  it.each(TYPED.flatMap(([code, type, status]) => WORDS.map((words) => [code, type, words, status] as const)))(
    "%s: %s is believed before the words %s",
    (code, type, words, status) => {
      const body = { type: "error", error: { type, message: `Something failed: ${words}` } };
      expect(classify({ surface: "http", status, body }).code).toBe(code);
    },
  );

  it.each(["invalid api key", "authentication failed", "not logged in", "model not found", "invalid request"])(
    "AccessDenied: permission_error with 403 is believed before the words %s",
    (words) => {
      const body = { type: "error", error: { type: "permission_error", message: `Something failed: ${words}` } };
      expect(classify({ surface: "http", status: 403, body }).code).toBe("AccessDenied");
    },
  );

  it.each([
    ["AuthFailed", 401],
    ["AccessDenied", 403],
    ["EndpointNotFound", 404],
    ["RateLimited", 429],
    ["RequestInvalid", 400],
  ] as const)("is not invalid_request_error: %s by its status %i", (code, status) => {
    const body = { error: { type: "invalid_request_error", message: "That did not work." } };
    expect(classify({ surface: "http", status, body }).code).toBe(code);
  });

  it.each([400, 401, 403, 404, 429, 500, 502, 503])("finds no unreadable answer behind the status %i", (status) => {
    const message = "Unexpected token '<', \"<!DOCTYPE \"... is not valid JSON";
    expect(classify({ surface: "http", status, message }).code).not.toMatch(/AnswerUnreadable|SchemaInvalid/);
  });
});

describe("an identifier that no table has", () => {
  it.each([
    ["RateLimited", "user rate limit exceeded", 400],
    ["QuotaExhausted", "monthly limit exceeded", 400],
    ["AuthFailed", "invalid bearer token", 400],
    ["ModelNotFound", "model not exist", 400],
    ["ContextOverflow", "max context length exceeded", 400],
  ] as const)("is read as words: %s from %s", (code, words, status) => {
    const parts = words.split(" ");
    const camel = parts.map((part) => part.charAt(0).toUpperCase() + part.slice(1)).join("");
    for (const name of [parts.join("_"), parts.join("-"), parts.join("."), camel, parts.join("_").toUpperCase()]) {
      const body = { error: { code: name, message: "Error" } };
      expect({ name, code: classify({ surface: "http", status, body }).code }).toEqual({ name, code });
    }
  });

  it("says no more than the status where it is only a server's shrug", () => {
    const error = { name: "InternalServerError", message: "503 status code (no body)" };
    expect(classify({ surface: "http", status: 503, error }).code).toBe("Overloaded");
  });
});

describe("memory that ran out", () => {
  it.each([502, 503, 504])("behind a gateway (%i) is the provider's", (status) => {
    const message = "CUDA out of memory. Tried to allocate 2.00 GiB";
    expect(classify({ surface: "http", status, body: { error: { message } } }).code).toBe("Provider5xx");
  });

  it("in a tool's own process is a crash", () => {
    expect(classify({ surface: "tool", message: "RuntimeError: CUDA out of memory." }).code).toBe("ProcessCrashed");
  });
});
