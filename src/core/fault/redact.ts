// The one place where secrets are taken out: by shape (a key looks like a key), by the name of what holds them, and by
// known value (also encoded). Everything that leaves for a model, a user, a log or a page passes here.

import { parseJson, tolerate } from "../tolerate.ts";
import { isPlainWord, isSecretName } from "./secret-names.ts";

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
/** A shorter value would blank out ordinary words. */
const MIN_KNOWN_VALUE = 4;
/** A longer one is searched for as it is, not as a pattern. */
const MAX_PATTERN = 1024;

interface SecretShape {
  readonly name: string;
  readonly pattern: RegExp;
  readonly example: string;
  /** What stands in its place; by default the mark alone. */
  readonly replace?: (...groups: readonly string[]) => string;
}

const keepFirst = (_all: string, head = ""): string => head + REDACTED;
/** `name` and `value` are the second and the last group: the pair is left alone unless the name is a secret one. */
const ifSecret = (all: string, head = "", name = "", value = ""): string =>
  isSecretName(name) && !isPlainWord(value) && value !== REDACTED ? head + REDACTED : all;

/** A name that may be a secret one, so that the pattern does not run over every pair of a text; `isSecretName` decides. */
const SECRETISH = String.raw`[\w.-]{0,40}(?:pass|pwd|secret|token|key|auth|cookie|credential|jwt|bearer|session|pem)[\w.-]{0,24}|密码|口令|密钥|令牌`;

/** Name, what stands between, value: the first two are kept. */
function field(between: string, value: string, before = ""): RegExp {
  return new RegExp(String.raw`((?<![\w-])${before}(${SECRETISH})${between})(${value})`, "gi");
}

