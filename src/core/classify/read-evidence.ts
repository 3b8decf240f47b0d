// Evidence → signals. Walks objects, cause chains and AggregateErrors, bounded in depth and number; survives throwing
// getters and cycles. Text is only collected here: `read-text.ts` reads it when no structured signal was enough.

import { isA, parseJson, readField, readWith, tryRead } from "../try-read.ts";
import type { Evidence } from "./evidence.ts";
import { FIELDS, OUTPUT_LISTS, PROSE_FIELDS, signalName, SKIPPED_FIELDS } from "./fields.ts";
import { addCode, addToken, isHttpStatus, type Signals } from "./signals.ts";

const MAX_NODES = 400;
const MAX_DEPTH = 16;
const MAX_ITEMS = 16;
const MAX_KEYS = 128;
/** The parts of a long text that are read: its head, where the error usually is, and its tail, where the last output is. */
const HEAD_CHARS = 49_152;
const TAIL_CHARS = 16_384;
/** A longer text is not parsed as JSON; the reader of text still finds the pairs in it. */
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
  // A proxy may throw from anything; what the other parts say still counts.
  if (evidence.error !== undefined) tryRead(() => walk(evidence.error, 0), undefined);
  if (evidence.body !== undefined && evidence.body !== null) tryRead(() => walk(evidence.body, 0), undefined);
  if (typeof evidence.message === "string") addText(signals, evidence.message);
  if (signals.exitCode !== null && !NEVER_RAN.has(signals.exitCode)) signals.tokens.add("exit:failed");
  signals.emptyBody =
    (isSuccess(signals.status) || evidence.surface === "schema") &&
    isEmpty(evidence.body) &&
    signals.texts.length === 0;
  return signals;
}

type Foreign = Readonly<Record<string, unknown>>;

/** Not enumerable on errors, so asked for by name; each by a function of its own, because a key in a variable is looked up slowly. */
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
  // A list, as most failures are one or two objects, for which a set is dear; MAX_NODES bounds the search.
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
  const type = readWith(holder as Foreign, (it) => it["type"]);
  return type === "tool_use" || type === "function" || type === "tool_call";
}

function saysError(holder: object): boolean {
  return (
    readWith(holder as Foreign, (it) => it["is_error"]) === true ||
    readWith(holder as Foreign, (it) => it["isError"]) === true
  );
}

/** Errors carry the headers of their response, and a body may quote those of the answer behind it (OpenRouter does). */
function addHeaders(signals: Signals, headers: unknown): void {
  signals.headers ??= headers;
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
  if (!isAsciiLetter(first) && /^\s{0,64}<(?:!doctype html|html)/i.test(text)) signals.tokens.add("body:html");
  if (signals.texts.length >= MAX_ITEMS) return;
  const short =
    text.length <= HEAD_CHARS + TAIL_CHARS ? text : `${text.slice(0, HEAD_CHARS)}\n${text.slice(-TAIL_CHARS)}`;
  if (!signals.texts.includes(short)) signals.texts.push(short);
}

/** Most messages begin with one, and no page of HTML does. */
function isAsciiLetter(unit: number): boolean {
  return (unit >= 0x61 && unit <= 0x7a) || (unit >= 0x41 && unit <= 0x5a);
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
