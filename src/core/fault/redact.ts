// The one place where secrets are taken out: by shape (a key looks like a key), by the name of what holds them, and by
// known value (also encoded). Everything that leaves for a model, a user, a log or a page passes here.

import { parseJson, tryRead } from "../try-read.ts";
import { createKnownValues, CUT, REDACTED } from "./known-values.ts";

export { REDACTED };

/** Takes secrets out of texts and values. */
export interface Redactor {
  /** Scrubs one string. */
  readonly text: (value: string) => string;
  /** Scrubs any value into plain JSON data; cycles, throwing getters and oversized trees are cut, never thrown. */
  readonly value: (value: unknown) => unknown;
}

export interface LearningRedactor extends Redactor {
  /** Takes these values out as well, from now on: secrets that come up while a program runs. */
  readonly learn: (values: Iterable<unknown>) => void;
}

const UNREADABLE = "[unreadable]";

/** Limits that keep scrubbing linear and finite whatever it is given. */
const MAX_DEPTH = 24;
const MAX_NODES = 20_000;
const MAX_TEXT = 262_144;
const ESCAPE = "\u001b";
const COLOURS = /\u001b\[[0-9;?]{0,32}[A-Za-z]/g;
/** How far from its beginning a secret may be recognised: so much in front of a cut is not shown. */
const REACH = 4608;

/**
 * A redactor that knows these values besides the shapes: texts and numbers, also inside lists and objects. Shorter than four characters they
 * are ignored. With `base` it takes out all that `base` knows, too, now and later: for a run with secrets of its own.
 */
export function createRedactor(knownValues: Iterable<unknown> = [], base: Redactor | null = null): LearningRedactor {
  const values = [...knownValues];
  let known = createKnownValues(values);

  function text(value: string): string {
    // A colour in front of a secret would hide where it begins.
    const plain = value.includes(ESCAPE) ? value.replace(COLOURS, "") : value;
    // A known value may lie across the cut, so it is taken out before.
    const out = known.mask(plain);
    return base === null ? withoutShapes(out) : base.text(out);
  }

  return {
    text,
    value: (value) => scrub(value, text),
    learn: (more) => {
      const news = [...more].filter((value) => value !== undefined && value !== "" && !values.includes(value));
      if (news.length === 0) return;
      values.push(...news);
      known = createKnownValues(values);
    },
  };
}

/** Knows shapes and names only. */
export const SHAPE_REDACTOR: Redactor = createRedactor();

/** Most values are short numbers, and every shape needs more than digits. */
const NUMBER = /^-?[\d.]{0,32}$/;

/** Where a long text is cut, a margin at the cut is dropped as well: half a secret would not be recognised. */
function withoutShapes(text: string): string {
  if (NUMBER.test(text) || clean.has(text)) return text;
  let out = text.length > MAX_TEXT ? text.slice(0, MAX_TEXT) : text;
  for (const { pattern, replace } of secretShapes()) {
    out = replace === undefined ? out.replace(pattern, REDACTED) : out.replace(pattern, replace);
  }
  if (out === text && text.length <= MAX_CLEAN_CHARS) rememberClean(text);
  return text.length > MAX_TEXT ? `${out.slice(0, -REACH)}${CUT} (${text.length} characters)` : out;
}

/** Names and codes come again and again, and looking for every shape costs more than all else. Only what holds no secret is remembered. */
const clean = new Set<string>();
const MAX_CLEAN = 2_000;
const MAX_CLEAN_CHARS = 80;

function rememberClean(text: string): void {
  if (clean.size >= MAX_CLEAN) clean.clear();
  clean.add(text);
}

/** An assignment to `__proto__` would set no field, and a definition takes several times as long. */
function setField(out: Record<string, unknown>, name: string, value: unknown): void {
  if (name === "__proto__") {
    Object.defineProperty(out, name, { value, enumerable: true, configurable: true, writable: true });
  } else out[name] = value;
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
    const out = tryRead(() => visitObject(value, depth), UNREADABLE);
    path.delete(value);
    return out;
  }

  function visitObject(value: object, depth: number): unknown {
    if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer) return `[${value.byteLength} bytes]`;
    if (value instanceof URL || value instanceof Date) return text(tryRead(() => String(value), UNREADABLE));
    if (Array.isArray(value)) return visitList(value, depth);
    const out: Record<string, unknown> = {};
    const named = secretPair(value);
    for (const [key, item] of entriesOf(value)) {
      const isSecret = (isSecretName(key) || (named && /^value$/i.test(key))) && canBeSecret(key, item);
      const safe = isSecret ? REDACTED : visit(item, depth + 1);
      if (safe === undefined) continue;
      setField(out, text(key), safe);
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
    if ((opens === "{" || opens === "[") && value.length <= MAX_TEXT) {
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

interface Tagged {
  readonly [Symbol.toStringTag]?: unknown;
  readonly entries?: unknown;
}

/** By its tag: naming the class itself makes Node load all of its `fetch`, and other packages have a class of their own. */
function isHeaders(value: object): value is Headers {
  const isTagged = (it: Tagged): boolean => it[Symbol.toStringTag] === "Headers" && typeof it.entries === "function";
  return tryRead(() => isTagged(value), false);
}

/** Own fields of anything: errors show name, message and causes, headers and maps their pairs; a getter that throws shows as such. */
function* entriesOf(value: object): Iterable<[string, unknown]> {
  if (value instanceof Error) {
    for (const key of ["name", "message", "cause", "errors"] as const) {
      yield [key, tryRead(() => (value as { readonly [field in typeof key]?: unknown })[key], UNREADABLE)];
    }
  }
  if (value instanceof Map || isHeaders(value)) {
    for (const [key, item] of value.entries()) yield [String(key), item];
    return;
  }
  if (value instanceof Set) {
    let index = 0;
    for (const item of value) yield [String(index++), item];
    return;
  }
  const fields = value as Readonly<Record<string, unknown>>;
  for (const key of tryRead(() => Object.keys(fields), [UNREADABLE])) {
    yield [key, tryRead(() => fields[key], UNREADABLE)];
  }
}

// How secrets look in text: keys with a vendor's prefix, and values behind a telling name such as `password`. One row per shape,
// with a real example. Every pattern reads a text once: none of them may take longer than linear time.

interface SecretShape {
  readonly name: string;
  readonly pattern: RegExp;
  readonly example: string;
  /** The replacement; by default the mark alone. */
  readonly replace?: (all: string, ...groups: string[]) => string;
}

const keepFirst = (_all: string, head = ""): string => head + REDACTED;

/** An escaped line break or character ends in a letter or a digit, and is not part of the word behind it. */
const ESCAPED = String.raw`\\[nrtfvb0]|%(?:25)?[0-9a-fA-F]{2}|\\u[0-9a-fA-F]{4}|\\x[0-9a-fA-F]{2}`;

/** A pattern that begins where a word does, or right behind an escape; `inside` are the characters that words are made of. */
function word(source: string, { inside = String.raw`\w`, flags = "g" } = {}): RegExp {
  return new RegExp(`(?:(?<![${inside}])|(?<=${ESCAPED}))(?:${source})`, flags);
}

const KEY = { inside: String.raw`\w-` };
const ANY_CASE = { flags: "gi" };

/** Names that may be secret ones, so that a pattern does not run over every pair of a text; `isSecretName` decides. */
const LATIN_NAME = String.raw`[\w.-]{0,40}(?:pass|pwd|pw|secret|token|key|auth|cookie|credential|jwt|bearer|session|pem)[\w.-]{0,24}`;
const CHINESE_NAME = "密码|口令|密钥|秘钥|令牌|凭证|授权码|密碼|密鑰";
/** White space, also as a URL spells it. */
const GAP = String.raw`(?:\s|%20|\+){0,8}`;
/** The same, on one line: a name at the end of a line does not belong to what begins the next. */
const SAME_LINE = String.raw`(?:[^\S\r\n]|%20|\+){0,8}`;

/**
 * A pair, found by what stands behind its name. From there the name is looked for backwards: forwards, a text such as `key.key.key…` would be
 * read again from each of its words. Groups: what is before the name, the name, what is between, then those of `between`, the value.
 */
function field(afterName: string, separator: string, between: string, value: string): RegExp {
  const name = String.raw`(^|[^\w-]|(?=${CHINESE_NAME}))(${LATIN_NAME}|${CHINESE_NAME})`;
  return new RegExp(`(?=${separator})(?<=${name}${afterName})((?:${separator})${between})(${value})`, "gi");
}

/** The same for markup and flags, where what opens the name says that one begins. */
function opened(open: string, between: string, value: string): RegExp {
  return new RegExp(`(${open})(${LATIN_NAME}|${CHINESE_NAME})(${between})(${value})`, "gi");
}

/** A name right behind an escaped line break or space has the last characters of that escape in front. */
const REST_OF_ESCAPE: ReadonlyMap<string, RegExp> = new Map([
  ["\\", /^(?:[nrtfvb0]|u[0-9a-f]{4}|x[0-9a-f]{2})/i],
  ["%", /^(?:25)*[0-9a-f]{2}/i],
]);

function isSecretField(before: string, name: string): boolean {
  const escape = REST_OF_ESCAPE.get(before);
  return isSecretName(name) || (escape !== undefined && isSecretName(name.replace(escape, "")));
}

/** The pair is left alone unless the name is a secret one. */
function ifSecret(all: string, before = "", name = "", between = "", value = "", ...rest: readonly unknown[]): string {
  if (!isSecretField(before, name) || isWordOfParser(name, value) || value.startsWith(REDACTED)) return all;
  // `secret: true` says that something is one, also at the end of a sentence.
  if (/^(?:true|false|null|none|undefined)[`.!?]{0,3}$/i.test(value)) return all;
  // "password: String must contain …" is a sentence about it, not it.
  const [offset, whole] = rest;
  const after =
    typeof offset === "number" && typeof whole === "string"
      ? whole.slice(offset + all.length, offset + all.length + 16)
      : "";
  if (between.endsWith(": ") && /^[A-Za-z]+$/.test(value) && /^ [a-z]{2,}/.test(after)) return all;
  return all.slice(0, all.length - value.length) + REDACTED;
}

/** Made on first use, because compiling the patterns costs more than loading all other tables of core. */
// prettier-ignore
const SHAPES = (): readonly SecretShape[] => [
  { name: "private key",   pattern: /-----BEGIN [A-Z ]{0,40}PRIVATE KEY(?: BLOCK)?-----(?:[^-]|-(?!----END ))*(?:-----END [A-Z ]{0,40}-----)?/g, example: "-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBg\n-----END PRIVATE KEY-----" },
  { name: "header line",   pattern: /((?:^|(?<=\\[nr]|%0[ad]))[ \t<>]{0,8}(?:(?:proxy-)?authorization|(?:set-)?cookie)[ \t]{0,4}:(?!\s{0,4}(?:header\b|the\b|is\b|missing|required|invalid|not ))[ \t]{0,4})(?:(?!\\[nr]|%0[ad])[^\r\n]){3,}/gim, replace: keepFirst, example: 'Authorization: Digest username="x", response="abcdef0123"' },
  { name: "whole header",  pattern: word(String.raw`((?:proxy-)?authorization|(?:set-)?cookie)((?:\\{0,16}["'])?\s{0,4}[:=](?!\s{0,4}(?:header\b|the\b|is\b|missing|required|invalid|not ))\s{0,4}(?:\\{0,16}["'])?)[^\r\n"'\\]{3,}`, ANY_CASE), replace: (_all, name = "", gap = "") => name + gap + REDACTED, example: "Cookie: lang=en; session=abcdef0123" },
  { name: "scheme",        pattern: word(String.raw`(Bearer|Basic|ApiKey)((?:\s|%20|\+){1,8})(?=[A-Za-z._~+/=:-]{0,40}[0-9=]|[A-Za-z0-9._~+/=:-]{24})[A-Za-z0-9._~+/=:-]{8,}`, ANY_CASE), replace: (_all, scheme = "", gap = "") => scheme + gap + REDACTED, example: "Bearer abcdef0123456789" },
  { name: "quoted field",  pattern: field(String.raw`\\{0,16}["']?${SAME_LINE}`, "=>|[:=：]", String.raw`\s{0,8}b?(\\{0,16})(["'])`, String.raw`(?:(?!\4\5)(?:\\[\s\S]|[\s\S]))+`), replace: (all, before, name, between, _slash, _quote, value, ...rest) => ifSecret(all, before, name, between, value, ...rest), example: '{\\"api_key\\":\\"p@ss, with spaces\\"}' },
  { name: "bare field",    pattern: field(String.raw`["']?${SAME_LINE}`, String.raw`=|：|(?:是|为)[：:]?|:(?!\/\/)|%3[ad]`, GAP, String.raw`[^\s"'\\,;&<>(){}[\]]{4,}`), replace: ifSecret, example: "https://host/v1?api_key=abcd1234&x=1" },
  { name: "block field",   pattern: field(`["']?`, ":", String.raw` {0,8}[|>][+-]?\s{1,40}`, String.raw`\S{3,}`), replace: ifSecret, example: "password: |\n  abcd1234" },
  { name: "spoken field",  pattern: word(String.raw`((?:api|access|secret|private) (?:key|token)s?(?: (?:provided|is|was|used))? ?[:=：] ?)(?!https?:|\/)[^\s"',;<>]{4,}`, ANY_CASE), replace: keepFirst, example: "Incorrect API key provided: abcd1234efgh" },
  { name: "flag",          pattern: opened(String.raw`(?<!\S)--?`, " ", String.raw`[^\s"'-][^\s"']{2,}`), replace: ifSecret, example: "deploy --password abcd1234" },
  { name: "user flag",     pattern: /((?<!\S)(?:-u ?|--user[ =])[^\s:]{1,128}:)(?!\d+\b)[^\s"']{3,256}/g, replace: keepFirst, example: "curl -u admin:abcd1234" },
  { name: "element",       pattern: opened("<", ">", String.raw`[^<]{3,}(?=<\/)`), replace: ifSecret, example: "<password>abcd1234</password>" },
  { name: "url key",       pattern: /([?&](?:key|sig|signature|auth|code|x-amz-[a-z-]{1,40})=)(?![A-Z]{2,10}-\d+\b)(?=[^&\s"'#<>]{0,64}\d)[^&\s"'#<>]{4,}/gi, replace: keepFirst, example: "https://host/v1beta/models?key=abcd1234" },
  { name: "url user",      pattern: /(\/\/)[^\s/"'<>]{1,512}@/g, replace: (_all, head = "") => `${head}${REDACTED}@`, example: "postgres://user:pa55word@db/x" },
  { name: "web hook",      pattern: /(\/\/(?:hooks\.slack\.com\/(?:services|workflows|triggers)|discord(?:app)?\.com\/api\/webhooks)\/)[\w/-]{8,}/g, replace: keepFirst, example: "https://hooks.slack.com/services/T000/B000/abcdefgh" },
  { name: "sk key",        pattern: word(String.raw`sk-(?:[A-Za-z0-9]{1,8}-){0,8}[A-Za-z0-9_]{12,}[A-Za-z0-9_-]*|[spr]k_(?:live|test)_[A-Za-z0-9]{8,}`, KEY), example: "sk-ant-api03-AAAABBBBCCCC" },
  { name: "glued key",     pattern: /sk-(?:ant|proj|or|svcacct)-(?=[A-Za-z_-]{0,64}\d)[A-Za-z0-9_-]{16,}/g, example: "--sk-ant-api03-AAAABBBBCCCC" },
  { name: "uuid key",      pattern: word(String.raw`sk-lf-[0-9a-f]{8}-[0-9a-f-]{8,}`, KEY), example: "sk-lf-0f1e2d3c-4b5a-6978-8796-a5b4c3d2e1f0" },
  { name: "google key",    pattern: word(String.raw`AIza[A-Za-z0-9_-]{16,}`), example: "AIzaSyA-0123456789abcdef" },
  { name: "google token",  pattern: word(String.raw`ya29\.[A-Za-z0-9_-]{8,}`), example: "ya29.a0AfH6SMBx" },
  { name: "github token",  pattern: word(String.raw`(?:gh[pousr]|github_pat)_[A-Za-z0-9_]{16,}`), example: "ghp_0123456789abcdefABCDEF0123456789abcd" },
  { name: "gitlab token",  pattern: word(String.raw`glpat-[A-Za-z0-9_-]{12,}`), example: "glpat-0123456789abcdefABCD" },
  { name: "vendor key",    pattern: word(String.raw`(?:(?:gsk|xai|pplx|dop_v1|csk|nvapi|r8|tvly|whsec|shpat|dckr_pat|lin_api|ntn|sntrys|sbp|glptt|GOCSPX)[-_](?=[A-Za-z0-9_-]{0,64}\d)[A-Za-z0-9_-]{16,}|(?:hf|npm|fw|tgp)_[A-Za-z0-9]{20,}|tgp_v1_[A-Za-z0-9_-]{16,}|hvs\.[A-Za-z0-9_-]{20,}|pypi-AgEI[A-Za-z0-9_-]{16,}|xapp-1-[A-Za-z0-9-]{16,}|dapi[0-9a-f]{32}|ABSK[A-Za-z0-9+/=]{24,}|LTAI5t[A-Za-z0-9]{12,})`, KEY), example: "gsk_0123456789abcdefABCD" },
  { name: "service key",   pattern: word(String.raw`(?:figd_|glsa_|glc_|lsv2_(?:pt|sk)_|phx_|pul-|sgp_|e2b_|jina_|CFPAT-|NRAK-|PMAK-|tskey-[a-z]{2,16}-|ATATT|ATCTT|dp\.(?:pt|st|ct)\.)(?=[A-Za-z0-9_=-]{0,64}\d)[A-Za-z0-9_=-]{16,}|AGE-SECRET-KEY-[A-Z0-9]{16,}`, KEY), example: "glsa_0123456789abcdefABCDEF0123456789_01234567" },
  { name: "mail key",      pattern: word(String.raw`SG\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}`), example: "SG.abcdefgh01.abcdefgh0123" },
  { name: "bot token",     pattern: word(String.raw`bot\d{6,12}:[A-Za-z0-9_-]{16,}`), example: "bot123456789:AAabcdefgh0123456789" },
  { name: "slack token",   pattern: word(String.raw`xox[a-z]-[A-Za-z0-9-]{8,}`), example: "xoxb-0123456789-abcdef" },
  { name: "aws key id",    pattern: word(String.raw`(?:AKIA|ASIA)[A-Z0-9]{12,}`), example: "AKIAIOSFODNN7EXAMPLE" },
  { name: "jwt",           pattern: word(String.raw`eyJ[A-Za-z0-9_-]{6,}\.[A-Za-z0-9_-]{6,}(?:\.[A-Za-z0-9_-]*)?`, KEY), example: "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2ln" },
];

let made: readonly SecretShape[] | null = null;

export function secretShapes(): readonly SecretShape[] {
  return (made ??= SHAPES());
}

// Which fields hold secrets, by their name: one answer for objects, headers, text, flags and markup.

/** A word that makes a name secret whatever stands around it. */
// prettier-ignore
const SECRET_WORDS = new Set([
  "password", "passwords", "passwd", "passphrase", "passcode", "pwd", "pw", "secret", "secrets", "authorization", "cookie", "cookies", "credential", "credentials",
  "jwt", "bearer", "apikey", "apikeys", "privatekey", "accesskey", "authtoken", "accesstoken", "refreshtoken", "sessionid",
]);
const CHINESE = /密码|口令|密钥|秘钥|令牌|凭证|授权码|密碼|密鑰/;

/** Words that make a key or several tokens secret ones: `api_key`, `AWS_SECRET_ACCESS_KEY`, `x-functions-key`, `refreshTokens`; a plain `key` is none. */
// prettier-ignore
const SECRET_KINDS = new Set([
  "api", "access", "refresh", "private", "signing", "encryption", "master", "account", "subscription", "functions", "service", "client", "auth", "admin", "session", "security", "csrf", "ssh", "deploy", "ai",
  "openai", "anthropic", "google", "gemini", "azure", "aws", "groq", "mistral", "xai", "deepseek", "openrouter", "stripe", "linear", "github", "gitlab", "slack", "sendgrid", "twilio", "tavily", "pinecone", "supabase", "vercel", "sentry",
]);

/** Words that make a token a count, a place or a letter of a tokenizer: `max_token`, `nextPageToken`, `eos_token`. */
// prettier-ignore
const HARMLESS_TOKENS = new Set([
  "max", "min", "total", "prompt", "completion", "input", "output", "count", "per", "page", "next", "cancellation", "limit", "remaining", "reset", "requested", "budget", "context",
  "cached", "reasoning", "thinking", "eos", "bos", "pad", "unk", "sep", "mask", "stop", "special", "start", "end",
]);

/** Last words that speak about a secret instead of holding it: `secretName`, `password_required`. */
const ABOUT = new Set([
  "name",
  "names",
  "required",
  "length",
  "policy",
  "strength",
  "type",
  "path",
  "file",
  "manager",
  "arn",
  "enabled",
  "expiry",
  "rules",
]);

/** Last words that say which one of several a secret is: `OPENAI_API_KEY_PROD`. Numbers do the same: `API_KEY_2`, `apiKey2`. */
// prettier-ignore
const WHICH = new Set([
  "prod", "production", "stage", "staging", "dev", "development", "test", "live", "ci", "local", "primary", "secondary", "backup", "fallback", "default", "old", "new",
]);

const MAX_NAME_CHARS = 128;

/** The same names come again and again, and most of the work on a record would be to take them apart. */
const answers = new Map<string, boolean>();
const MAX_ANSWERS = 2_000;

export function isSecretName(name: string): boolean {
  if (name.length > MAX_NAME_CHARS) return false;
  let answer = answers.get(name);
  if (answer === undefined) {
    answer = namesSecret(name);
    if (answers.size >= MAX_ANSWERS) answers.clear();
    answers.set(name, answer);
  }
  return answer;
}

function namesSecret(name: string): boolean {
  if (CHINESE.test(name)) return true;
  const words = withoutWhich(wordsOf(name));
  const last = words.at(-1) ?? "";
  if (ABOUT.has(last)) return false;
  if (last === "pass" || words.some((word) => SECRET_WORDS.has(word) || word.endsWith("password"))) return true;
  const hasKind = words.some((word) => SECRET_KINDS.has(word));
  if (last === "key" || last === "keys" || last === "pem" || last === "tokens") return hasKind;
  if (last === "token") return hasKind || !words.some((word) => HARMLESS_TOKENS.has(word));
  return words.join(" ") === "session id" || name.toLowerCase() === "_auth";
}

/** `[api, key, 2]`, `[api, key2]` and `[api, key, prod]` → `[api, key]`. A single word keeps its number: `pass1` is one of several passes. */
function withoutWhich(words: readonly string[]): readonly string[] {
  const end = words.findLastIndex((word) => !WHICH.has(word) && !/^\d+$/.test(word));
  const kept = words.slice(0, end + 1);
  const last = kept.at(-1)?.replace(/\d+$/, "") ?? "";
  return last === "pass" && end === 0 ? words : [...kept.slice(0, -1), last];
}

/** `openAIKey`, `DB_PASS`, `x-api-key` → their words, in lower case. */
function wordsOf(name: string): readonly string[] {
  return name
    .replace(/([a-z0-9])([A-Z])/g, "$1 $2")
    .replace(/([A-Z])([A-Z][a-z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== "");
}

/** Whether a value behind a secret name can be one: a number or a yes is only a secret where a password is expected. */
export function canBeSecret(name: string, value: unknown): boolean {
  if (value === null || value === undefined || typeof value === "boolean") return false;
  if (typeof value === "number" || typeof value === "bigint") return !/token|key/i.test(name);
  return !(typeof value === "string" && HARMLESS_VALUES.has(value));
}

/** What a browser calls its ways of sending credentials. */
const HARMLESS_VALUES = new Set(["", "same-origin", "include", "omit"]);

/** What stands behind "token" by chance: "unexpected token: identifier", "token: 1234", "`slow-first-token:wait-ms=4000`", a model's setting. */
function isWordOfParser(name: string, value: string): boolean {
  return /token$/i.test(name) && /^(?:[A-Za-z_]{1,24}|\d{1,6}|\W{1,3}|[a-z]{2,10}-ms=\d{1,7}`?)$/.test(value);
}
