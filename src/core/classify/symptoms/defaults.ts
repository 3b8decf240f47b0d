// The defaults when no rule named the cause: identifiers that vendors use for many things, then JSON-RPC codes, then the
// HTTP status. A status is a default and not a diagnosis: overflow comes as 400, 403, 413, 429 and 500, a quota as 400,
// 402, 403 and 429, so words were asked first.

import type { RuleGroup } from "../rule.ts";

/** The one status that names its cause: money. */
// prettier-ignore
export const PAYMENT: RuleGroup = {
  source: "status",
  rules: () => [
    { id: "status/402", when: { status: [402] },                means: "QuotaExhausted",example: { surface: "http", provider: "deepseek", status: 402, message: "402" } },
  ],
};

// prettier-ignore
export const VAGUE_IDENTIFIERS: RuleGroup = {
  source: "structured",
  rules: () => [
    { id: "vague/rate-limit", when: { token: ["rate_limit_exceeded", "rate_limit_error", "ratelimiterror", "rate_limited", "ratelimitexceeded", "throttlingexception", "throttling_error", "throttling", "throttled", "too_many_requests", "toomanyrequests", "slow_down", "ramp_limit_exceeded", "modelnotreadyexception", "retryablequotaerror", "requestburst_too_fast", "service_tier_capacity_exceeded", "rate_limit", "ratelimitreached", "limit_burst_rate", "resource_exhausted", "throttling.ratequota", "provisionedthroughputexceededexception", "limitexceededexception", "toomanyrequestsexception", "toomanyrequestserror", "request_quota_exceeded", "token_quota_exceeded", "rate_limit_reached_error", "requestlimitexceeded"] },
      means: "RateLimited", example: { surface: "sse", provider: "anthropic", body: { type: "error", error: { type: "rate_limit_error", message: "Error" } } } },
    { id: "vague/no-credential", when: { token: ["credentialsprovidererror", "defaultcredentialserror"] },
      means: "KeyMissing", example: { surface: "node", provider: "bedrock", error: { name: "CredentialsProviderError", message: "Error" } } },
    { id: "vague/denied", when: { token: ["permission_error", "permission_denied", "permission-denied", "permissiondeniederror", "forbidden", "access_denied", "request_forbidden", "accessdenied", "unauthorizedoperation"] },
      means: "AccessDenied", onTool: "Forbidden", example: { surface: "http", provider: "google", status: 403, body: { error: { code: 403, status: "PERMISSION_DENIED" } } } },
    { id: "vague/auth", when: { token: ["unauthorized", "authentication", "not_authenticated"] },
      means: "AuthFailed", example: { surface: "http", status: 401, body: { error: "unauthorized" } } },
    { id: "vague/data", when: { token: ["ai_invalidresponsedataerror", "invalidresponsedataerror"] },
      means: "AnswerUnreadable", onTool: "OutputMalformed", example: { surface: "node", provider: "openai", error: { name: "AI_InvalidResponseDataError", message: "Expected 'id' to be a string." } } },
    { id: "vague/not-found", when: { token: ["not_found_error", "not_found", "notfounderror", "notfound", "resourcenotfoundexception", "thread_not_found", "previous_response_not_found", "session_not_found", "unknown_url", "resourcenotfound", "resource_not_found_error"] },
      means: "EndpointNotFound", onTool: "NotFound", example: { surface: "http", provider: "fireworks", status: 404, body: { error: { code: "NOT_FOUND", message: "not deployed" } } } },
    { id: "vague/dropped", when: { token: ["cancelled", "canceled"], status: [499] },
      means: "Provider5xx", onTool: "ExecutionTimeout", example: { surface: "http", provider: "google", status: 499, body: { error: { code: 499, status: "CANCELLED" } } } },
    { id: "vague/aborted", when: { token: ["abort_error", "cancelled", "canceled", "interrupted_by_user"] },
      means: "TurnCancelled", onTool: "ToolCancelled", example: { surface: "cli", message: "interrupted", body: { subtype: "interrupted_by_user" } } },
  ],
};

