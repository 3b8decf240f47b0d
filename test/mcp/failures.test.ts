// What failures of a connection mean, and which of them end it: the rows with their own examples, and errors the client throws.

import { StreamableHTTPError } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { McpError } from "@modelcontextprotocol/sdk/types.js";
import { describe, expect, it } from "vitest";
import { classify, rulesWith, traitsOf } from "../../src/core/index.ts";
import { CALL_RULES, CONNECT_RULES, isAnswered, isConnectionLoss, toolSaidNo } from "../../src/mcp/failures.ts";
import { loadMcpSdk } from "../../src/mcp/sdk.ts";

await loadMcpSdk();

describe("rows", () => {
  it.each(CONNECT_RULES.map((rule) => [rule.id, rule] as const))(
    "%s recognises its example",
    (id, { example, means }) => {
      const evidence = typeof example === "string" ? { surface: "mcp" as const, message: example } : example;
      expect(classify(evidence, rulesWith(CONNECT_RULES))).toMatchObject({ code: means, evidence: { rule: id } });
    },
  );

  it("for calls name only what did not run", () => {
    for (const { means } of CALL_RULES) expect(traitsOf(means).mayHaveHappened).toBe(false);
  });
});

const errno = (code: string): Error =>
  new TypeError("fetch failed", { cause: Object.assign(new Error(code), { code }) });

// prettier-ignore
const LOSSES: readonly (readonly [string, unknown, boolean])[] = [
  ["a connection that is refused",              errno("ECONNREFUSED"), true],
  ["a connection that is reset",                errno("ECONNRESET"), true],
  ["a pipe without a reader",                   Object.assign(new Error("write EPIPE"), { code: "EPIPE" }), true],
  ["a client without a connection",             new Error("Not connected"), true],
  ["a session the server has forgotten",        new StreamableHTTPError(404, "Error POSTing to endpoint: Session not found"), true],
  ["a session the server never knew",           new StreamableHTTPError(400, "Error POSTing to endpoint: Bad Request: No valid session ID provided"), true],
  ["a page that is not there",                  new StreamableHTTPError(404, "Error POSTing to endpoint: no such page"), false],
  ["an overloaded server",                      new StreamableHTTPError(503, "Error POSTing to endpoint: busy"), false],
  ["a key that is refused",                     new StreamableHTTPError(401, "Error POSTing to endpoint: no"), false],
  ["a server's word about another connection",  new McpError(-32_603, "connection reset by peer"), false],
  ["a request that took too long",              new McpError(-32_001, "Request timed out"), false],
  ["noise on the output",                       new SyntaxError("Unexpected token 'D', \"Debugger l\"... is not valid JSON"), false],
];

describe("the connection", () => {
  it.each(LOSSES)("after %s: lost is %s", (_what, error, lost) => {
    expect(isConnectionLoss(error)).toBe(lost);
  });

  it.each([
    [new McpError(-32_601, "Method not found"), true],
    [new McpError(-32_001, "Request timed out"), false],
    [new McpError(-32_000, "Connection closed"), false],
    [errno("ECONNREFUSED"), false],
  ])("is alive after the ping's %s: %s", (error, answered) => {
    expect(isAnswered(error)).toBe(answered);
  });
});

it.each(["HTTP 429 rate limit", "401 unauthorized", "ETIMEDOUT", "session cancelled", ""])(
  "isError saying %j is neither retryable nor a sign of bad health nor a cancellation",
  (text) => {
    const { retryable, tripsBreaker, cancels } = traitsOf(toolSaidNo("travel.find", { text }).code);
    expect([retryable, tripsBreaker, cancels]).toEqual([false, false, false]);
  },
);
