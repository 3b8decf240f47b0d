// How classification believes: structure before words, causes before symptoms, nothing from the model's prose.

import { describe, expect, it } from "vitest";
import { classify, rulesWith, type Evidence, type FaultCode } from "../../../src/core/index.ts";

function codeOf(evidence: Evidence): FaultCode {
  return classify(evidence).code;
}

it.each([499, 500, 501, 502])("a message of %i characters is shown whole up to 500", (chars) => {
  const message = `${"word ".repeat(99)}${"x".repeat(chars - 495)}`;
  const { message: shown } = classify({ surface: "tool", message });
  expect(shown).toBe(chars <= 500 ? message : `${"word ".repeat(99)}…`);
});

describe("order of belief", () => {
  it("lets the caller's abort win over everything", () => {
    const evidence: Evidence = {
      surface: "http",
      status: 429,
      message: "rate limit",
      error: new Error("ECONNRESET"),
      aborted: true,
    };
    expect(classify(evidence)).toMatchObject({ code: "TurnCancelled", evidence: { source: "abort" } });
    expect(codeOf({ ...evidence, aborted: "session" })).toBe("SessionCancelled");
    expect(codeOf({ ...evidence, surface: "tool", aborted: "tool" })).toBe("ToolCancelled");
    expect(codeOf({ ...evidence, aborted: false })).not.toBe("TurnCancelled");
  });

  it.each<[string, Evidence, FaultCode]>([
    [
      "a quota dressed as a 429",
      { surface: "http", status: 429, body: { error: { type: "insufficient_quota" } } },
      "QuotaExhausted",
    ],
    [
      "an overflow dressed as a 500",
      { surface: "http", status: 500, body: { error: { message: "Context size has been exceeded." } } },
      "ContextOverflow",
    ],
    [
      "an overflow dressed as a rate limit",
      {
        surface: "http",
        status: 413,
        body: {
          error: {
            code: "rate_limit_exceeded",
            message: "Request too large for model on tokens per minute (TPM): Limit 6000, Requested 14368",
          },
        },
      },
      "ContextOverflow",
    ],
    [
      "a bad parameter dressed as a 429",
      {
        surface: "http",
        status: 429,
        body: { error: { type: "throttling_error", message: "Unknown parameter: '_litellm_rate_limit_descriptors'." } },
      },
      "RequestInvalid",
    ],
    [
      "a bad key dressed as a 400",
      { surface: "http", status: 400, body: { code: "400", error: "Incorrect API key provided: sk***XX." } },
      "AuthFailed",
    ],
    [
      "an error inside a 200",
      { surface: "http", status: 200, body: { choices: [], error: { code: 429, message: "Provider returned error" } } },
      "RateLimited",
    ],
    [
      "a warning before the cause",
      { surface: "cli", message: "Warning: no last-known-good\nAPI Error: 529 Overloaded" },
      "Overloaded",
    ],
    ["an empty 200", { surface: "http", status: 200, body: "" }, "AnswerUnreadable"],
    ["an unknown status", { surface: "http", status: 599 }, "Provider5xx"],
    ["nothing at all", { surface: "cli" }, "Unclassified"],
  ])("sees through %s", (_what, evidence, code) => {
    expect(codeOf(evidence)).toBe(code);
  });

  it("names its rule and what else nearly matched", () => {
    const fault = classify({
      surface: "http",
      status: 403,
      message: "You've used all available credits. Permission denied.",
    });
    expect(fault).toMatchObject({ code: "QuotaExhausted", evidence: { rule: "words/money", source: "text" } });
    expect(fault.evidence.nearly).toEqual(expect.arrayContaining(["words/no-access", "status/403"]));
  });

  it("calls the same cause by the tool's name on a tool's surface", () => {
    expect(codeOf({ surface: "http", status: 404 })).toBe("EndpointNotFound");
    expect(codeOf({ surface: "tool", status: 404 })).toBe("NotFound");
    expect(codeOf({ surface: "node", code: "ECONNREFUSED" })).toBe("NetworkDisconnect");
    expect(codeOf({ surface: "tool", code: "ECONNREFUSED" })).toBe("ToolUnavailable");
    expect(codeOf({ surface: "tool", status: 504 })).toBe("ExecutionTimeout");
  });
});

