// The weakest words: about the connection, a timeout, a broken server, an unexplained refusal. They say how a call
// ended rather than why, so everything else was asked before them.

import type { RuleGroup } from "../rule.ts";

// prettier-ignore
export const NETWORK_WORDS: RuleGroup = {
  source: "text",
  rules: () => [
    { id: "words/timeout", when: { says: [["timed out", "timeout", "timeouts", "time out", "timedout", "deadline exceeded", "took too long", "idle timeout", "etimedout", "deadline has elapsed", "no response within", "did not respond in time", "not respond within", "timeout error", "超时"]] },
      means: "NetworkTimeout", onTool: "ExecutionTimeout", example: "OAuth error: timeout of 15000ms exceeded" },
    { id: "words/refused", when: { says: [["connection refused", "econnrefused", "getaddrinfo", "name resolution", "name or service not known", "nodename nor servname", "no such host", "could not resolve host*", "failed to lookup address", "dns error", "dns lookup", "dns resolution", "enotfound", "network is unreachable", "no route to host", "host is unreachable", "unable to connect", "could not connect", "cannot connect", "can't connect", "failed to connect", "failed to establish a new connection", "can't reach", "cannot reach", "unreachable", "no internet", "you appear to be offline", "internet connection", "tcp connect error", "error trying to connect", "connect error", "tunneling socket", "connection could not be established", "no connection", "not connected", "connection attempt failed", "connection attempts failed", "couldn't connect", "failed to reconnect", "could not attach to", "unable to reach", "could not reach", "failed to reach", "not reachable", "is offline", "no dns entries", "socket never opened", "maximum reconnection attempts", "sse connection not established", "not initialized", "server is not running", "server not running", "failed to open socket", "unknownhostexception", "无法连接", "连接失败", "连接被拒绝"]] },
      means: "NetworkDisconnect", onTool: "ToolUnavailable", example: "Error: Cannot connect to API: connect to api.example.com: connection refused" },
    { id: "words/server", when: { says: [["internal server error", "internal error", "internal service error", "bad gateway", "service unavailable", "gateway timeout", "gateway time out", "server had an error", "server side issue", "server side error", "error occurred while processing your request", "error processing your request", "unexpected error occurred", "upstream connect error", "error on the server", "unable to process your request", "api error occurred on the server", "web server is down", "origin is unreachable", "error code: 502", "backend error", "服务器错误", "内部错误", "服务异常", "系统错误"]], unless: ["mcp error", "cloudflare tunnel", "check server logs for details"] },
      means: "Provider5xx", example: "stream disconnected before completion: An error occurred while processing your request. You can retry your request." },
    { id: "words/cut", when: { says: [["fetch failed", "failed to fetch", "error fetching from", "error communicating with", "econnreset", "max retries exceeded", "proxy error", "load failed", "stream disconnected", "stream closed", "stream ended", "stream error", "stream was closed", "stream interrupted", "stream aborted", "stream reset", "socket hang up", "socket closed", "socket was closed", "socket connection", "other side closed", "connection reset", "connection closed", "connection was closed", "connection is closed", "connection error*", "connection aborted", "connection was lost", "connection lost", "connection dropped", "connection failed", "connection failure", "connection interrupted", "connection terminated", "connection broken", "connection to the server", "lost connection", "connection has been closed", "premature close", "premature end", "unexpected eof", "eof", "unexpected end of file", "eof occurred", "early eof", "handshake eof", "error sending request", "error decoding response body", "error reading a body", "error reading", "incomplete chunked read", "peer closed", "remote end closed", "server disconnected", "forcibly closed", "broken pipe", "expected a completed response", "did not receive done", "ended without a finish reason", "without a finish reason", "ended without", "without sending any chunks", "transport closed", "channel closed", "transport error", "network error*", "network connection", "network failure", "network request failed", "network issue*", "network problem*", "typeerror: terminated", "error: terminated", "websocket closed", "websocket error", "websocket connection", "disconnected", "http2 error", "http/2 stream", "goaway", "connection pool", "unexpected connection", "closed unexpectedly", "hung up", "closed by remote", "closed by the remote", "closed by peer", "closed the connection", "connection was terminated", "client is closed", "transport is closed", "when http tunneling", "frameerror", "half closed", "unexpected end of stream", "closed before", "parse error: expected http", "websocket handshake", "http2 request did not get a response", "stream read error", "gone away", "exited unexpectedly", "server closed", "网络错误", "网络异常", "连接中断", "连接超时", "网络连接", "断开"]], unless: ["error response from daemon"] },
      means: "NetworkDisconnect", example: "stream disconnected before completion: stream closed before response.completed" },
    { id: "words/server-shrug", when: { says: [["upstream error", "upstream request failed", "cloudflare", "server error"]], unless: ["mcp error", "cloudflare tunnel", "check server logs for details"] },
      means: "Provider5xx", example: "Error from provider (Console): Upstream request failed" },
  ],
};

