// Proves that a manifest's classification really wins over the built-in rules, and never loses sight of work that may have been done.

import { describe, expect, it } from "vitest";
import {
  classify,
  decide,
  DEFAULT_POLICY,
  type Evidence,
  type Fault,
  type FaultCode,
  rulesWith,
  situation,
  traitsOf,
} from "../../src/core/index.ts";
import { manifestIn, manifestsOf, rowsWith } from "../support/tool-text.ts";

/** What a failure is called with these rows in force. */
function seen(row: string | readonly string[], evidence: Evidence): Fault {
  const rows = typeof row === "string" ? [row] : row;
  return classify(evidence, rulesWith(manifestIn(rowsWith(...rows)).rules));
}

const named = (name: string, message: string, fields: object = {}): Error =>
  Object.assign(new Error(message), { name }, fields);

describe("a status", () => {
  it.each<[what: string, evidence: Evidence]>([
    ["in the answer", { surface: "tool", status: 503 }],
    [
      "beside an identifier the built-in rules know",
      { surface: "http", status: 503, body: { error: { type: "overloaded_error" } } },
    ],
    [
      "beside words the built-in rules know",
      { surface: "tool", status: 503, message: "rate limit exceeded, try again in 3 s" },
    ],
    [
      "in an error's response",
      { surface: "tool", error: named("HTTPError", "failed", { response: { statusCode: 503 } }) },
    ],
    ["in the words of an error", { surface: "tool", error: new Error("Request failed with status code 503") }],
    [
      "in the words of an error whose name the built-in rules know",
      { surface: "tool", error: named("ServiceUnavailableException", "HTTP 503") },
    ],
    [
      "in the words of an error with an errno",
      { surface: "tool", error: named("Error", "HTTP 503", { code: "ECONNRESET" }) },
    ],
    ["on standard error of a process that was killed", { surface: "tool", exitCode: 137, message: "HTTP 503" }],
    [
      "in an MCP server's answer",
      { surface: "mcp", body: { isError: true, content: [{ type: "text", text: "HTTP 503" }] } },
    ],
  ])("wins %s", (_what, evidence) => {
    const fault = seen("status: 503, as: permanent", evidence);
    expect(fault.evidence.rule).toBe("tool/a#1");
    expect(traitsOf(fault.code).retryable).toBe(false);
  });

  it("leaves other statuses as they are", () => {
    const evidence: Evidence = { surface: "tool", status: 502 };
    expect(seen("status: 503, as: permanent", evidence)).toMatchObject({ code: classify(evidence).code });
  });
});

