// What failures of an MCP connection mean: rows in front of the classifier's own, and the question whether the connection is gone.

import { ErrorCode, McpError } from "@modelcontextprotocol/sdk/types.js";
import { classify, rulesWith } from "../core/classify/classify.ts";
import type { Rule } from "../core/classify/rule.ts";
import { traitsOf } from "../core/fault/catalogue.ts";
import { type Fault, fault } from "../core/fault/fault.ts";

/** For calls: refused before anything ran, so that it may be tried again whatever the tool is. */
// prettier-ignore
export const CALL_RULES: readonly Rule[] = [
  { id: "mcp/session-lost", when: { surface: ["mcp"], status: [400, 404], says: [["session not found", "no valid session", "session id", "unknown session", "not initialized"]] },
    means: "ToolUnavailable", example: { surface: "mcp", error: { code: 404, message: "Streamable HTTP error: Error POSTing to endpoint: Session not found" } } },
];

/** For connecting: a server that ends before it has answered did not start. */
// prettier-ignore
export const CONNECT_RULES: readonly Rule[] = [
  { id: "mcp/not-started", when: { surface: ["mcp"], rpcCode: [-32000] },
    means: "ToolUnavailable", example: { surface: "mcp", error: { code: -32000, message: "MCP error -32000: Connection closed" } } },
  ...CALL_RULES,
];

const CONNECT_BOOK = rulesWith(CONNECT_RULES);

export function classifyConnecting(error: unknown, provider: string): Fault {
  return classify({ surface: "mcp", provider, error, aborted: false }, CONNECT_BOOK);
}

/** Nothing more will come over this connection: another one is needed. */
export function isConnectionLoss(error: unknown): boolean {
  // An error of the protocol was sent by the server, whatever its words: somebody is there. When the connection ends, the
  // client says so by itself.
  if (error instanceof McpError) return false;
  if (error instanceof Error && error.message === "Not connected") return true;
  const { code, evidence } = classifyConnecting(error, "");
  return traitsOf(code).scope === "network" || evidence.source === "errno" || LOSSES.has(evidence.rule);
}

const LOSSES: ReadonlySet<string> = new Set(CALL_RULES.map(({ id }) => id));

/** Whether a ping that failed was at least answered. */
export function isAnswered(error: unknown): boolean {
  return error instanceof McpError && !UNANSWERED.has(error.code);
}

const UNANSWERED: ReadonlySet<number> = new Set([ErrorCode.ConnectionClosed, ErrorCode.RequestTimeout]);

/** The server took the call and answered it with an error, or ended over it: whatever it says, the tool may have done its work. */
export function wasRun(error: unknown): boolean {
  return error instanceof McpError && !REFUSED_UNRUN.has(error.code);
}

/** Errors of the protocol about the request itself, sent before a tool is called. */
const REFUSED_UNRUN: ReadonlySet<number> = new Set([
  ErrorCode.ParseError,
  ErrorCode.InvalidRequest,
  ErrorCode.MethodNotFound,
  ErrorCode.InvalidParams,
  ErrorCode.UrlElicitationRequired,
]);

/**
 * The tool's own `isError`: no matter what it says, it is an answer for the model, and says nothing about the server's health.
 * What its words look like is kept for operators.
 */
export function toolSaidNo(tool: string, result: { readonly text: string }): Fault {
  const said = classify({ surface: "mcp", body: { isError: true, content: [{ type: "text", text: result.text }] } });
  return fault("ExecutionFailed", {
    message: `${tool} answered with an error: ${said.message}`,
    context: { isError: true, looksLike: said.code, ran: true },
    evidence: { ...said.evidence, rule: "mcp/is-error" },
  });
}