/** Statuses that say why a request was refused. `invalid_request_error` with one of them adds nothing: OpenAI sends it with 401 and 404. */
// prettier-ignore
export const REFUSALS: RuleGroup = {
  source: "status",
  rules: () => [
    { id: "status/401", when: { status: [401, 407] },           means: "AuthFailed",                               example: { surface: "http", provider: "openai", status: 401, message: "401 status code (no body)" } },
    { id: "status/403", when: { status: [403, 412, 451] },      means: "AccessDenied", onTool: "Forbidden",        example: { surface: "http", provider: "mistral", status: 403, message: "403 status code (no body)" } },
    { id: "status/404", when: { status: [404, 410] },           means: "EndpointNotFound", onTool: "NotFound",     example: { surface: "http", status: 404, message: "404 status code (no body)" } },
    { id: "status/413", when: { status: [413] },                means: "ContextOverflow", onTool: "InputInvalid",  example: { surface: "http", status: 413, message: "413 status code (no body)" } },
    { id: "status/429", when: { status: [429] },                means: "RateLimited",                              example: { surface: "http", provider: "openrouter", status: 429, message: "429 Provider returned error" } },
  ],
};

// prettier-ignore
export const REQUEST_IDENTIFIERS: RuleGroup = {
  source: "structured",
  rules: () => [
    { id: "vague/request", when: { token: ["invalid_request_error", "invalid_argument", "badrequesterror", "bad_request", "invalid_request", "validationexception", "invalid_value", "unsupported_parameter", "unsupported_value", "missing_required_parameter", "unknown_parameter", "failed_precondition", "invalidparameter", "invalid_parameter", "invalid_parameter_error", "unprocessable", "unprocessableentityerror", "out_of_range", "invalid_function_parameters", "invalid_image", "image_parse_error", "invalid_image_format", "unsupported_image_media_type", "invalidparametervalue", "httpvalidationerror", "ai_invalidprompterror", "ai_invalidargumenterror", "invalid_image_url", "image_too_large", "invalid_base64_image", "failed_to_download_image", "empty_image_file", "invalid_image_mode", "image_file_too_large", "unsupportedparamserror", "input_validation_error", "invalid_type", "integer_above_max_value", "integer_below_min_value", "decimal_above_max_value", "decimal_below_min_value", "array_above_max_length", "array_below_min_length", "empty_array", "empty_string", "string_below_min_length", "string_above_max_length", "property_name_above_max_length", "extra_forbidden", "invalid_json", "invalidrequesterror"] },
      means: "RequestInvalid", onTool: "InputInvalid", example: { surface: "http", provider: "openai", status: 400, body: { error: { message: "Invalid value: 'foo'.", type: "invalid_request_error", param: "messages[0].role", code: "invalid_value" } } } },
    { id: "vague/unsupported", when: { token: ["notimplementederror"] },
      means: "MissingCapability", onTool: "Unsupported", example: { surface: "tool", message: "NotImplementedError" } },
  ],
};

// prettier-ignore
export const RPC_CODES: RuleGroup = {
  source: "structured",
  rules: () => [
    { id: "rpc/parse",            when: { rpcCode: [-32700] },         means: "SchemaInvalid", onTool: "OutputMalformed", example: { surface: "mcp", body: { jsonrpc: "2.0", id: null, error: { code: -32700, message: "Parse error" } } } },
    { id: "rpc/invalid-request",  when: { rpcCode: [-32600] },         means: "RequestInvalid", onTool: "InputInvalid",   example: { surface: "mcp", body: { jsonrpc: "2.0", id: 1, error: { code: -32600, message: "Invalid Request" } } } },
    { id: "rpc/method-not-found", when: { rpcCode: [-32601] },         means: "Unsupported",                              example: { surface: "mcp", body: { jsonrpc: "2.0", id: 3, error: { code: -32601, message: "prompts/list" } } } },
    { id: "rpc/invalid-params",   when: { rpcCode: [-32602] },         means: "InputInvalid",                             example: { surface: "mcp", body: { jsonrpc: "2.0", id: 3, error: { code: -32602, message: "Unknown cursor" } } } },
    { id: "rpc/not-connected",    when: { rpcCode: [-32000], says: [["not connected"]] }, means: "ToolUnavailable",       example: { surface: "mcp", message: "MCP error -32000: Not connected" } },
    { id: "rpc/closed",           when: { rpcCode: [-32000], says: [["closed", "disconnected"]] }, means: "NetworkDisconnect", example: { surface: "mcp", message: "MCP error -32000: Connection closed" } },
    { id: "rpc/timeout",          when: { rpcCode: [-32001] },         means: "ExecutionTimeout",                         example: { surface: "mcp", message: "MCP error -32001: Request timed out" } },
    { id: "rpc/not-found",        when: { rpcCode: [-32002] },         means: "NotFound",                                 example: { surface: "mcp", body: { jsonrpc: "2.0", id: 3, error: { code: -32002, message: "file:///plan.md" } } } },
    { id: "rpc/capability",       when: { rpcCode: [-32020, -32021, -32022] }, means: "Unsupported",                      example: { surface: "mcp", body: { jsonrpc: "2.0", id: 3, error: { code: -32021, message: "elicitation" } } } },
    { id: "rpc/elicitation",      when: { rpcCode: [-32042] },         means: "Forbidden",                                example: { surface: "mcp", message: "MCP error -32042: URL elicitation required" } },
  ],
};

