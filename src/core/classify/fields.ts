// The meaning of a foreign object's fields: one table for all providers, SDKs and CLIs.

import { addCode, addQuotaId, addStatus, addToken, type Signals } from "./signals.ts";

/** Takes one field in; or says that the field holds text, or an identifier unless it reads like a sentence. */
export type Read = ((signals: Signals, value: unknown, name: string) => void) | "text" | "token or text";

/** Fields by meaning, in lower case. Other fields are only walked for the fields inside them. */
export const FIELDS: ReadonlyMap<string, Read> = new Map(
  Object.entries<Read>({
    type: addToken,
    code: (signals, value) => {
      if (typeof value === "string") addCode(signals, value);
      else addStatusOrRpc(signals, value);
    },
    status: addStatusOrToken,
    statuscode: addStatusOrToken,
    status_code: addStatusOrToken,
    http_status: addStatusOrToken,
    httpstatuscode: addStatusOrToken,
    api_error_status: addStatusOrToken,
    errno: addToken,
    syscall: (signals, value) => {
      if (typeof value === "string" && value.startsWith("spawn")) signals.tokens.add("syscall:spawn");
    },
    name: addToken,
    reason: "token or text",
    error_type: addToken,
    error_code: addToken,
    errorcode: addToken,
    errortype: addToken,
    subtype: addToken,
    terminal_reason: addToken,
    kind: addToken,
    __type: addToken,
    limit_source: addToken,
    quotaid: (signals, value) => {
      if (typeof value === "string") addQuotaId(signals, value);
    },
    // A quota of nothing: the model is not part of this plan.
    quotavalue: (signals, value) => {
      if (value === "0" || value === 0) signals.tokens.add("quota:zero");
    },
    exitcode: (signals, value) => {
      if (typeof value === "number") signals.exitCode ??= value;
    },
    signal: (signals, value) => {
      if (signals.signal === "") signals.signal = signalName(value);
    },
    finish_reason: addStop,
    finishreason: addStop,
    stop_reason: addStop,
    stopreason: addStop,
    done_reason: addStop,
    blockreason: addStop,
    message: "text",
    msg: "text",
    detail: "text",
    title: "text",
    error_description: "text",
    error: "token or text",
    raw: "text",
    refusal: (signals, value) => {
      if (typeof value === "string" && value !== "") signals.stops.add("refusal");
    },
    permission_denials: (signals, value) => {
      if (Array.isArray(value) && value.length > 0)
        signals.tokens.add(value.length >= 3 ? "permission_loop" : "permission_denied");
    },
    retry_after: addTiming,
    retrydelay: addTiming,
    retry_after_ms: addTiming,
    retry_after_seconds: addTiming,
    retryafter: addTiming,
    reset_at: addTiming,
    reset_time: addTiming,
    resets_at: addTiming,
    resets_in_seconds: addTiming,
    resetsat: addTiming,
    estimated_time: addTiming,
    body: "text",
    responsebody: "text",
    stderr: "text",
    failed_generation: (signals) => void signals.tokens.add("failed_generation"),
  }),
);

/** Where a failed call's own words stand beside the model's: read only when the object says it is an error. */
export const PROSE_FIELDS = new Set(["content", "result", "text", "output"]);
/** Where a model's answer would be; there and empty, it gave none. */
export const OUTPUT_LISTS = new Set(["choices", "candidates", "output"]);
/** Parts of the request, not of the response; or ballast. */
// prettier-ignore
export const SKIPPED_FIELDS = new Set([
  "config", "request", "requestbodyvalues", "input", "messages", "prompt", "tool_input", "parameters", "arguments",
  "tool_calls", "tool_call", "function", "function_call", "functioncall", "usage", "modelusage", "stack", "tools", "url", "rawresponse", "socket", "partial", "links",
]);

function addTiming(signals: Signals, value: unknown, name: string): void {
  if (typeof value === "string" || typeof value === "number") signals.timings.set(name, value);
}

function addStop(signals: Signals, value: unknown): void {
  if (typeof value === "string") signals.stops.add(value.toLowerCase());
}

function addStatusOrToken(signals: Signals, value: unknown): void {
  if (typeof value === "number") addStatus(signals, value);
  else if (typeof value === "string") addCode(signals, value);
}

function addStatusOrRpc(signals: Signals, value: unknown): void {
  if (typeof value !== "number") return;
  if (value <= -32_000 && value >= -32_768) signals.rpcCode ||= value;
  else addStatus(signals, value);
}

export function signalName(value: unknown): string {
  if (typeof value !== "string") return "";
  const name = value.toUpperCase();
  return /^SIG[A-Z0-9]{2,9}$/.test(name) ? name : "";
}
