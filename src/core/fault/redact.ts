// The one place where secrets are taken out: by shape (a key looks like a key), by the name of what holds them, and by
// known value (also encoded). Everything that leaves for a model, a user, a log or a page passes here.

import { parseJson, tolerate } from "../tolerate.ts";
import { canBeSecret, isSecretName, isWordOfParser } from "./secret-names.ts";

export interface Redactor {
  /** Scrubs one string. */
  readonly text: (value: string) => string;
  /** Scrubs any value into plain JSON data; cycles, throwing getters and oversized trees are cut, never thrown. */
  readonly value: (value: unknown) => unknown;
}

export const REDACTED = "[redacted]";
const UNREADABLE = "[unreadable]";

/** Limits that keep scrubbing linear and finite whatever it is given. */
const MAX_DEPTH = 24;
const MAX_NODES = 20_000;
const MAX_TEXT = 262_144;
const ESCAPE = "\u001b";
const COLOURS = /\u001b\[[0-9;?]{0,32}[A-Za-z]/g;
/** A shorter value would blank out ordinary words. */
const MIN_KNOWN_VALUE = 4;
/** A longer one is searched for as it is, not as a pattern. */
const MAX_PATTERN = 1024;

interface SecretShape {
  readonly name: string;
  readonly pattern: RegExp;
  readonly example: string;
  /** What stands in its place; by default the mark alone. */
  readonly replace?: (all: string, ...groups: string[]) => string;
}

const keepFirst = (_all: string, head = ""): string => head + REDACTED;
/** `name` and `value` are the second and the last group: the pair is left alone unless the name is a secret one. */
function ifSecret(all: string, head = "", name = "", value = "", ...rest: readonly unknown[]): string {
  if (!isSecretName(name) || isWordOfParser(name, value) || value === REDACTED) return all;
  // "password: String must contain …" is a sentence about it, not it.
  const [offset, whole] = rest;
  const after =
    typeof offset === "number" && typeof whole === "string"
      ? whole.slice(offset + all.length, offset + all.length + 16)
      : "";
  if (head.endsWith(": ") && /^[A-Za-z]+$/.test(value) && /^ [a-z]{2,}/.test(after)) return all;
  return head + REDACTED;
}

/** Names that may be secret ones, so that a pattern does not run over every pair of a text; `isSecretName` decides. */
const LATIN_NAME = String.raw`[\w.-]{0,40}(?:pass|pwd|pw|secret|token|key|auth|cookie|credential|jwt|bearer|session|pem)[\w.-]{0,24}`;
const CHINESE_NAME = "密码|口令|密钥|秘钥|令牌|凭证|授权码|密碼|密鑰";

/** Name, what stands between, value: the first two are kept. */
function field(between: string, value: string, before = String.raw`(?<![\w-])`): RegExp {
  return new RegExp(String.raw`((${before}${LATIN_NAME}|${CHINESE_NAME})${between})(${value})`, "gi");
}

// prettier-ignore
export const SECRET_SHAPES: readonly SecretShape[] = [
  { name: "private key",   pattern: /-----BEGIN [A-Z ]{0,40}PRIVATE KEY(?: BLOCK)?-----(?:[^-]|-(?!----END ))*(?:-----END [A-Z ]{0,40}-----)?/g, example: "-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBg\n-----END PRIVATE KEY-----" },
  { name: "header line",   pattern: /^([ \t<>]{0,8}(?:(?:proxy-)?authorization|(?:set-)?cookie)[ \t]{0,4}:(?!\s{0,4}(?:header\b|the\b|is\b|missing|required|invalid|not ))[ \t]{0,4})[^\r\n]{3,4096}/gim, replace: keepFirst, example: 'Authorization: Digest username="x", response="abcdef0123"' },
  { name: "whole header",  pattern: /\b((?:proxy-)?authorization|(?:set-)?cookie)((?:\\*["'])?\s{0,4}[:=](?!\s{0,4}(?:header\b|the\b|is\b|missing|required|invalid|not ))\s{0,4}(?:\\*["'])?)[^\r\n"'\\]{3,4096}/gi, replace: (_all, name = "", gap = "") => name + gap + REDACTED, example: "Cookie: lang=en; session=abcdef0123" },
  { name: "scheme",        pattern: /\b(Bearer|Basic|ApiKey)(\s+)(?=[A-Za-z._~+/=:-]{0,40}[0-9=]|[A-Za-z0-9._~+/=:-]{24})[A-Za-z0-9._~+/=:-]{8,}/gi, replace: (_all, scheme = "", gap = "") => scheme + gap + REDACTED, example: "Bearer abcdef0123456789" },
  { name: "quoted field",  pattern: field(String.raw`\\*["']?\s{0,8}(?:=>|[:=：])\s{0,8}b?(\\*)(["'])`, String.raw`(?:(?!\3\4)(?:\\[\s\S]|[\s\S])){1,65536}`), replace: (all, head, name, _slash, _quote, value) => ifSecret(all, head, name, value), example: '{\\"api_key\\":\\"p@ss, with spaces\\"}' },
  { name: "bare field",    pattern: field(String.raw`["']?\s{0,8}(?:=|：|(?:是|为)[：:]?|:(?!\/\/))\s{0,8}`, String.raw`[^\s"'\\,;&<>(){}[\]]{4,4096}`), replace: ifSecret, example: "https://host/v1?api_key=abcd1234&x=1" },
  { name: "block field",   pattern: field(String.raw`["']?: {0,8}[|>][+-]?\s{1,40}`, String.raw`\S{3,4096}`), replace: ifSecret, example: "password: |\n  abcd1234" },
  { name: "spoken field",  pattern: /(\b(?:api|access|secret|private) (?:key|token)s?(?: (?:provided|is|was|used))? ?[:=：] ?)(?!https?:|\/)[^\s"',;<>]{4,512}/gi, replace: keepFirst, example: "Incorrect API key provided: abcd1234efgh" },
  { name: "flag",          pattern: field(" ", String.raw`[^\s"'-][^\s"']{2,512}`, String.raw`(?<!\S)--?`), replace: ifSecret, example: "deploy --password abcd1234" },
  { name: "user flag",     pattern: /((?<!\S)(?:-u ?|--user[ =])[^\s:]{1,128}:)(?!\d+\b)[^\s"']{3,256}/g, replace: keepFirst, example: "curl -u admin:abcd1234" },
  { name: "element",       pattern: field(">", String.raw`[^<]{3,4096}(?=<\/)`, "<"), replace: ifSecret, example: "<password>abcd1234</password>" },
  { name: "url key",       pattern: /([?&](?:key|sig|signature|auth|code|x-amz-[a-z-]{1,40})=)(?![A-Z]{2,10}-\d+\b)(?=[^&\s"'#<>]{0,64}\d)[^&\s"'#<>]{4,}/gi, replace: keepFirst, example: "https://host/v1beta/models?key=abcd1234" },
  { name: "url user",      pattern: /(\/\/)[^\s/"'<>]{1,512}@/g, replace: (_all, head = "") => `${head}${REDACTED}@`, example: "postgres://user:pa55word@db/x" },
  { name: "web hook",      pattern: /(\/\/(?:hooks\.slack\.com\/(?:services|workflows|triggers)|discord(?:app)?\.com\/api\/webhooks)\/)[\w/-]{8,}/g, replace: keepFirst, example: "https://hooks.slack.com/services/T000/B000/abcdefgh" },
  { name: "sk key",        pattern: /(?<![\w-])(?:sk-(?:[A-Za-z0-9]{1,8}-){0,4}[A-Za-z0-9_]{12,}[A-Za-z0-9_-]*|[spr]k_(?:live|test)_[A-Za-z0-9]{8,})/g, example: "sk-ant-api03-AAAABBBBCCCC" },
  { name: "google key",    pattern: /\bAIza[A-Za-z0-9_-]{16,}/g, example: "AIzaSyA-0123456789abcdef" },
  { name: "google token",  pattern: /\bya29\.[A-Za-z0-9_-]{8,}/g, example: "ya29.a0AfH6SMBx" },
  { name: "github token",  pattern: /\b(?:gh[pousr]|github_pat)_[A-Za-z0-9_]{16,}/g, example: "ghp_0123456789abcdefABCDEF0123456789abcd" },
  { name: "gitlab token",  pattern: /\bglpat-[A-Za-z0-9_-]{12,}/g, example: "glpat-0123456789abcdefABCD" },
  { name: "vendor key",    pattern: /(?<![\w-])(?:(?:gsk|xai|pplx|dop_v1|csk|nvapi|r8|tvly|whsec|shpat|dckr_pat|lin_api|ntn|sntrys|sbp|glptt|GOCSPX)[-_](?=[A-Za-z0-9_-]{0,64}\d)[A-Za-z0-9_-]{16,}|(?:hf|npm|fw|tgp)_[A-Za-z0-9]{20,}|hvs\.[A-Za-z0-9_-]{20,}|pypi-AgEI[A-Za-z0-9_-]{16,}|xapp-1-[A-Za-z0-9-]{16,}|dapi[0-9a-f]{32}|ABSK[A-Za-z0-9+/=]{24,}|LTAI5t[A-Za-z0-9]{12,})/g, example: "gsk_0123456789abcdefABCD" },
  { name: "mail key",      pattern: /\bSG\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}/g, example: "SG.abcdefgh01.abcdefgh0123" },
  { name: "bot token",     pattern: /\bbot\d{6,12}:[A-Za-z0-9_-]{16,}/g, example: "bot123456789:AAabcdefgh0123456789" },
  { name: "slack token",   pattern: /\bxox[a-z]-[A-Za-z0-9-]{8,}/g, example: "xoxb-0123456789-abcdef" },
  { name: "aws key id",    pattern: /\b(?:AKIA|ASIA)[A-Z0-9]{12,}/g, example: "AKIAIOSFODNN7EXAMPLE" },
  { name: "jwt",           pattern: /(?<![\w-])eyJ[A-Za-z0-9_-]{6,}\.[A-Za-z0-9_-]{6,}(?:\.[A-Za-z0-9_-]*)?/g, example: "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2ln" },
];

/** A redactor that knows these values besides the shapes. What is no text, or shorter than four characters, is ignored. */
export function createRedactor(knownValues: Iterable<string | undefined> = []): Redactor {
  const needles = [...new Set([...knownValues].flatMap(spellingsOf))].sort((a, b) => b.length - a.length);
  const long = needles.filter(({ length }) => length > MAX_PATTERN);
  const short = needles.filter(({ length }) => length <= MAX_PATTERN);
  // In any letter case: what passes a value on may have changed it.
  const known = short.length === 0 ? undefined : new RegExp(short.map(escapeRegExp).join("|"), "gi");

  function text(value: string): string {
    // A colour in front of a secret would hide where it begins.
    let out = value.includes(ESCAPE) ? value.replace(COLOURS, "") : value;
    // A known value may lie across the cut, so it is taken out before.
    for (const needle of long) out = out.replaceAll(needle, REDACTED);
    if (known !== undefined) out = out.replace(known, REDACTED);
    if (out.length > MAX_TEXT) out = `${out.slice(0, MAX_TEXT)}… (${value.length} characters)`;
    for (const { pattern, replace } of SECRET_SHAPES) {
      out = replace === undefined ? out.replace(pattern, REDACTED) : out.replace(pattern, replace);
    }
    return out;
  }

  return { text, value: (value) => scrub(value, text) };
}

/** Knows shapes and names only. */
export const SHAPE_REDACTOR: Redactor = createRedactor();

function escapeRegExp(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&");
}

/** The ways a known value shows up: as it is, in URLs, in JSON inside JSON, in hex, and in base64 at each of three alignments. */
function spellingsOf(value: unknown): readonly string[] {
  if (typeof value !== "string" || value.length < MIN_KNOWN_VALUE) return [];
  const bytes = new TextEncoder().encode(value);
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
  const base64 = [0, 1, 2].flatMap((shift) => {
    const inner = base64Inside(bytes, shift);
    return [inner, inner.replaceAll("+", "-").replaceAll("/", "_")];
  });
  const url = encodeURIComponent(toWellFormed(value));
  const urls = [url, url.replaceAll("%20", "+"), encodeURIComponent(url), encodeURI(toWellFormed(value))];
  const ascii = JSON.stringify(value).replace(
    /[\u0080-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
  const json = [asJson(value), asJson(asJson(value)), asJson(asJson(asJson(value))), ascii.slice(1, -1)];
  return [value, ...urls, ...json, hex, ...base64].filter(({ length }) => length >= MIN_KNOWN_VALUE);
}

function asJson(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

/** The base64 characters that depend on the value alone when `shift` unknown bytes come before it. */
function base64Inside(bytes: Uint8Array, shift: number): string {
  let padded = "\0".repeat(shift);
  for (const byte of bytes) padded += String.fromCharCode(byte);
  const encoded = btoa(padded).replaceAll("=", "");
  const head = shift === 0 ? 0 : shift + 1;
  const tail = padded.length % 3 === 0 ? 0 : 1;
  return encoded.slice(head, encoded.length - tail);
}

function toWellFormed(value: string): string {
  return value.replace(/[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/g, "\uFFFD");
}

function scrub(root: unknown, text: (value: string) => string): unknown {
  const path = new Set<object>();
  let nodes = 0;

  function visit(value: unknown, depth: number): unknown {
    if (typeof value === "string") return scrubString(value, depth);
    if (typeof value === "number" || typeof value === "bigint") return scrubNumber(value);
    if (typeof value === "boolean" || value === null) return value;
    if (typeof value !== "object") return undefined;
    if (path.has(value)) return "[circular]";
    if (depth >= MAX_DEPTH || ++nodes > MAX_NODES) return "[too deep or too large]";
    path.add(value);
    const out = tolerate(() => visitObject(value, depth), UNREADABLE);
    path.delete(value);
    return out;
  }

  function visitObject(value: object, depth: number): unknown {
    if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer) return `[${value.byteLength} bytes]`;
    if (value instanceof URL || value instanceof Date) return text(tolerate(() => String(value), UNREADABLE));
    if (Array.isArray(value)) return visitList(value, depth);
    const out: Record<string, unknown> = {};
    const named = secretPair(value);
    for (const [key, item] of entriesOf(value)) {
      const isSecret = (isSecretName(key) || (named && /^value$/i.test(key))) && canBeSecret(key, item);
      const safe = isSecret ? REDACTED : visit(item, depth + 1);
      if (safe === undefined) continue;
      Object.defineProperty(out, text(key), { value: safe, enumerable: true, configurable: true, writable: true });
    }
    return out;
  }

  /** A list may be names and values in turn, as raw headers and arguments are: what follows such a secret name is secret. */
  function visitList(list: readonly unknown[], depth: number): unknown[] {
    return list.slice(0, MAX_NODES).map((item, index) => {
      const before: unknown = list[index - 1];
      const follows = typeof before === "string" && HEADER_OR_FLAG.test(before) && isSecretName(before);
      return follows && typeof item === "string" ? REDACTED : visit(item, depth + 1);
    });
  }

  function scrubNumber(value: number | bigint): unknown {
    const shown = String(value);
    if (text(shown) !== shown) return REDACTED;
    if (typeof value === "bigint") return shown;
    return Number.isFinite(value) ? value : null;
  }

  /** JSON inside a string is scrubbed as data, so that a secret field is found whatever its value looks like. */
  function scrubString(value: string, depth: number): string {
    const opens = value.trimStart().charAt(0);
    if ((opens === "{" || opens === "[") && value.length <= MAX_TEXT && depth < MAX_DEPTH) {
      const parsed = parseJson(value);
      if (typeof parsed === "object" && parsed !== null) return text(JSON.stringify(visit(parsed, depth + 1)));
    }
    return text(value);
  }

  return visit(root, 0);
}

/** In a list only these announce a value; any other word may be a step of a path. */
const HEADER_OR_FLAG =
  /^(?:--?[a-z-]{2,40}|(?:proxy-)?authorization|(?:set-)?cookie|(?:x-)?(?:goog-)?api-key|x-[a-z-]{2,40})$/i;

/** `{ name: "Authorization", value: "…" }`, as HAR files and some clients write headers. */
function secretPair(value: object): boolean {
  const { name, key, Name } = value as { readonly name?: unknown; readonly key?: unknown; readonly Name?: unknown };
  return [name, key, Name].some((label) => typeof label === "string" && isSecretName(label));
}

/** Own fields of anything: errors show name, message and causes, headers and maps their pairs; a getter that throws shows as such. */
function* entriesOf(value: object): Iterable<[string, unknown]> {
  if (value instanceof Error) {
    for (const key of ["name", "message", "cause", "errors"] as const) {
      const item = tolerate(() => (value as { readonly [field in typeof key]?: unknown })[key], UNREADABLE);
      if (item !== undefined) yield [key, item];
    }
  }
  if (value instanceof Map || (typeof Headers === "function" && value instanceof Headers)) {
    for (const [key, item] of value.entries()) yield [String(key), item];
    return;
  }
  if (value instanceof Set) {
    let index = 0;
    for (const item of value) yield [String(index++), item];
    return;
  }
  const fields = value as Readonly<Record<string, unknown>>;
  for (const key of tolerate(() => Object.keys(fields), [UNREADABLE])) {
    yield [key, tolerate(() => fields[key], UNREADABLE)];
  }
}
