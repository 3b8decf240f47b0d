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

const MAX_NAME_CHARS = 128;

export function isSecretName(name: string): boolean {
  if (name.length > MAX_NAME_CHARS) return false;
  if (CHINESE.test(name)) return true;
  const words = wordsOf(name);
  const last = words.at(-1) ?? "";
  if (ABOUT.has(last)) return false;
  if (last === "pass" || words.some((word) => SECRET_WORDS.has(word) || word.endsWith("password"))) return true;
  const hasKind = words.some((word) => SECRET_KINDS.has(word));
  if (last === "key" || last === "keys" || last === "pem" || last === "tokens") return hasKind;
  if (last === "token") return hasKind || !words.some((word) => HARMLESS_TOKENS.has(word));
  return words.join(" ") === "session id" || name.toLowerCase() === "_auth";
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

/** A word that stands behind "token" by chance: "unexpected token: identifier", "token: 1234". */
export function isWordOfParser(name: string, value: string): boolean {
  return /token$/i.test(name) && /^(?:[A-Za-z_]{1,24}|\d{1,6}|\W{1,3})$/.test(value);
}