// prettier-ignore
export const STATUSES: RuleGroup = {
  source: "status",
  rules: () => [
    { id: "status/400", when: { status: [400, 405, 406, 411, 414, 415, 416, 417, 431] }, means: "RequestInvalid", onTool: "InputInvalid", example: { surface: "http", status: 400, body: "" } },
    { id: "status/408", when: { status: [408] },                means: "NetworkTimeout", onTool: "ExecutionTimeout", example: { surface: "http", status: 408 } },
    { id: "status/409", when: { status: [409, 423] },           means: "ResourceBusy",                             example: { surface: "http", status: 409, message: "409 conflict" } },
    { id: "status/422", when: { status: [422] },                means: "RequestInvalid", onTool: "InputInvalid",   example: { surface: "http", status: 422, body: { detail: [{ loc: ["body", "model"], msg: "field required", type: "missing" }] } } },
    { id: "status/498", when: { status: [498] },                means: "Overloaded", onTool: "ToolUnavailable",    example: { surface: "http", provider: "groq", status: 498 } },
    { id: "status/499", when: { status: [499] },                means: "Provider5xx", onTool: "ExecutionTimeout",   example: { surface: "http", status: 499 } },
    { id: "status/501", when: { status: [501, 505] },           means: "MissingCapability", onTool: "Unsupported", example: { surface: "http", status: 501 } },
    { id: "status/503", when: { status: [503, 529] },           means: "Overloaded", onTool: "ToolUnavailable",    example: { surface: "http", provider: "anthropic", status: 529 } },
    { id: "status/504", when: { status: [504, 522, 524] },      means: "Provider5xx", onTool: "ExecutionTimeout",  example: { surface: "http", provider: "anthropic", status: 504, body: "<!DOCTYPE html><title>api.anthropic.com | 504: Gateway time-out</title>" } },
    { id: "status/5xx", when: { status: [500, 502, 506, 507, 508, 510, 511, 520, 521, 523, 525, 526, 527, 528, 530, 540, 555, 560, 561, 598, 599, 424, 425] }, means: "Provider5xx", example: { surface: "http", status: 502, body: "<html><head><title>502 Bad Gateway</title></head></html>" } },
    { id: "status/empty-200", when: { surface: ["http", "sse", "node"], emptyBody: true }, means: "AnswerUnreadable", onTool: "OutputMalformed", example: { surface: "http", status: 200, body: "" } },
  ],
};

/** Identifiers that say no more than "it broke on our side": weaker than a status, which may say more. */
// prettier-ignore
export const SERVER_IDENTIFIERS: RuleGroup = {
  source: "structured",
  rules: () => [
    { id: "vague/server", when: { token: ["server_error", "api_error", "internal", "internal_error", "internal_server_error", "internalservererror", "internalerror", "provider_unavailable", "bad_gateway", "upstream_error", "serviceunavailableerror", "service_unavailable", "service_unavailable_error", "unavailable", "inference_error", "engine_error", "generation_error", "provider_error", "internalserviceerror", "serviceunavailable"] },
      means: "Provider5xx", example: { surface: "sse", provider: "anthropic", body: { type: "error", error: { type: "api_error", message: "Error" } } } },
    { id: "vague/never-connected", when: { token: ["clientconnectorerror", "connecterror", "newconnectionerror", "connectionrefusederror", "unknownhostexception", "failedtoopensocket", "gaierror", "connectexception"] },
      means: "NetworkDisconnect", onTool: "ToolUnavailable", example: "aiohttp.client_exceptions.ClientConnectorError" },
    { id: "vague/connection", when: { token: ["apiconnectionerror", "socketerror", "connectionerror", "remoteprotocolerror", "readerror", "protocolerror", "maxretryerror", "connectionreseterror", "remotedisconnected", "incompleteread", "chunkedencodingerror", "serverdisconnectederror", "clientoserror", "clientpayloaderror", "eoferror", "unexpectedeof", "proxyerror", "closedresourceerror", "brokenresourceerror", "endofstream"] },
      means: "NetworkDisconnect", example: "litellm.APIConnectionError: OllamaException" },
    { id: "vague/timeout", when: { token: ["timeouterror", "timeout", "timeoutexception", "etimeout"] },
      means: "NetworkTimeout", onTool: "ExecutionTimeout", example: { surface: "node", error: { name: "TimeoutError", code: 23 } } },
  ],
};
