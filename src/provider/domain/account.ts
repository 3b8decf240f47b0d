// Finds the account of a request from the headers that carry its key. Only a short hash of the key is kept, to tell two keys apart.
// The key itself goes to the redactor and nowhere else.

import { secretTag } from "../../host/secret-tag.ts";

/** Headers that identify the account, in lower case. One key may serve several organisations or projects. */
const ACCOUNT_HEADERS = [
  "authorization",
  "x-api-key",
  "api-key",
  "x-goog-api-key",
  "openai-organization",
  "openai-project",
  "x-goog-user-project",
] as const;

/** An account that cannot be read. Two such targets at one endpoint are assumed to share it. */
export const OWN_ACCOUNT = "own";

/** A shorter key is a placeholder such as `ollama`. Redacting that word everywhere would only make messages unreadable. */
const MIN_KEY_CHARS = 12;
/** Headers that carry a key, in lower case. */
export const KEY_HEADERS: ReadonlySet<string> = new Set(["authorization", "x-api-key", "api-key", "x-goog-api-key"]);

/** The keys themselves, for the redactor: a provider may repeat a key in its answer. */
export function keysIn(headers: Iterable<readonly [name: string, value: unknown]>): readonly string[] {
  return [...headers].flatMap(([name, value]) => {
    if (!KEY_HEADERS.has(name.toLowerCase()) || typeof value !== "string") return [];
    const key = value.replace(/^(?:Bearer|Basic) +/i, "");
    return key.length < MIN_KEY_CHARS ? [] : [key];
  });
}

export function accountIn(headers: Iterable<readonly [name: string, value: unknown]>): string {
  const values = new Map<string, string>();
  for (const [name, value] of headers) {
    if (typeof value === "string" && value !== "") values.set(name.toLowerCase(), value);
  }
  const accountHeaders = ACCOUNT_HEADERS.flatMap((name) => {
    const value = values.get(name);
    return value === undefined ? [] : [`${name}: ${value}`];
  });
  return accountHeaders.length === 0 ? OWN_ACCOUNT : `key-${secretTag(accountHeaders.join("\n"))}`;
}