describe("an error code", () => {
  it.each<[what: string, code: string, evidence: Evidence]>([
    ["of the failure", "E_BUSY", { surface: "tool", code: "E_BUSY" }],
    ["in lower case", "E_BUSY", { surface: "tool", error: { code: "e_busy" } }],
    ["of a cause", "E_BUSY", { surface: "tool", error: new Error("no", { cause: { code: "E_BUSY" } }) }],
    ["that leads a message", "E_BUSY", { surface: "tool", error: new Error("E_BUSY: seat map is locked") }],
    ["inside a message", "ORA-00054", { surface: "tool", message: "lock failed (ORA-00054)" }],
    [
      "as a field of an answer",
      "seat_locked",
      { surface: "mcp", body: { isError: true, error: { error_code: "SEAT_LOCKED" } } },
    ],
    [
      "of JSON-RPC",
      "-32001",
      { surface: "mcp", body: { jsonrpc: "2.0", id: 1, error: { code: -32_001, message: "x" } } },
    ],
    ["the built-in rules know", "ENOSPC", { surface: "tool", code: "ENOSPC", message: "no space left on device" }],
  ])("wins when it is one %s", (_what, code, evidence) => {
    const fault = seen(`error_code: ${code}, as: InputInvalid`, evidence);
    expect(fault.evidence.rule).toMatch(/^tool\/a#1(?:-text)?$/);
    expect(fault.code).toBe("InputInvalid");
  });

  it("that could be prose is not looked for in words", () => {
    for (const code of ["timeout", "not_found", "1205"]) {
      const evidence: Evidence = { surface: "tool", message: "user not found, timeout after 1205 ms" };
      expect(seen(`error_code: "${code}", as: InputInvalid`, evidence).evidence.rule).not.toMatch(/^tool\//);
    }
  });
});

describe("a text", () => {
  const row = 'text: "seat map is being rebuilt", as: transient';

  it.each<[what: string, evidence: Evidence]>([
    ["as the message", { surface: "tool", message: "The seat map is being rebuilt." }],
    ["in any letter case and spacing", { surface: "tool", error: new Error("SEAT  MAP\nis being rebuilt") }],
    [
      "beside a status and an identifier",
      {
        surface: "tool",
        status: 400,
        body: { error: { type: "invalid_request_error", message: "Seat map is being rebuilt" } },
      },
    ],
    [
      "in an MCP server's answer",
      { surface: "mcp", body: { isError: true, content: [{ type: "text", text: "seat map is being rebuilt" }] } },
    ],
    ["beside an errno", { surface: "tool", error: named("Error", "seat map is being rebuilt", { code: "EACCES" }) }],
  ])("wins %s", (_what, evidence) => {
    expect(seen(row, evidence)).toMatchObject({ code: "ToolUnavailable", evidence: { rule: "tool/a#1" } });
  });

  it("matches whole words only", () => {
    expect(seen("text: seat map, as: transient", { surface: "tool", message: "bad seat mapping" }).code).toBe(
      "Unclassified",
    );
  });

  it("is taken literally: a star at its end is not a wildcard", () => {
    expect(seen('text: "seat*", as: transient', { surface: "tool", message: "no seats" }).code).toBe("Unclassified");
  });
});

describe("rows", () => {
  it("are asked in their order", () => {
    const rows = ["status: 503, text: seat map, as: transient", "status: 503, as: permanent"];
    expect(seen(rows, { surface: "tool", status: 503, message: "seat map gone" }).evidence.rule).toBe("tool/a#1");
    expect(seen(rows, { surface: "tool", status: 503, message: "gone" }).evidence.rule).toBe("tool/a#2");
  });

  it("hold only if each of their conditions does", () => {
    const row = "status: 503, error_code: E_BUSY, text: seat map, as: InputInvalid";
    const all: Evidence = { surface: "tool", status: 503, code: "E_BUSY", message: "seat map" };
    expect(seen(row, all).code).toBe("InputInvalid");
    expect(seen(row, { ...all, status: 500 }).code).not.toBe("InputInvalid");
    expect(seen(row, { ...all, code: "E_OTHER" }).code).not.toBe("InputInvalid");
    expect(seen(row, { ...all, message: "map" }).code).not.toBe("InputInvalid");
    expect(seen(row, { surface: "tool", status: 503, message: "E_BUSY seat map" }).code).toBe("InputInvalid");
  });

  it("of each tool recognise their own example, and their names are unique", () => {
    const source = ["a", "b"]
      .map((id) =>
        rowsWith(
          "status: 503, as: permanent",
          "error_code: E_BUSY, as: transient",
          "text: seat map, as: NotFound",
        ).replace("id: a", `id: ${id}`),
      )
      .join("---\n");
    const manifests = manifestsOf(source);
    const ids = manifests.flatMap(({ rules }) => rules.map(({ id }) => id));
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids).toHaveLength(8);
    for (const { rules } of manifests) {
      for (const { id, means, example } of rules) {
        if (typeof example === "string") throw new Error("an example of a manifest is evidence");
        expect(classify(example, rulesWith(rules))).toMatchObject({ code: means, evidence: { rule: id } });
      }
    }
  });

  it("do not hide a cancellation that the caller's signal tells by itself", () => {
    const fault = seen(["text: seat map, as: transient", "error_code: E_BUSY, as: transient"], {
      surface: "tool",
      aborted: "tool",
      code: "E_BUSY",
      message: "seat map",
    });
    expect(fault.code).toBe("ToolCancelled");
  });
});

describe("transient and permanent", () => {
  it.each<[row: string, code: FaultCode]>([
    // Already so: the built-in code stays, and what it knows.
    ["status: 503, as: transient", "ToolUnavailable"],
    ["status: 429, as: transient", "RateLimited"],
    ["status: 504, as: transient", "ExecutionTimeout"],
    ["status: 404, as: permanent", "NotFound"],
    ["error_code: EBUSY, as: transient", "ResourceBusy"],
    // Otherwise: whether the work may have been done stays as it is.
    ["status: 503, as: permanent", "Unsupported"],
    ["status: 429, as: permanent", "Unsupported"],
    ["status: 500, as: permanent", "ExecutionFailed"],
    ["status: 504, as: permanent", "ExecutionFailed"],
    ["status: 404, as: transient", "ToolUnavailable"],
    ["error_code: -32603, as: transient", "Provider5xx"],
    ["status: 499, as: permanent", "ExecutionFailed"],
    // Known to the manifest alone.
    ["error_code: E_BUSY, as: transient", "ToolUnavailable"],
    ["text: seat map is being rebuilt, as: transient", "ToolUnavailable"],
    ["text: seat map is gone, as: permanent", "ExecutionFailed"],
    // A code is a code.
    ["status: 503, as: QuotaExhausted", "QuotaExhausted"],
  ])("%s means %s", (row, code) => {
    expect(manifestIn(rowsWith(row)).rules[0]?.means).toBe(code);
  });

  it.each(["transient", "permanent"] as const)(
    "%s always says so, for every status, and never that nothing was done when something may have been",
    (as) => {
      for (let status = 400; status < 600; status++) {
        const builtIn = traitsOf(classify({ surface: "tool", status }).code);
        const known = classify({ surface: "tool", status }).evidence.rule !== "none";
        const traits = traitsOf(seen(`status: ${status}, as: ${as}`, { surface: "tool", status }).code);
        expect([status, traits.retryable, traits.cancels]).toEqual([status, as === "transient", false]);
        if (known) expect([status, traits.mayHaveHappened]).toEqual([status, builtIn.mayHaveHappened]);
      }
    },
  );

  it("decide what is done: a permanent 503 goes to the alternative at once, a permanent 504 that may have booked does not", () => {
    const after = (row: string, status: number): string =>
      decide(
        situation(seen(row, { surface: "tool", status }), {
          place: { surface: "tool", provider: "", tool: "a", stage: "" },
          alternatives: ["b"],
          offers: new Set(["alternative", "surface", "fail"]),
        }),
        DEFAULT_POLICY,
      ).recourse;
    expect(after("status: 500, as: permanent", 503)).toBe("retry");
    expect(after("status: 503, as: permanent", 503)).toBe("alternative");
    expect(after("status: 504, as: permanent", 504)).toBe("surface");
    expect(after("status: 404, as: transient", 404)).toBe("retry");
  });
});
