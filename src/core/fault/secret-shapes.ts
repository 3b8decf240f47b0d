// How secrets look in text: keys with a vendor's prefix, and values behind a telling name such as `password`. One row per shape,
// with a real example. Every pattern reads a text once: none of them may take longer than linear time.

import { isSecretName, isWordOfParser } from "./secret-names.ts";

/** What stands in place of a secret. */
export const REDACTED = "[redacted]";

interface SecretShape {
  readonly name: string;
  readonly pattern: RegExp;
  readonly example: string;
  /** The replacement; by default the mark alone. */
  readonly replace?: (all: string, ...groups: string[]) => string;
}

const keepFirst = (_all: string, head = ""): string => head + REDACTED;

/** An escaped line break or character ends in a letter or a digit, and is not part of the word behind it. */
const ESCAPE = String.raw`\\[nrtfvb0]|%(?:25)?[0-9a-fA-F]{2}|\\u[0-9a-fA-F]{4}|\\x[0-9a-fA-F]{2}`;

/** A pattern that begins where a word does, or right behind an escape; `inside` are the characters that words are made of. */
function word(source: string, { inside = String.raw`\w`, flags = "g" } = {}): RegExp {
  return new RegExp(`(?:(?<![${inside}])|(?<=${ESCAPE}))(?:${source})`, flags);
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
  // `secret: true` says that something is one.
  if (/^(?:true|false|null|none|undefined)$/i.test(value)) return all;
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
