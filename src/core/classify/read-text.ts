// What free text says in a form a program wrote: `"type":"overloaded_error"` at any depth of escaping, `code: 'ECONNRESET'`,
// Python's repr, truncated JSON, `HTTP 429`, `API Error: 529`, an upper-case errno. One tolerant reader for all of them
// instead of a parser for each; every pattern is linear (no nested quantifiers).

import { addQuotaId, addStatus, type Signals } from "./signals.ts";

/** `key: value` in JSON, JSON inside JSON strings, Python, and what Node's inspect prints. */
const PAIR =
  /\b(type|code|status|reason|error_?type|error_?code|subtype|name|terminal_reason|status_?code|http_?status(?:_?code)?|finish_?reason|stop_?reason|quotaId|x-amzn-errortype|exception-type|retryDelay|estimated_time|resets_in_seconds|resets_at)["'\\]{0,9}\s{0,4}[:=]\s{0,4}["'\\]{0,9}([A-Za-z0-9_.-]{1,80})/gi;

/** A word that a program made: `context_length_exceeded`, `ThrottlingException`, `RESOURCE_EXHAUSTED`, `ECONNRESET`. */
const IDENTIFIER =
  /^(?:[a-z]+(?:_[a-z0-9]+)+|[A-Za-z][A-Za-z0-9]{0,60}(?:Error|Exception)|(?:AI_)?[A-Z][a-z]+[A-Z][A-Za-z0-9]*|[A-Z][A-Z0-9]{2,}(?:_[A-Z0-9]+)*)$/;

/** A three-digit number is a status only where HTTP speaks: after such a word, before a reason phrase, or leading. */
const STATUS_PLACES: readonly RegExp[] = [
  /(?:\bHTTP(?:\/[\d.]{1,3})?|\bstatus(?:[ _]?code)?|\bAPI Error|\bError code|\bresponse code(?: was)?|\berror|\bhttp_status|\bstatusCode)["']?[\s:=([#-]{1,4}(?:is |of |HTTP )?["']?([45]\d\d)\b(?![\w.:,-]*\d)/i,
  /(?:^|[^\w.:/-])([45]\d\d)[:\s]{1,2}(?:\(?(?:Too Many Requests|Internal Server Error|Internal Error|Bad Gateway|Service (?:Temporarily )?Unavailable|Gateway Time-?out|Unauthorized|Forbidden|Not Found|Bad Request|Payment Required|Request Entity Too Large|Payload Too Large|Request Timeout|Conflict|Unprocessable|Client Error|Server Error|Overloaded|INVALID_ARGUMENT|PERMISSION_DENIED|RESOURCE_EXHAUSTED|UNAVAILABLE|INTERNAL|NOT_FOUND|status code))/i,
  /^\W{0,4}(?:\w{0,40}(?:Error|Exception)\W{1,3})?\[?([45]\d\d)\b(?![\w.,:/-]*\d)(?! tokens)/,
  /(?:error|exception|rejected|failed|failure|status|http|response|request|not_found)[^()\n]{0,48}\(([45]\d\d)\)/i,
  /(?:Error|Exception|failed|model):? \[?([45]\d\d)\b(?![\w.,:/-]*\d)(?! tokens)/,
  /: ([45]\d\d) (?:[A-Z{<"]|status)/,
  /\| ([45]\d\d) \|/,
  /\(([45]\d\d) [a-z]/i,
];

const TIMING_NAMES = new Set(["retrydelay", "estimatedtime", "resetsinseconds", "resetsat"]);

/** How much of a text is searched for a status: enough for any message, little enough for any dump. */
const STATUS_CHARS = 8_192;
const MAX_PAIRS = 200;

/** Adds what the collected texts say to the signals. */
export function readTexts(signals: Signals): void {
  for (const text of signals.texts) {
    readPairs(text, signals);
    readIdentifiers(text, signals);
    if (signals.status < 400) readStatus(text, signals);
    readRpcCode(text, signals);
    readBucket(text, signals);
  }
}

/** `Limit 7000, Used 0, Requested 12903`: a single request larger than the whole bucket never fits, however long one waits. */
function readBucket(text: string, signals: Signals): void {
  const head = text.slice(0, STATUS_CHARS);
  if (!head.includes("Requested")) return;
  const found = /\bLimit:? (\d{1,12}),.{0,40}Requested:? ~?(\d{1,12})/.exec(head);
  if (found !== null && Number(found[2]) > Number(found[1])) signals.tokens.add("request>limit");
}

function readPairs(text: string, signals: Signals): void {
  if (!text.includes(":") && !text.includes("=")) return;
  let left = MAX_PAIRS;
  // `matchAll` would copy the expression each time.
  PAIR.lastIndex = 0;
  for (let found = PAIR.exec(text); found !== null; found = PAIR.exec(text)) {
    if (left-- === 0) return;
    const [, key = "", value = ""] = found;
    const name = key.toLowerCase().replaceAll("_", "");
    if (name === "quotaid") addQuotaId(signals, value);
    else if (TIMING_NAMES.has(name)) signals.timings.set(key.toLowerCase(), value);
    else if (name.endsWith("reason") && name !== "reason" && name !== "terminalreason")
      signals.stops.add(value.toLowerCase());
    else if (/^\d{3}$/.test(value)) addStatus(signals, Number(value));
    else signals.tokens.add(value.toLowerCase());
  }
}

function readIdentifiers(text: string, signals: Signals): void {
  readBrackets(text, signals);
  let left = MAX_PAIRS;
  for (let from = 0; from < text.length; from++) {
    if (traitOf(text, from) === NOT_IN_WORD) continue;
    let end = from + 1;
    // What lies behind the first letter tells most words of a language from identifiers.
    let isMade = traitOf(text, from) === UNDERSCORE;
    for (let trait = traitOf(text, end); trait !== NOT_IN_WORD; trait = traitOf(text, ++end)) isMade ||= trait > LOWER;
    if (isMade && !isPartOfPath(text, from) && IDENTIFIER.test(text.slice(from, end))) {
      if (left-- === 0) return;
      addIdentifier(text.slice(from, end), signals);
    }
    from = end;
  }
}

function addIdentifier(word: string, signals: Signals): void {
  if (word === word.toUpperCase()) signals.errnos.add(word);
  signals.tokens.add(word.toLowerCase());
}

/** Connect and gRPC put their state in brackets: `[unavailable] Error`. */
function readBrackets(text: string, signals: Signals): void {
  const head = text.slice(0, STATUS_CHARS);
  if (!head.includes("[")) return;
  for (const [, state = ""] of head.matchAll(/\[([a-z_]{4,24})\]/g)) signals.tokens.add(state);
}

const NOT_IN_WORD = 0;
const LOWER = 1;
const UPPER_OR_DIGIT = 2;
const UNDERSCORE = 3;

/** What each ASCII character is inside an identifier. */
const TRAITS = new Uint8Array(128);
TRAITS.fill(LOWER, 0x61, 0x7b);
TRAITS.fill(UPPER_OR_DIGIT, 0x41, 0x5b);
TRAITS.fill(UPPER_OR_DIGIT, 0x30, 0x3a);
TRAITS[0x5f] = UNDERSCORE;

function traitOf(text: string, at: number): number {
  return at < text.length ? (TRAITS[text.charCodeAt(at)] ?? NOT_IN_WORD) : NOT_IN_WORD;
}

function isPartOfPath(text: string, from: number): boolean {
  const before = from === 0 ? "" : text[from - 1];
  return before === "/" || before === "-";
}

function readStatus(text: string, signals: Signals): void {
  const head = text.slice(0, STATUS_CHARS);
  if (!/[45]\d\d/.test(head)) return;
  for (const place of STATUS_PLACES) {
    const found = place.exec(head)?.[1];
    if (found !== undefined) return addStatus(signals, Number(found));
  }
}

function readRpcCode(text: string, signals: Signals): void {
  const head = text.slice(0, STATUS_CHARS);
  if (signals.rpcCode !== 0 || !head.includes("-32")) return;
  const found = /(?:error|code)["'\\]{0,9}[\s:]{1,4}(-32\d{3})\b/i.exec(head)?.[1];
  if (found !== undefined) signals.rpcCode = Number(found);
}