describe("digits and words that mean nothing", () => {
  it.each([
    "connect to 127.0.0.1:5030 established, request req_429503 done",
    "processed 429 rows in 503 ms",
    "ModuleNotFoundError: No module named 'networkx'",
    "sklearn/neural_network/_multilayer_perceptron.py:503: ConvergenceWarning",
    "line 429: author: Jane Forbiddenson",
    "parameter rate_limit_window accepted",
    "see https://example.com/docs/rate-limits and https://example.com/billing/quota for details",
    "pid 401 exited, 403 tokens used",
    "FAIL src/auth/unauthorized.test.ts",
    "src/overloaded.ts(3,1): error TS2304: Cannot find name 'x'.",
    "CONFLICT (content): Merge conflict in rate-limit.ts",
  ])("%s", (message) => {
    expect([
      "RateLimited",
      "Overloaded",
      "Provider5xx",
      "NetworkDisconnect",
      "AuthFailed",
      "AccessDenied",
      "QuotaExhausted",
    ]).not.toContain(codeOf({ surface: "cli", message }));
  });
});

describe("headers and fields that name the cause", () => {
  const observedAt = Date.UTC(2026, 10, 15, 12);
  const inTwoHours = observedAt + 7_200_000;

  it("takes a used-up plan window for a quota with its reset time, in a header as in an event", () => {
    const headers = {
      "anthropic-ratelimit-unified-status": "rejected",
      "anthropic-ratelimit-unified-reset": String(inTwoHours / 1000),
    };
    const body = {
      type: "error",
      error: { type: "rate_limit_error", message: "This request would exceed your account's rate limit." },
    };
    const answer: Evidence = { surface: "http", provider: "anthropic", status: 429, headers, body, observedAt };
    expect(classify(answer)).toMatchObject({ code: "QuotaExhausted", resetAt: inTwoHours });
    expect(codeOf({ ...answer, headers: { "anthropic-ratelimit-unified-status": "allowed" } })).toBe("RateLimited");
    const info = { status: "rejected", resetsAt: inTwoHours / 1000, rateLimitType: "five_hour" };
    const event = { type: "rate_limit_event", rate_limit_info: info };
    expect(classify({ surface: "cli", provider: "claude-cli", body: event, observedAt })).toMatchObject({
      code: "QuotaExhausted",
      resetAt: inTwoHours,
    });
  });

  it("reads the exception AWS names in a header, and a quota of nothing", () => {
    const headers = { "x-amzn-ErrorType": "ServiceQuotaExceededException:http://internal/" };
    expect(codeOf({ surface: "http", provider: "bedrock", status: 400, headers, body: { message: "no" } })).toBe(
      "QuotaExhausted",
    );
    const violations = [{ quotaId: "x", quotaValue: "0" }];
    expect(
      codeOf({ surface: "http", provider: "google", status: 429, body: { error: { details: [{ violations }] } } }),
    ).toBe("QuotaExhausted");
  });
});

describe("what a tool quotes", () => {
  it.each<[string, FaultCode]>([
    ["error: pathspec 'fix/rate-limit' did not match any file(s) known to git", "NotFound"],
    ['ERROR:  duplicate key value violates unique constraint "rate_limits_pkey"', "InputInvalid"],
    ["KeyError: 'context_length_exceeded'", "ExecutionFailed"],
    ["--- FAIL: TestOverloaded (0.00s)\n    x_test.go:10: got 503 service unavailable\nFAIL", "TestsFailed"],
    ["AssertionError: expected 429 to equal 200", "TestsFailed"],
    ["fatal: Another git process seems to be running in this repository", "ResourceBusy"],
  ])("%s → %s", (message, code) => {
    expect(codeOf({ surface: "tool", exitCode: 1, message })).toBe(code);
  });
});

