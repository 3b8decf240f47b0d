// The one place where secrets are taken out: by shape (a key looks like a key), by the name of the field that holds
// them, and by known value (also encoded). Everything that leaves for a model, a user, a log or a page passes here.

import { parseJson, tolerate } from "../tolerate.ts";

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

interface SecretShape {
  readonly name: string;
  readonly pattern: RegExp;
  readonly example: string;
  /** Keeps a harmless head of the match, e.g. the scheme of a header. */
  readonly replacement?: string;
}

/** Names of fields whose value is secret whatever it looks like. */
const SECRET_FIELD =
  "(?:x[-_])?(?:goog[-_])?api[-_]?key|apikey|(?:access|refresh|id|auth|session|bearer|oauth|bot|device)[-_]?token|token|(?:client|app)?[-_]?secret(?:[-_]?(?:access[-_]?)?key)?|private[-_]?key|access[-_]?key(?:[-_]?id)?|pass(?:word|wd|phrase)|pwd|(?:proxy[-_])?authorization|(?:set[-_])?cookie|credentials?|signing[-_]?key|[a-z0-9_-]{1,40}(?:api[-_]?key|secret(?:[-_]?key)?|passw(?:or)?d|token)";

const SECRET_FIELD_NAME = new RegExp(`^(?:${SECRET_FIELD})$`, "i");

/** `openaiApiKey` and `DB_PASSWORD` are names of the same kind as `openai_api_key`. */
function isSecretField(name: string): boolean {
  return name.length <= 128 && SECRET_FIELD_NAME.test(name.replace(/([a-z0-9])([A-Z])/g, "$1_$2"));
}

