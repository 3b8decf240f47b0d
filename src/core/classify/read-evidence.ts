// Evidence → signals. Walks objects, cause chains and AggregateErrors, bounded in depth and number; survives throwing
// getters and cycles. Text is only collected here: `read-text.ts` reads it when no structured signal was enough.

import { parseJson, readField, tolerate } from "../tolerate.ts";
import type { Evidence } from "./evidence.ts";
import { addCode, addQuotaId, addStatus, addToken, isHttpStatus, type Signals } from "./signals.ts";

const MAX_NODES = 400;
const MAX_DEPTH = 16;
const MAX_ITEMS = 16;
const MAX_KEYS = 128;
/** What is read of a long text: its head, where the error usually is, and its tail, where the last words are. */
const HEAD_CHARS = 49_152;
const TAIL_CHARS = 16_384;
/** A longer text is not parsed as JSON; the reader of text still finds the pairs in it. */
const MAX_JSON_CHARS = 262_144;

export function readSignals(evidence: Evidence): Signals {
  const signals: Signals = {
    surface: evidence.surface,
    provider: typeof evidence.provider === "string" ? evidence.provider.toLowerCase() : "",
    aborted: abortOf(evidence.aborted),
    status: statusOf(evidence.status),
    tokens: new Set(),
    errnos: new Set(),
    stops: new Set(),
    rpcCode: 0,
    exitCode: typeof evidence.exitCode === "number" ? evidence.exitCode : null,
    signal: signalName(evidence.signal),
    texts: [],
    headers: evidence.headers,
    timings: new Map(),
    observedAt:
      typeof evidence.observedAt === "number" && Number.isFinite(evidence.observedAt) ? evidence.observedAt : undefined,
    emptyBody: false,
  };
  if (signals.aborted !== null && signals.aborted !== "no") return signals;
  if (typeof evidence.code === "string") addCode(signals, evidence.code);
  if (typeof evidence.stopReason === "string") signals.stops.add(evidence.stopReason.toLowerCase());
  const walk = createWalk(signals);
  // A proxy may throw from anything; what the other parts say still counts.
  if (evidence.error !== undefined) tolerate(() => walk(evidence.error, 0), undefined);
  if (evidence.body !== undefined && evidence.body !== null) tolerate(() => walk(evidence.body, 0), undefined);
  if (typeof evidence.message === "string") addText(signals, evidence.message);
  signals.emptyBody =
    (isSuccess(signals.status) || evidence.surface === "schema") &&
    isEmpty(evidence.body) &&
    signals.texts.length === 0;
  return signals;
}

type Read = (signals: Signals, value: unknown, name: string) => void;

/** Fields by what they mean, in lower case. Everything not named here is only walked for what is below it. */
const FIELDS: ReadonlyMap<string, Read> = new Map(
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
    reason: addTokenOrText,
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
    message: addTextValue,
    msg: addTextValue,
    detail: addTextValue,
    title: addTextValue,
    error_description: addTextValue,
    error: (signals, value) => {
      if (value !== "" && (typeof value === "string" || typeof value === "object")) signals.tokens.add("says:error");
      addTokenOrText(signals, value);
    },
    raw: addTextValue,
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
    body: addTextValue,
    responsebody: addTextValue,
    stderr: addTextValue,
    failed_generation: (signals) => void signals.tokens.add("failed_generation"),
  }),
);

/** Where a failed call's own words stand beside the model's: read only when the object says it is an error. */
const PROSE_FIELDS = new Set(["content", "result", "text", "output"]);
/** Where a model's answer would be; there and empty, it gave none. */
const OUTPUT_LISTS = new Set(["choices", "candidates", "output"]);
/** What was sent, not what came back; or ballast. */
// prettier-ignore
const SKIPPED_FIELDS = new Set([
  "config", "request", "requestbodyvalues", "input", "messages", "prompt", "tool_input", "parameters", "arguments",
  "tool_calls", "tool_call", "function", "function_call", "functioncall", "usage", "modelusage", "stack", "tools", "url", "rawresponse", "socket", "partial", "links",
]);
/** Not enumerable on errors, so asked for by name. */
const ERROR_FIELDS = ["name", "message", "code", "cause", "errors", "status", "type"] as const;