/** The last resort, when not even the connection is to blame. */
// prettier-ignore
export const LAST_WORDS: RuleGroup = {
  source: "text",
  rules: () => [
    { id: "words/bad-request", when: { says: [["invalid request", "bad request", "improperly formed", "requires a valid", "can only be used with", "is not a valid", "is not supported for this", "malformed request", "request validation", "invalid value", "invalid type for", "is not of type", "invalid schema for function", "invalid schema", "invalid function", "invalid tool", "string does not match pattern", "missing required parameter*", "missing required field*", "field required", "is a required property", "invalid parameter*", "invalid argument*", "invalid json in request", "could not parse the json body", "unprocessable entity", "invalid mcp configuration", "参数错误", "参数", "unknown option", "unexpected argument", "unrecognized option", "unrecognized subcommand", "invalid url", "failed to parse url", "unsupported protocol", "invalid header", "is an invalid header value", "invalid base url", "bad port", "bytestring", "failed to execute 'fetch'", "does not represent a valid image", "must contain 'role'", "unexpected role", "expected last role", "extra inputs are not permitted", "url error", "unexpected keyword argument", "required positional argument*", "unrecognized request argument", "unknown parameter", "unknown field", "additional properties are not allowed", "is not one of", "must be one of", "cannot be empty", "must not be empty", "must be a string", "must be an array", "must be an object", "expected an object", "expected an array", "expected a string", "does not match any of", "does not match the expected", "unsupported file type", "unsupported mime type", "unsupported image", "could not process image", "invalid image", "invalid base64", "invalid role", "invalid format", "serialization error", "jinja", "chat template", "must start with", "assistant messages at the end", "too many tools", "array too long", "extraneous key", "unknown name", "unable to parse request", "no messages"]] },
      means: "RequestInvalid", onTool: "InputInvalid", example: "Invalid schema for function 'search': None is not of type 'object'" },
    { id: "words/not-found", when: { says: [["not found", "page not found"]], unless: ["network*"] },
      means: "EndpointNotFound", onTool: "NotFound", example: { surface: "mcp", message: "StreamableHTTPError: Streamable HTTP error: Failed to open SSE stream: Not Found" } },
    // How SDKs and gateways word a refused request; no rule above named a better cause.
    { id: "words/validation", when: { fromProvider: true, surface: ["http", "sse", "node", "cli"], says: [["is required", "are required", "must be", "must have", "must contain", "must include", "must provide", "must specify", "must not", "should be", "should have", "cannot be", "can not be", "can't be", "is only supported", "are only supported", "is not supported", "are not supported", "not yet supported", "unsupported", "is invalid", "invalid", "is not valid", "not permitted", "mutually exclusive", "duplicate", "does not match", "malformed", "is too small", "is too short", "out of range", "not allowed", "is mandatory", "needs to be", "is not an object", "not serializable", "require at least", "requires at least", "please provide", "please use only"]] },
      means: "RequestInvalid", example: { surface: "node", provider: "google", message: "fileName parameter is only supported in Gemini Developer API mode, not in Gemini Enterprise Agent Platform mode." } },
    { id: "words/expected", when: { fromProvider: true, surface: ["http", "sse", "node", "cli"], says: [["expected"], ["got", "found", "received", "to be"]], within: 80 },
      means: "RequestInvalid", example: { surface: "node", provider: "openai", message: "expected headers to be object, got string" } },
    { id: "words/no-output", when: { token: ["empty:output"] },
      means: "EmptyOutput", example: { surface: "http", status: 200, body: { id: "resp_1", object: "response", status: "completed", output: [] } } },
    { id: "words/try-later", when: { says: [["please try again later", "try again later", "please retry later", "temporary failure", "temporary error", "transient error", "please retry your request", "you can retry your request", "try again in a moment", "usually temporary"]] },
      means: "Overloaded", onTool: "ToolUnavailable", example: "We are having trouble right now. Please try again later." },
    { id: "words/odd-error", when: { surface: ["http", "sse"], token: ["says:error"], status: [200, 201, 202] },
      means: "AnswerUnreadable", example: { surface: "http", status: 200, body: { ok: false, error: { reason: "E-1207" } } } },
  ],
};