// prettier-ignore
export const SECRET_SHAPES: readonly SecretShape[] = [
  { name: "private key",   pattern: /-----BEGIN [A-Z ]{0,40}PRIVATE KEY(?: BLOCK)?-----(?:[^-]|-(?!----END ))*(?:-----END [A-Z ]{0,40}-----)?/g, example: "-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBg\n-----END PRIVATE KEY-----" },
  { name: "header line",   pattern: /^([ \t<>]{0,8}(?:(?:proxy-)?authorization|(?:set-)?cookie)[ \t]{0,4}:[ \t]{0,4})[^\r\n]{3,4096}/gim, replace: keepFirst, example: 'Authorization: Digest username="x", response="abcdef0123"' },
  { name: "whole header",  pattern: /\b((?:proxy-)?authorization|(?:set-)?cookie)((?:\\*["'])?\s{0,4}[:=]\s{0,4}(?:\\*["'])?)[^\r\n"'\\]{3,4096}/gi, replace: (_all, name = "", gap = "") => name + gap + REDACTED, example: "Cookie: lang=en; session=abcdef0123" },
  { name: "scheme",        pattern: /\b(Bearer|Basic|Token|Digest|ApiKey)(\s+)(?=[A-Za-z._~+/=:-]{0,40}[0-9=]|[A-Za-z0-9._~+/=:-]{24})[A-Za-z0-9._~+/=:-]{8,}/gi, replace: (_all, scheme = "", gap = "") => scheme + gap + REDACTED, example: "Bearer abcdef0123456789" },
  { name: "quoted field",  pattern: field(String.raw`\\*["']?\s{0,8}(?:=>|[:=：])\s{0,8}b?(\\*)(["'])`, String.raw`(?:(?!\3\4)(?:\\[\s\S]|[\s\S])){1,65536}`), replace: (all, head, name, ...rest) => ifSecret(all, head, name, rest[2]), example: '{\\"api_key\\":\\"p@ss, with spaces\\"}' },
  { name: "bare field",    pattern: field(String.raw`["']?\s{0,8}(?:=|：|:(?!\/\/))\s{0,8}`, String.raw`[^\s"'\\,;&<>(){}[\]]{4,4096}`), replace: ifSecret, example: "https://host/v1?api_key=abcd1234&x=1" },
  { name: "spoken field",  pattern: /(\b(?:api|access|secret|private) (?:key|token)s?(?: (?:provided|is|was|used))? ?[:=：] ?)[^\s"',;<>]{4,512}/gi, replace: keepFirst, example: "Incorrect API key provided: abcd1234efgh" },
  { name: "flag",          pattern: field(" ", String.raw`[^\s"'-][^\s"']{2,512}`, "--?"), replace: ifSecret, example: "deploy --password abcd1234" },
  { name: "user flag",     pattern: /((?<!\S)-u\s+[^\s:]{1,128}:)[^\s"']{3,256}/g, replace: keepFirst, example: "curl -u admin:abcd1234" },
  { name: "element",       pattern: field(">", String.raw`[^<]{3,4096}(?=<\/)`, "<"), replace: ifSecret, example: "<password>abcd1234</password>" },
  { name: "url key",       pattern: /([?&](?:key|sig|signature|auth|code|x-amz-[a-z-]{1,40})=)(?=[^&\s"'#<>]{0,64}\d)[^&\s"'#<>]{4,}/gi, replace: keepFirst, example: "https://host/v1beta/models?key=abcd1234" },
  { name: "url user",      pattern: /(\/\/)[^\s/"'<>]{1,512}@/g, replace: (_all, head = "") => `${head}${REDACTED}@`, example: "postgres://user:pa55word@db/x" },
  { name: "web hook",      pattern: /(\/\/(?:hooks\.slack\.com\/services|discord(?:app)?\.com\/api\/webhooks)\/)[\w/-]{8,}/g, replace: keepFirst, example: "https://hooks.slack.com/services/T000/B000/abcdefgh" },
  { name: "sk key",        pattern: /(?<![\w-])(?:(?:sk|pk|rk)[-_](?=[A-Za-z0-9_-]{0,64}\d)[A-Za-z0-9_-]{8,}|sk-[A-Za-z0-9-]{12,})/g, example: "sk-ant-api03-AAAABBBBCCCC" },
  { name: "google key",    pattern: /\bAIza[A-Za-z0-9_-]{16,}/g, example: "AIzaSyA-0123456789abcdef" },
  { name: "google token",  pattern: /\bya29\.[A-Za-z0-9_-]{8,}/g, example: "ya29.a0AfH6SMBx" },
  { name: "github token",  pattern: /\b(?:gh[pousr]|github_pat)_[A-Za-z0-9_]{16,}/g, example: "ghp_0123456789abcdefABCDEF0123456789abcd" },
  { name: "gitlab token",  pattern: /\bglpat-[A-Za-z0-9_-]{12,}/g, example: "glpat-0123456789abcdefABCD" },
  { name: "vendor key",    pattern: /\b(?:gsk|xai|hf|pplx|npm|fw|tgp|dop_v1|csk|nvapi|r8|or-v1|tvly|whsec)[-_][A-Za-z0-9_-]{16,}/g, example: "gsk_0123456789abcdefABCD" },
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
    let out = value;
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
      const isSecret = isSecretName(key) || (named && key === "value");
      const safe = isSecret && item !== null && item !== undefined ? REDACTED : visit(item, depth + 1);
      if (safe === undefined) continue;
      Object.defineProperty(out, text(key), { value: safe, enumerable: true, configurable: true, writable: true });
    }
    return out;
  }

  /** A list may be names and values in turn, as raw headers and arguments are: what follows a secret name is secret. */
  function visitList(list: readonly unknown[], depth: number): unknown[] {
    return list.slice(0, MAX_NODES).map((item, index) => {
      const before: unknown = list[index - 1];
      const follows = typeof before === "string" && before.length < 64 && !/\s/.test(before) && isSecretName(before);
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

/** `{ name: "Authorization", value: "…" }`, as HAR files and some clients write headers. */
function secretPair(value: object): boolean {
  const { name, key } = value as { readonly name?: unknown; readonly key?: unknown };
  return [name, key].some((label) => typeof label === "string" && isSecretName(label));
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