function createWalk(signals: Signals): (value: unknown, depth: number) => void {
  const seen = new Set<object>();

  function walk(value: unknown, depth: number, inError = false): void {
    if (typeof value === "string") return addTextValue(signals, value);
    if (typeof value !== "object" || value === null || depth > MAX_DEPTH || seen.size >= MAX_NODES || seen.has(value))
      return;
    seen.add(value);
    if (ArrayBuffer.isView(value)) return addText(signals, decode(value));
    if (Array.isArray(value)) {
      for (let i = 0; i < Math.min(value.length, MAX_ITEMS); i++) walk(value[i], depth + 1, inError);
      return;
    }
    const isError = tolerate(() => value instanceof Error, false);
    if (isError)
      addToken(
        signals,
        tolerate(() => value.constructor.name, ""),
      );
    const keys: readonly string[] = tolerate(() => firstKeys(value), []);
    const failed = inError || saysError(value);
    if (failed) signals.tokens.add("says:error");
    if (isError) for (const key of ERROR_FIELDS) if (!keys.includes(key)) visit(value, key, depth, failed);
    for (const key of keys) visit(value, key, depth, failed);
  }

  function visit(holder: object, key: string, depth: number, inError: boolean): void {
    const name = key.toLowerCase();
    if (SKIPPED_FIELDS.has(name) || (name === "name" && isToolCall(holder))) return;
    const value = readField(holder, key);
    if (value === undefined || value === null) return;
    const isProse = PROSE_FIELDS.has(name);
    if (OUTPUT_LISTS.has(name) && Array.isArray(value) && value.length === 0) signals.tokens.add("empty:output");
    if (isProse && !inError && (typeof value === "string" || Array.isArray(value))) return;
    if (name === "headers" || name === "responseheaders") return addHeaders(signals, value);
    const read = FIELDS.get(name) ?? (isProse || name.endsWith("message") ? addTextValue : undefined);
    read?.(signals, value, name);
    if (typeof value === "object") walk(value, depth + 1, inError);
  }

  return walk;
}

/** An object may have a million keys; the first of them are enough. */
function firstKeys(value: object): readonly string[] {
  const keys: string[] = [];
  for (const key in value) if (Object.hasOwn(value, key) && keys.push(key) === MAX_KEYS) break;
  return keys;
}

function decode(bytes: ArrayBufferView): string {
  const length = Math.min(bytes.byteLength, HEAD_CHARS + TAIL_CHARS);
  return new TextDecoder().decode(new Uint8Array(bytes.buffer, bytes.byteOffset, length));
}

/** The name in a tool call is the model's word, not the provider's. */
function isToolCall(holder: object): boolean {
  const type = readField(holder, "type");
  return type === "tool_use" || type === "function" || type === "tool_call";
}

function saysError(holder: object): boolean {
  return readField(holder, "is_error") === true || readField(holder, "isError") === true;
}

/** Errors carry the headers of their response, and a body may quote those of the answer behind it (OpenRouter does). */
function addHeaders(signals: Signals, headers: unknown): void {
  signals.headers ??= headers;
}

function addTiming(signals: Signals, value: unknown, name: string): void {
  if (typeof value === "string" || typeof value === "number") signals.timings.set(name, value);
}

function addTextValue(signals: Signals, value: unknown): void {
  if (typeof value === "string") addText(signals, value);
}

/** A text that is JSON or a stream of events is walked as data; any other is kept, shortened, for the reader of text. */
function addText(signals: Signals, text: string): void {
  if (text === "") return;
  if (/^(?:data|event|id|retry):/.test(text)) return addEvents(signals, text);
  const first = text.charCodeAt(0);
  if ((first === 0x7b || first === 0x5b || first === 0x22) && text.length <= MAX_JSON_CHARS) {
    const parsed = parseJson(text);
    if (typeof parsed === "object" && parsed !== null && signals.texts.length < MAX_ITEMS)
      return createWalk(signals)(parsed, 4);
    if (typeof parsed === "string") return addText(signals, parsed);
  }
  if (/^\s{0,64}<(?:!doctype html|html)/i.test(text)) signals.tokens.add("body:html");
  if (signals.texts.length >= MAX_ITEMS) return;
  const short =
    text.length <= HEAD_CHARS + TAIL_CHARS ? text : `${text.slice(0, HEAD_CHARS)}\n${text.slice(-TAIL_CHARS)}`;
  if (!signals.texts.includes(short)) signals.texts.push(short);
}

const MAX_EVENTS = 64;

/** Server-sent events: the data of each is JSON, whose prose stays unread as in any JSON. One cut short is read only if it is an error. */
function addEvents(signals: Signals, text: string): void {
  const events = text.slice(0, MAX_JSON_CHARS).split(/\n(?=data:|\n)/, MAX_EVENTS);
  for (const event of events) {
    const data = event.replace(/^(?:(?:event|id|retry):.*\n?|data: ?)/gm, "").trim();
    if (typeof parseJson(data) === "object" || data.includes('"error"')) addText(signals, data);
  }
}

function addTokenOrText(signals: Signals, value: unknown): void {
  if (typeof value !== "string") return;
  if (/\s/.test(value) || value.length > 80) addText(signals, value);
  else addToken(signals, value);
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

/** Whoever says that the signal did not fire lets an abort be seen for what it then is: a timeout. */
function abortOf(aborted: Evidence["aborted"]): Signals["aborted"] {
  if (aborted === true) return "turn";
  if (aborted === false) return "no";
  return aborted === "session" || aborted === "turn" || aborted === "tool" ? aborted : null;
}

function signalName(value: unknown): string {
  const name = typeof value === "string" ? value.toUpperCase() : "";
  return /^SIG[A-Z0-9]{2,9}$/.test(name) ? name : "";
}

/** Some clients keep a status as text. */
function statusOf(status: unknown): number {
  const number = typeof status === "string" && /^\d{3}$/.test(status) ? Number(status) : status;
  return isHttpStatus(number) ? number : 0;
}

function isSuccess(status: number): boolean {
  return status >= 200 && status < 300;
}

function isEmpty(body: unknown): boolean {
  return body === "" || body === null;
}