// prettier-ignore
export const SECRET_SHAPES: readonly SecretShape[] = [
  { name: "private key",   pattern: /-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----(?:[^-]|-(?!----END ))*(?:-----END [A-Z ]{0,40}PRIVATE KEY-----)?/g, example: "-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBg\n-----END PRIVATE KEY-----" },
  { name: "authorization", pattern: /\b(Bearer|Basic|Token|Digest)\s+(?=[A-Za-z._~+/=:-]{0,40}[0-9=]|[A-Za-z0-9._~+/=:-]{24})[A-Za-z0-9._~+/=:-]{8,}/gi, replacement: `$1 ${REDACTED}`, example: "Authorization: Bearer abcdef0123456789" },
  { name: "quoted field",  pattern: new RegExp(`(?<![a-z0-9])((?:${SECRET_FIELD})(\\\\*["'])\\s{0,20}[:=]>?\\s{0,20})\\2(?:(?!\\2)[\\s\\S]){1,4096}`, "gi"), replacement: `$1$2${REDACTED}`, example: '{\\"api_key\\":\\"p@ss, with spaces\\"}' },
  { name: "bare field",    pattern: new RegExp(`(?<![a-z0-9])(?!token["']?\\s{0,4}[:=]\\s{0,4}[a-z]{1,24}(?![a-z0-9]))((?:${SECRET_FIELD})["']?\\s{0,20}(?:=|:(?!//))\\s{0,20}["']?)[^\\s"'\\\\,;&<>(){}\\[\\]]{4,}`, "gi"), replacement: `$1${REDACTED}`, example: "https://host/v1?api_key=abcd1234&x=1" },
  { name: "url key",       pattern: /([?&](?:key|sig|signature|code|auth|x-amz-[a-z-]{1,40})=)[^&\s"'#<>]{4,}/gi, replacement: `$1${REDACTED}`, example: "https://host/v1beta/models?key=abcd1234" },
  { name: "url user",      pattern: /(\/\/)[^\s/@:"']{0,256}:[^\s/@"']{1,256}@/g, replacement: `$1${REDACTED}@`, example: "postgres://user:pa55word@db/x" },
  { name: "sk key",        pattern: /(?<![A-Za-z0-9_-])(?:sk|pk|rk)[-_][A-Za-z0-9_-]{8,}/g, example: "sk-ant-api03-AAAABBBBCCCC" },
  { name: "google key",    pattern: /\bAIza[A-Za-z0-9_-]{16,}/g, example: "AIzaSyA-0123456789abcdef" },
  { name: "google token",  pattern: /\bya29\.[A-Za-z0-9_-]{8,}/g, example: "ya29.a0AfH6SMBx" },
  { name: "github token",  pattern: /\b(?:gh[pousr]|github_pat)_[A-Za-z0-9_]{16,}/g, example: "ghp_0123456789abcdefABCDEF0123456789abcd" },
  { name: "gitlab token",  pattern: /\bglpat-[A-Za-z0-9_-]{12,}/g, example: "glpat-0123456789abcdefABCD" },
  { name: "vendor key",    pattern: /\b(?:gsk|xai|hf|pplx|npm|fw|tgp|dop_v1|csk|nvapi|r8|or-v1)[-_][A-Za-z0-9_-]{16,}/g, example: "gsk_0123456789abcdefABCD" },
  { name: "slack token",   pattern: /\bxox[a-z]-[A-Za-z0-9-]{8,}/g, example: "xoxb-0123456789-abcdef" },
  { name: "aws key id",    pattern: /\b(?:AKIA|ASIA)[A-Z0-9]{12,}/g, example: "AKIAIOSFODNN7EXAMPLE" },
  { name: "jwt",           pattern: /(?<![A-Za-z0-9_-])eyJ[A-Za-z0-9_-]{6,}\.[A-Za-z0-9_-]{6,}(?:\.[A-Za-z0-9_-]*)?/g, example: "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2ln" },
];

/** A redactor that knows these values besides the shapes. Values shorter than four characters are ignored. */
export function createRedactor(knownValues: Iterable<string> = []): Redactor {
  const needles = [...new Set([...knownValues].flatMap(spellingsOf))].sort((a, b) => b.length - a.length);
  // In any letter case: what passes a value on may have changed it.
  const known = needles.length === 0 ? undefined : new RegExp(needles.map(escapeRegExp).join("|"), "gi");

  function text(value: string): string {
    // A known value may lie across the cut, so it is taken out before.
    let out = known === undefined ? value : value.replace(known, REDACTED);
    if (out.length > MAX_TEXT) out = `${out.slice(0, MAX_TEXT)}… (${value.length} characters)`;
    for (const { pattern, replacement } of SECRET_SHAPES) out = out.replace(pattern, replacement ?? REDACTED);
    return out;
  }

  return { text, value: (value) => scrub(value, text) };
}

/** Knows shapes and field names only. */
export const SHAPE_REDACTOR: Redactor = createRedactor();

function escapeRegExp(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&");
}

/** The ways a known value shows up: as it is, in a URL, in JSON, in hex, and in base64 at each of the three alignments. */
function spellingsOf(value: string): readonly string[] {
  if (value.length < MIN_KNOWN_VALUE) return [];
  const bytes = new TextEncoder().encode(value);
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
  const base64 = [0, 1, 2].flatMap((shift) => {
    const inner = base64Inside(bytes, shift);
    return [inner, inner.replaceAll("+", "-").replaceAll("/", "_")];
  });
  const plain = [value, encodeURIComponent(toWellFormed(value)), JSON.stringify(value).slice(1, -1)];
  return [...plain, hex, hex.toUpperCase(), ...base64].filter((spelling) => spelling.length >= MIN_KNOWN_VALUE);
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
    if (typeof value === "bigint") return value.toString();
    if (typeof value === "number") return Number.isFinite(value) ? value : null;
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
    if (Array.isArray(value))
      return Array.from({ length: Math.min(value.length, MAX_NODES) }, (_, i) => visit(value[i], depth + 1));
    const out: Record<string, unknown> = {};
    for (const [key, item] of entriesOf(value)) {
      const clean = text(key);
      const safe = isSecretField(key) && item !== null && item !== undefined ? REDACTED : visit(item, depth + 1);
      if (safe !== undefined)
        Object.defineProperty(out, clean, { value: safe, enumerable: true, configurable: true, writable: true });
    }
    return out;
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

/** Own fields of anything: errors show name and message, headers and maps their pairs; a getter that throws shows as such. */
function* entriesOf(value: object): Iterable<[string, unknown]> {
  if (value instanceof Error) {
    yield ["name", tolerate(() => value.name, UNREADABLE)];
    yield ["message", tolerate(() => value.message, UNREADABLE)];
    const cause = tolerate(() => value.cause, UNREADABLE);
    if (cause !== undefined) yield ["cause", cause];
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
