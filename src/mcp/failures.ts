// Classifies failures of an MCP connection: rules that precede the classifier's own, and a test for lost connections.

import { classify, rulesWith } from "../core/classify/classify.ts";
import type { Rule } from "../core/classify/rule.ts";
import { traitsOf } from "../core/fault/catalogue.ts";
import { type Fault, fault } from "../core/fault/fault.ts";
import { mcpSdk } from "./sdk.ts";

/** For calls: the server refused before anything ran, so a retry is safe for any tool. */
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

/** Nothing more will come over this connection, so a new one is needed. */
export function isConnectionLoss(error: unknown): boolean {
  // A protocol error was sent by the server, so the server is alive. When the connection ends, the client itself reports it.
  if (protocolCode(error) !== null) return false;
  if (error instanceof Error && error.message === "Not connected") return true;
  const { code, evidence } = classifyConnecting(error, "");
  return traitsOf(code).scope === "network" || evidence.source === "errno" || LOSSES.has(evidence.rule);
}

const LOSSES: ReadonlySet<string> = new Set(CALL_RULES.map(({ id }) => id));

/** Whether a failed ping was answered at all. */
export function isAnswered(error: unknown): boolean {
  const code = protocolCode(error);
  const { ConnectionClosed, RequestTimeout } = mcpSdk().ErrorCode;
  return code !== null && ![ConnectionClosed, RequestTimeout].includes(code);
}

/** The code of an error that the server sent, or that the client reports in its name; null for every other error. */
function protocolCode(error: unknown): number | null {
  return error instanceof mcpSdk().McpError ? error.code : null;
}

/** The server accepted the call and answered with an error, or died during it: the tool may have done its work. */
export function wasRun(error: unknown): boolean {
  const code = protocolCode(error);
  return code !== null && !refusedUnrun().has(code);
}

/** Protocol errors about the request itself, sent before a tool runs. */
function refusedUnrun(): ReadonlySet<number> {
  const { ParseError, InvalidRequest, MethodNotFound, InvalidParams, UrlElicitationRequired } = mcpSdk().ErrorCode;
  return new Set([ParseError, InvalidRequest, MethodNotFound, InvalidParams, UrlElicitationRequired]);
}

/**
 * The tool's own `isError`: always an answer for the model, which says nothing about the server's health. The classification of
 * its text is kept for operators.
 */
export function toolSaidNo(tool: string, result: { readonly text: string }): Fault {
  const said = classify({ surface: "mcp", body: { isError: true, content: [{ type: "text", text: result.text }] } });
  return fault("ExecutionFailed", {
    message: `${tool} answered with an error: ${said.message}`,
    context: { isError: true, looksLike: said.code, ran: true },
    evidence: { ...said.evidence, rule: "mcp/is-error" },
  });
}