/** A tool that says it failed, and nothing more. */
// prettier-ignore
export const TOOL_WORDS: RuleGroup = {
  source: "text",
  rules: () => [
    { id: "words/killed", when: { surface: ["cli", "tool"], says: [["killed"]] },
      means: "ProcessCrashed", example: { surface: "cli", message: "Search(pattern: *.md)\n  Found 0 files\n\nKilled" } },
    { id: "exit/failed", when: { surface: ["tool"], token: ["exit:failed"] },
      means: "ExecutionFailed", example: { surface: "tool", exitCode: 1, message: "" } },
    { id: "words/tool-denied", when: { surface: ["tool", "mcp"], says: [["denied", "not allowed", "disallowed", "is blocked", "was blocked", "been blocked", "blocked by", "prohibited", "restricted", "read only", "not trusted", "untrusted", "refusing to", "whitelist*", "allowlist*", "not approved", "approval", "unauthorized", "not authorized", "rejected", "requires confirmation"]], unless: ["non fast forward"] },
      means: "Forbidden", example: { surface: "tool", message: "Exec denied: rm -rf build" } },
    { id: "words/tool-disabled", when: { surface: ["tool", "mcp"], says: [["is disabled", "was disabled", "been disabled", "disabled by", "disabled", "is not enabled", "isn't enabled", "not been enabled"]] },
      means: "Forbidden", example: { surface: "mcp", body: { isError: true, content: [{ type: "text", text: "Tool create_issue is disabled" }] } } },
    { id: "words/tool-unsupported", when: { surface: ["tool", "mcp"], says: [["unsupported*", "not supported", "isn't supported", "not implemented"]], unless: ["unsupported operand*"] },
      means: "Unsupported", example: { surface: "tool", message: "Unsupported operation" } },
    { id: "words/tool-invalid", when: { surface: ["tool", "mcp"], says: [["invalid", "not a valid", "not valid", "malformed", "out of range", "must be", "should be", "cannot be empty", "is required", "are required", "are exactly the same", "already exists", "already registered", "already started", "does not match", "do not match", "exceeds maximum", "expected", "not acceptable", "requires a", "unclosed", "too many expressions", "unknown request method", "unknown message type"]] },
      means: "InputInvalid", example: { surface: "tool", message: "Invalid airport code: XYZ" } },
    { id: "words/tool-missing", when: { surface: ["tool", "mcp"], says: [["could not find", "couldn't find", "cannot find", "can't find", "unable to find", "no such", "does not exist", "doesn't exist", "not found", "no results found", "no matching"]], unless: ["find an available", "could not find a suitable", "error response from daemon"] },
      means: "NotFound", example: { surface: "tool", message: "Error: Could not find element with selector \"#submit\"" } },
    { id: "rpc/internal", when: { rpcCode: [-32603, -32000] },
      means: "ExecutionFailed", example: { surface: "mcp", message: "MCP error -32603: Internal error" } },
    { id: "words/tool-says-error", when: { surface: ["tool", "mcp"], token: ["says:error"] },
      means: "ExecutionFailed", example: { surface: "mcp", body: { isError: true, content: [{ type: "text", text: "boom" }] } } },
    { id: "words/tool-failed", when: { surface: ["tool", "mcp"], says: [["error*", "exception*", "traceback", "failed", "failure", "exit code*", "exit status", "fatal", "cannot", "could not", "unable to", "has been closed"]] },
      means: "ExecutionFailed", example: { surface: "tool", message: "Error: Exit code 1\ntest" } },
  ],
};