describe("structure", () => {
  it("walks cause chains and AggregateErrors", () => {
    const refused = Object.assign(new Error("connect"), { code: "ECONNREFUSED" });
    expect(
      codeOf({ surface: "node", error: new TypeError("fetch failed", { cause: new AggregateError([refused], "") }) }),
    ).toBe("NetworkDisconnect");
    const tls = Object.assign(new Error("self"), { code: "SELF_SIGNED_CERT_IN_CHAIN" });
    expect(codeOf({ surface: "node", error: new Error("a", { cause: new Error("b", { cause: tls }) }) })).toBe(
      "TlsUntrusted",
    );
  });

  it("reads JSON nested in text nested in JSON", () => {
    const inner = JSON.stringify({ type: "error", error: { type: "overloaded_error", message: "Overloaded" } });
    const outer = JSON.stringify({ error: { code: 400, message: inner, status: "INVALID_ARGUMENT" } });
    expect(codeOf({ surface: "cli", message: `API Error: 400 ${outer}` })).toBe("Overloaded");
    expect(codeOf({ surface: "http", status: 400, body: outer })).toBe("Overloaded");
  });

  it("reads truncated JSON and Python's repr", () => {
    expect(codeOf({ surface: "cli", message: 'Error: {"error":{"message":"x","type":"insufficient_quota","pa' })).toBe(
      "QuotaExhausted",
    );
    expect(codeOf({ surface: "node", message: "{'error': {'type': 'insufficient_quota', 'param': None}}" })).toBe(
      "QuotaExhausted",
    );
  });

  it("reads a proxy's HTML by its status", () => {
    expect(
      codeOf({ surface: "http", status: 522, body: "<!DOCTYPE html><title>x | 522: Connection timed out</title>" }),
    ).not.toBe("Unclassified");
    expect(
      codeOf({
        surface: "cli",
        message: "unexpected status 502 Bad Gateway: <html><center>cloudflare</center></html>",
      }),
    ).toBe("Provider5xx");
  });

  it("never reads the model's prose", () => {
    const prose = "I hit a 429 rate limit and the context length was exceeded; invalid_api_key.";
    expect(
      codeOf({
        surface: "http",
        status: 200,
        body: { choices: [{ finish_reason: "stop", message: { content: prose } }] },
      }),
    ).toBe("Unclassified");
    expect(codeOf({ surface: "cli", exitCode: 0, body: { type: "result", is_error: false, result: prose } })).toBe(
      "Unclassified",
    );
    expect(
      codeOf({ surface: "cli", body: { type: "result", is_error: true, result: "API Error: 529 Overloaded" } }),
    ).toBe("Overloaded");
    expect(
      codeOf({
        surface: "mcp",
        body: { isError: true, content: [{ type: "text", text: "MCP error -32602: Tool x not found" }] },
      }),
    ).toBe("NotFound");
  });

  it("reads the answer inside a client's error and a stream's last event", () => {
    const axios = {
      name: "AxiosError",
      message: "Request failed with status code 400",
      config: { data: "rate limit" },
      response: {
        status: 400,
        data: { error: { type: "invalid_request_error", message: "prompt is too long: 5 tokens > 4 maximum" } },
      },
    };
    expect(codeOf({ surface: "node", error: axios })).toBe("ContextOverflow");
    const failed = {
      type: "response.failed",
      response: { status: "failed", error: { code: "insufficient_quota", message: "Quota exceeded." } },
    };
    expect(codeOf({ surface: "sse", provider: "openai", status: 200, body: failed })).toBe("QuotaExhausted");
    const cut = { type: "response.incomplete", response: { incomplete_details: { reason: "max_output_tokens" } } };
    expect(codeOf({ surface: "sse", provider: "openai", status: 200, body: cut })).toBe("OutputTruncated");
  });

  it("tells one denial from a loop of them", () => {
    const denial = { tool_name: "Bash" };
    expect(codeOf({ surface: "cli", exitCode: 0, body: { permission_denials: [denial] } })).toBe("Forbidden");
    expect(codeOf({ surface: "cli", exitCode: 0, body: { permission_denials: [denial, denial, denial] } })).toBe(
      "PermissionLoop",
    );
    expect(codeOf({ surface: "cli", exitCode: 0, body: { permission_denials: [] } })).toBe("Unclassified");
  });

  it("remembers a server that forbids retrying", () => {
    expect(
      classify({ surface: "http", status: 500, headers: { "x-should-retry": "false" } }).context["shouldRetry"],
    ).toBe(false);
  });
});

