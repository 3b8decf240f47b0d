// Names by cause, as classes: what is said not to be the cause, identifiers in every spelling, and whose memory it was.

import { describe, expect, it } from "vitest";
import { classify } from "../../../src/core/index.ts";

describe("a cause that is denied", () => {
  const CAUSES = ["usage limit reached", "rate limit exceeded", "invalid api key", "context window exceeded"];
  const DENIALS = ["not your", "not a", "not due to", "not related to", "isn't a"];

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
