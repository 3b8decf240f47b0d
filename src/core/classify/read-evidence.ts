// Evidence → signals. Walks objects, cause chains and AggregateErrors, bounded in depth and number. Throwing getters and cycles do no
// harm. Text is only collected here: `read-text.ts` reads it if the structured signals do not decide.

import { isA, parseJson, readField, readWith, tryRead } from "../try-read.ts";
import type { CancelScope, Evidence, Surface } from "./evidence.ts";

const MAX_NODES = 400;
const MAX_DEPTH = 16;
const MAX_ITEMS = 16;
const MAX_KEYS = 128;
/** How much of a long text is read: the head, where the error usually is, and the tail with the last output. */
const HEAD_CHARS = 49_152;
const TAIL_CHARS = 16_384;
/** A longer text is not parsed as JSON; `read-text.ts` still finds the pairs in it. */
const MAX_JSON_CHARS = 262_144;

/** Exit codes of a process that succeeded, or that a shell could not start. */
const NEVER_RAN: ReadonlySet<number> = new Set([0, 126, 127]);

export function readSignals(evidence: Evidence): Signals {
  const signals: Signals = {
    surface: evidence.surface,
    provider: typeof evidence.provider === "string" ? evidence.provider.toLowerCase() : "",
    aborted: abortOf(evidence.aborted),
    status: statusOf(evidence.status),
    tokens: new Set(),
    names: [],
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
  // A proxy may throw on any access. The other parts still count.
  tryRead(() => walk(evidence.error, 0), undefined);
  tryRead(() => walk(evidence.body, 0), undefined);
  if (typeof evidence.message === "string") addText(signals, evidence.message);
  if (signals.exitCode !== null && !NEVER_RAN.has(signals.exitCode)) signals.tokens.add("exit:failed");
  signals.emptyBody =
    (isSuccess(signals.status) || evidence.surface === "schema") &&
    isEmpty(evidence.body) &&
    signals.texts.length === 0;
  return signals;
}

type Foreign = Readonly<Record<string, unknown>>;

/** These fields of errors are not enumerable, so they are read by name. One function each, because V8 is slow for a key in a variable. */
const ERROR_FIELDS: readonly { readonly key: string; readonly read: (error: Foreign) => unknown }[] = [
  { key: "name", read: (error) => error["name"] },
  { key: "message", read: (error) => error["message"] },
  { key: "code", read: (error) => error["code"] },
  { key: "cause", read: (error) => error["cause"] },
  { key: "errors", read: (error) => error["errors"] },
  { key: "status", read: (error) => error["status"] },
  { key: "type", read: (error) => error["type"] },
];

function createWalk(signals: Signals): (value: unknown, depth: number) => void {
  // A list: most failures are one or two objects, and a Set costs more. MAX_NODES bounds the search.
  const seen: object[] = [];

  function walk(value: unknown, depth: number, inError = false): void {
    if (typeof value === "string") return addTextValue(signals, value);
    if (typeof value !== "object" || value === null || depth > MAX_DEPTH) return;
    if (seen.length >= MAX_NODES || seen.includes(value)) return;
    seen.push(value);
    if (ArrayBuffer.isView(value)) return addText(signals, decode(value));
    if (isA(value, String)) return addText(signals, String(value));
    if (Array.isArray(value)) {
      for (let i = 0; i < Math.min(value.length, MAX_ITEMS); i++) walk(value[i], depth + 1, inError);
      return;
    }
    const isError = readWith(value, isErrorObject) === true;
    if (isError) {
      addToken(signals, readWith(value, className));
      tryRead(() => addExitCode(signals, value as Foreign), undefined);
    }
    const keys: readonly string[] = tryRead(() => firstKeys(value), []);
    const failed = inError || saysError(value);
    if (failed) signals.tokens.add("says:error");
    if (isError) {
      for (const { key, read } of ERROR_FIELDS) {
        if (!keys.includes(key)) take(value, key, readWith(value as Foreign, read), depth, failed);
      }
    }
    for (const key of keys) visit(value, key, depth, failed);
  }

  function visit(holder: object, key: string, depth: number, inError: boolean): void {
    const name = key.toLowerCase();
    if (!SKIPPED_FIELDS.has(name)) take(holder, name, readField(holder, key), depth, inError);
  }

  function take(holder: object, name: string, value: unknown, depth: number, inError: boolean): void {
    if (value === undefined || value === null || (name === "name" && isToolCall(holder))) return;
    const isProse = PROSE_FIELDS.has(name);
    if (OUTPUT_LISTS.has(name) && Array.isArray(value) && value.length === 0) signals.tokens.add("empty:output");
    if (isProse && !inError && (typeof value === "string" || Array.isArray(value))) return;
    if (name === "headers" || name === "responseheaders") return addHeaders(signals, value);
    if (name === "error" && value !== "" && (typeof value === "string" || typeof value === "object")) {
      signals.tokens.add("says:error");
    }
    const read = FIELDS.get(name) ?? (isProse || name.endsWith("message") ? "text" : undefined);
    if (read === "text") addTextValue(signals, value);
    else if (read === "token or text") addTokenOrText(signals, value);
    else read?.(signals, value, name);
    if (typeof value === "object") walk(value, depth + 1, inError);
  }

  return walk;
}

const isErrorObject = (value: object): boolean => value instanceof Error;
/** The errors of `child_process` have the exit code in `code`, which is an errno or a status elsewhere; `cmd` tells them apart. */
function addExitCode(signals: Signals, { cmd, code }: Foreign): void {
  if (typeof cmd === "string" && typeof code === "number") signals.exitCode ??= code;
}

const className = (value: object): string => value.constructor.name;

/** Not all of them, because an object may have a million keys. */
function firstKeys(value: object): readonly string[] {
  const keys: string[] = [];
  for (const key in value) if (Object.hasOwn(value, key) && keys.push(key) === MAX_KEYS) break;
  return keys;
}

function decode(bytes: ArrayBufferView): string {
  const length = Math.min(bytes.byteLength, HEAD_CHARS + TAIL_CHARS);
  return new TextDecoder().decode(new Uint8Array(bytes.buffer, bytes.byteOffset, length));
}

/** Whether the model wrote this object, so that its `name` says nothing about the failure. */
function isToolCall(holder: object): boolean {
  const type = readWith(holder as Foreign, (it) => it["type"]);
  return type === "tool_use" || type === "function" || type === "tool_call";
}

function saysError(holder: object): boolean {
  return (
    readWith(holder as Foreign, (it) => it["is_error"]) === true ||
    readWith(holder as Foreign, (it) => it["isError"]) === true
  );
}

/** An error has the headers of its response, and a body may quote those of an upstream response (OpenRouter does). */
function addHeaders(signals: Signals, headers: unknown): void {
  signals.headers ??= headers;
}

function addTextValue(signals: Signals, value: unknown): void {
  if (typeof value === "string") addText(signals, value);
}

/** Walks a text that is JSON or a stream of events as data. Keeps any other text, shortened, for `read-text.ts`. */
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

/** Server-sent events: the data of each is JSON and is walked. An event that broke off is read as text, if it is about an error. */
function addEvents(signals: Signals, text: string): void {
  const events = text.slice(0, MAX_JSON_CHARS).split(/\n{2,}|\n(?=data:)/, MAX_EVENTS);
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

/** If the caller knows that its signal did not fire, an abort can only be a timeout. */
function abortOf(aborted: Evidence["aborted"]): Signals["aborted"] {
  if (aborted === true) return "turn";
  if (aborted === false) return "no";
  return aborted === "session" || aborted === "turn" || aborted === "tool" ? aborted : null;
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

// The meaning of a foreign object's fields: one table for all providers, SDKs and CLIs.

/** Reads one field. `text`: the field is a text. `token or text`: an identifier, or a text if it has spaces or is long. */
type Read = ((signals: Signals, value: unknown, name: string) => void) | "text" | "token or text";

/** Fields by meaning, in lower case. Other fields are only walked for the fields inside them. */
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

/** Fields with the model's words or those of a failed call. They are read only in an object that says it is an error. */
const PROSE_FIELDS = new Set(["content", "result", "text", "output"]);
/** Fields for a model's answer. An empty list means that the model gave none. */
const OUTPUT_LISTS = new Set(["choices", "candidates", "output"]);
/** Parts of the request, and large fields that say nothing about the failure. */
// prettier-ignore
const SKIPPED_FIELDS = new Set([
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

function signalName(value: unknown): string {
  if (typeof value !== "string") return "";
  const name = value.toUpperCase();
  return /^SIG[A-Z0-9]{2,9}$/.test(name) ? name : "";
}

// The facts that rules look at. This file fills them from structured data, and `read-text.ts` from words.

export interface Signals {
  readonly surface: Surface;
  readonly provider: string;
  /** Which scope was cancelled; "no" when the caller knows that none was, null when unknown. */
  readonly aborted: CancelScope | "no" | null;
  /** HTTP status, 0 when unknown. */
  status: number;
  /** Identifiers a program wrote: error types, codes, names, RPC states; lower case. */
  readonly tokens: Set<string>;
  /** Identifiers from fields, as they were written: `exceeded_current_quota_error`, `InvalidApiKey`. */
  readonly names: string[];
  /** Upper-case error codes of Node, undici, TLS, SQLite. */
  readonly errnos: Set<string>;
  readonly stops: Set<string>;
  /** JSON-RPC error code, 0 when none. */
  rpcCode: number;
  exitCode: number | null;
  signal: string;
  readonly texts: string[];
  headers: unknown;
  /** Fields that tell when to try again, as found in bodies: name (lower case) → value. */
  readonly timings: Map<string, string | number>;
  readonly observedAt: number | undefined;
  /** An answer that is there but empty: the body of a 2xx, an output to be validated. */
  emptyBody: boolean;
}

function addToken(signals: Signals, value: unknown): void {
  if (typeof value !== "string" || value.length > 80) return;
  signals.tokens.add(value.toLowerCase());
  signals.names.push(value);
}

/** A code in upper case may be an errno, one of three digits is a status, and any other is an identifier. */
function addCode(signals: Signals, value: string): void {
  if (value.length === 3 && /^\d{3}$/.test(value)) return addStatus(signals, Number(value));
  if (/^[A-Z][A-Z0-9_]+$/.test(value)) signals.errnos.add(value);
  addToken(signals, value);
}

/** Keeps the outermost failing status. An error inside a 200 counts for more than the 200 that carried it. */
export function addStatus(signals: Signals, value: number): void {
  if (isHttpStatus(value) && value >= 400 && signals.status < 400) signals.status = value;
}

/** Google names the window of a quota in its id, and whose quota it is: `GenerateRequestsPerDayPerProjectPerModel-FreeTier`. */
export function addQuotaId(signals: Signals, value: string): void {
  if (/per_?(?:base_?)?model/i.test(value)) signals.tokens.add("quota:model");
  else if (/per_?(?:project|user)/i.test(value)) signals.tokens.add("quota:account");
  if (/per_?day|daily/i.test(value)) signals.tokens.add("quota:day");
  else if (/per_?minute/i.test(value)) signals.tokens.add("quota:minute");
}

function isHttpStatus(value: unknown): value is number {
  return typeof value === "number" && Number.isInteger(value) && value >= 100 && value <= 599;
}

// Response headers, in whatever object and letter case they come, and what some of them say about the cause.

export type HeaderReader = (name: string) => string | undefined;

/** Adds signals that only headers have: AWS names the exception, and a Claude plan says that its window is used up. */
export function readHeaders(signals: Signals, header: HeaderReader): void {
  addToken(signals, header("x-amzn-errortype")?.split(":")[0]);
  if (header("anthropic-ratelimit-unified-status") === "rejected") signals.tokens.add("plan:rejected");
}

/** Reads headers of any kind of object, in any letter case; null when there are none. */
export function createHeaderReader(headers: unknown): HeaderReader | null {
  if (typeof headers !== "object" || headers === null) return null;
  // `new String(…)` has a key for every character: looking through the keys of a long one takes minutes.
  if (isA(headers, String)) return null;
  // Most clients give a plain object, which has no `get`.
  const get = readField(headers, "get");
  if (typeof get === "function" && tryRead(() => typeof Headers === "function" && headers instanceof Headers, false)) {
    return (name) => headerText(tryRead(() => (headers as Headers).get(name), undefined));
  }
  let byName: Map<string, unknown> | undefined;
  return (name) => {
    const direct = readField(headers, name);
    return headerText(direct ?? (byName ??= otherwiseNamed(headers)).get(name));
  };
}

const NO_HEADERS = new Map<string, unknown>();

/** Most clients lower-case header names, so a plain lookup usually settles it. */
function otherwiseNamed(headers: object): Map<string, unknown> {
  return readWith(headers, isLowerCased) === true ? NO_HEADERS : lowerCased(headers);
}

function isLowerCased(headers: object): boolean {
  if (Array.isArray(headers) || headers instanceof Map) return false;
  for (const name of Object.keys(headers)) if (name !== name.toLowerCase()) return false;
  return true;
}

/** No server sends more. A hostile array can claim four billion items, and a hostile Map can iterate without end. */
const MAX_HEADERS = 256;

function lowerCased(headers: object): Map<string, unknown> {
  const byName = new Map<string, unknown>();
  const pairs = tryRead(() => pairsOf(headers), []);
  for (const pair of pairs.slice(0, MAX_HEADERS)) {
    if (Array.isArray(pair) && typeof pair[0] === "string") byName.set(pair[0].toLowerCase(), pair[1]);
  }
  return byName;
}

/** A Map, pairs, names and values in turn (Node's raw headers), or an object. */
function pairsOf(headers: object): readonly unknown[] {
  if (headers instanceof Map) return firstPairs(headers as Map<unknown, unknown>);
  if (!Array.isArray(headers)) return Object.entries(headers);
  const list = Array.prototype.slice.call(headers, 0, 2 * MAX_HEADERS) as readonly unknown[];
  if (list.every((item) => typeof item !== "string")) return list;
  return list.flatMap((item, index) => (index % 2 === 0 ? [[item, list[index + 1]]] : []));
}

function firstPairs(headers: Iterable<unknown>): readonly unknown[] {
  const pairs: unknown[] = [];
  for (const pair of headers) if (pairs.push(pair) === MAX_HEADERS) break;
  return pairs;
}

function headerText(value: unknown): string | undefined {
  const first: unknown = Array.isArray(value) ? value[0] : value;
  if (typeof first === "number") return String(first);
  return typeof first === "string" && first.length <= 1024 ? first : undefined;
}