describe("surfaces that tell", () => {
  it("calls every failure of the store by one name, and every rejected output by another", () => {
    expect(codeOf({ surface: "store", code: "SQLITE_BUSY", message: "database is locked" })).toBe("StoreUnavailable");
    expect(codeOf({ surface: "store", code: "ENOSPC" })).toBe("StoreUnavailable");
    expect(codeOf({ surface: "schema", message: "/reason must be string, got: rate limit exceeded" })).toBe(
      "SchemaInvalid",
    );
    expect(codeOf({ surface: "schema", body: "" })).toBe("EmptyOutput");
  });

  it("still sees a provider's failure behind a rejected output", () => {
    expect(codeOf({ surface: "schema", stopReason: "length", message: "Unexpected end of JSON input" })).toBe(
      "OutputTruncated",
    );
    expect(codeOf({ surface: "schema", error: Object.assign(new Error("x"), { code: "ECONNRESET" }) })).toBe(
      "NetworkDisconnect",
    );
    expect(codeOf({ surface: "schema", body: { error: { type: "overloaded_error" } } })).toBe("Overloaded");
  });
});

describe("words in a rule", () => {
  const rules = rulesWith([
    {
      id: "near",
      when: { says: [["cache"], ["cold", "empty*"]], within: 20, unless: ["harmless"] },
      means: "ResourceBusy",
      example: "the cache is cold",
    },
  ]);
  const ruleOf = (message: string): string => classify({ surface: "cli", message }, rules).evidence.rule;

  it.each([
    ["near each other, in either order", "The CACHE is cold", "near"],
    ["in the other order", "emptying a cache", "near"],
    ["written with other white space and marks", "the `cache`\n  is_cold", "near"],
    ["too far apart", "the cache of the second machine in the rack is cold", "none"],
    ["only one of two", "the cache is warm", "none"],
    ["inside longer words", "the cachet is coldish", "none"],
    ["with a forbidden one", "a harmless cold cache", "none"],
    ["in a URL only", "see https://example.com/cache/cold for more", "none"],
  ])("%s", (_how, message, rule) => {
    expect(ruleOf(message)).toBe(rule);
  });
});

describe("a rule that only forbids words", () => {
  const rules = rulesWith([
    { id: "tool/other", when: { surface: ["tool"], unless: ["known"] }, means: "NotFound", example: "what is this" },
  ]);

  it.each([
    ["what is this", "tool/other"],
    ["a known thing", "none"],
    ["an unknown thing", "tool/other"],
  ])("makes of %j %s", (message, rule) => {
    expect(classify({ surface: "tool", message }, rules).evidence.rule).toBe(rule);
  });
});

