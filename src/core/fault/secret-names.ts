// Which fields hold secrets, by their name: one answer for objects, headers, text, flags and markup.

/** A word that makes any name secret. */
// prettier-ignore
const SECRET_WORDS = new Set([
  "password", "passwords", "passwd", "passphrase", "pwd", "secret", "secrets", "authorization", "cookie", "cookies", "credential", "credentials",
  "jwt", "bearer", "apikey", "apikeys", "privatekey", "accesskey", "authtoken", "accesstoken", "refreshtoken", "sessionid", "密码", "口令", "密钥", "令牌",
]);

/** Words that make a key a secret one: `api_key`, `AWS_SECRET_ACCESS_KEY`, `x-functions-key`; a plain `key` is not. */
// prettier-ignore
const KEY_KINDS = new Set([
  "api", "access", "private", "signing", "encryption", "master", "account", "subscription", "functions", "service", "client", "auth", "admin",
  "openai", "anthropic", "google", "gemini", "azure", "aws", "groq", "mistral", "xai", "deepseek", "openrouter", "ssh", "deploy",
]);

/** Words that make a token a count or a place, not a secret: `max_tokens`, `nextPageToken`. */
const HARMLESS_TOKENS = new Set([
  "max",
  "min",
  "total",
  "prompt",
  "completion",
  "input",
  "output",
  "count",
  "per",
  "page",
  "cancellation",
]);

const MAX_NAME_CHARS = 128;

export function isSecretName(name: string): boolean {
  if (name.length > MAX_NAME_CHARS) return false;
  const words = name
    .replace(/([a-z0-9])([A-Z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== "");
  const last = words.at(-1);
  if (words.some((word) => SECRET_WORDS.has(word))) return true;
  if (last === "key" || last === "keys" || last === "pem") return words.some((word) => KEY_KINDS.has(word));
  if (last === "token" || last === "tokens") {
    return !words.some((word) => HARMLESS_TOKENS.has(word)) && (last === "token" || words.length > 1);
  }
  return words.join(" ") === "session id" || words.join(" ") === "auth" || words.join(" ") === "pass";
}

/** A value that stands behind a secret name by chance: "unexpected token: identifier", "token: 1234". */
export function isPlainWord(value: string): boolean {
  return /^(?:[a-z]{1,24}|\d{1,6})$/.test(value);
}