describe("own rules", () => {
  const rules = rulesWith([
    {
      id: "tool/503",
      when: { status: [503], surface: ["tool"] },
      means: "ExecutionFailed",
      example: { surface: "tool", status: 503 },
    },
    { id: "tool/words", when: { says: [["out of stock"]] }, means: "NotFound", example: "Out of stock" },
  ]);

  it("precede the built-in ones", () => {
    expect(classify({ surface: "tool", status: 503 }, rules)).toMatchObject({
      code: "ExecutionFailed",
      evidence: { rule: "tool/503" },
    });
    expect(classify({ surface: "http", status: 503 }, rules).code).toBe("Overloaded");
    expect(classify({ surface: "tool", message: "Item is OUT OF STOCK" }, rules).code).toBe("NotFound");
    expect(classify({ surface: "tool", status: 503 }).code).toBe("ToolUnavailable");
  });

  it("win with words even over a built-in rule that needs none", () => {
    const body = { error: { type: "overloaded_error", message: "out of stock" } };
    expect(classify({ surface: "http", body }, rules)).toMatchObject({
      code: "NotFound",
      evidence: { source: "text", nearly: ["id/overloaded"] },
    });
    expect(classify({ surface: "http", body }).code).toBe("Overloaded");
  });
});

describe("a process that ended", () => {
  it.each<[Evidence, true | undefined]>([
    [{ surface: "tool", exitCode: 0, message: "429 Too Many Requests" }, undefined],
    [{ surface: "tool", exitCode: 1, message: "429 Too Many Requests" }, true],
    [{ surface: "tool", exitCode: 2 }, true],
    [{ surface: "tool", exitCode: 126, message: "permission denied" }, undefined],
    [{ surface: "tool", exitCode: 127, message: "sh: 1: jq: not found" }, undefined],
    [{ surface: "tool", signal: "SIGKILL" }, true],
    [{ surface: "tool", message: "429 Too Many Requests" }, undefined],
    [{ surface: "cli", exitCode: 1, message: "429 Too Many Requests" }, undefined],
  ])("may have done its work if it was a tool that started: %o", (evidence, ran) => {
    expect(classify(evidence).context["ran"]).toBe(ran);
  });
});

describe("the length of a wait", () => {
  const reset = (wait: string): string =>
    `You have exhausted your capacity on this model. Your quota will reset after ${wait}.`;
  const tier = (seconds: number): string =>
    `You have exceeded the call rate limit of your pricing tier. Please retry after ${seconds} seconds.`;

  it.each<[string, FaultCode]>([
    [reset("1ms"), "RateLimited"],
    [reset("300s"), "RateLimited"],
    [reset("300.001s"), "QuotaExhausted"],
    [tier(21_599), "RateLimited"],
    [tier(21_600), "QuotaExhausted"],
  ])("tells a rate limit from a quota: %s", (message, code) => {
    expect(codeOf({ surface: "http", status: 429, message })).toBe(code);
  });
});

describe("a large answer", () => {
  /** An array with this many objects in it, itself included, at most 16 to an array. */
  function objects(count: number): unknown[] {
    const groups = Math.ceil((count - 1) / 17);
    const leaves = count - 1 - groups;
    return Array.from({ length: groups }, (_, group) =>
      Array.from({ length: Math.min(16, leaves - 16 * group) }, () => ({})),
    );
  }

  it.each<[number, FaultCode]>([
    [397, "QuotaExhausted"],
    [398, "Unclassified"],
  ])("is read up to its 400th object: a cause behind %d others is %s", (others, code) => {
    const body = [objects(200), objects(others - 200), { error: { type: "insufficient_quota" } }];
    expect(codeOf({ surface: "http", body })).toBe(code);
  });
});

describe("a failure inside lists", () => {
  const inLists = (count: number): unknown =>
    count === 0 ? { error: { type: "overloaded_error" } } : [inLists(count - 1)];

  it.each([
    [0, "Overloaded"],
    [12, "Overloaded"],
    [20, "Unclassified"],
  ])("is found within %i of them: %s", (count, code) => {
    expect(classify({ surface: "http", body: inLists(count) }).code).toBe(code);
  });
});
