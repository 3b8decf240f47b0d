// Which headers pass, in both directions: what is not listed stays here. A client's key is in none of these lists, and a header that has it
// as its value stays here, too.

import type { IncomingHttpHeaders } from "node:http";

/** From the client to a target of the same dialect. */
const TO_TARGET = [
  "accept",
  "anthropic-beta",
  "anthropic-version",
  "content-type",
  "conversation_id",
  "idempotency-key",
  "openai-beta",
  "session_id",
  "user-agent",
  "x-app",
  "x-goog-api-client",
];

/** From a target to the client. */
const TO_CLIENT = ["content-type", "openai-processing-ms", "openai-version", "request-id", "x-request-id"];

export type PlainHeaders = Readonly<Record<string, string>>;

/** `secret`: the client's key; null: it sent none. */
export function headersForTarget(headers: IncomingHttpHeaders, secret: string | null): PlainHeaders {
  return pick(headers, TO_TARGET, secret);
}

export function headersForClient(headers: IncomingHttpHeaders): Record<string, string> {
  return pick(headers, TO_CLIENT, null);
}

/** A new object, to which its owner may add. */
function pick(headers: IncomingHttpHeaders, names: readonly string[], secret: string | null): Record<string, string> {
  const picked: Record<string, string> = {};
  for (const name of names) {
    const value = headers[name];
    if (value === undefined) continue;
    const text = typeof value === "string" ? value : value.join(", ");
    if (secret === null || !text.includes(secret)) picked[name] = text;
  }
  return picked;
}

const MAX_HEADER = 1_000;

/** A name as the value of a header, which holds ASCII only: other characters are written as in an address. */
export function headerText(text: string): string {
  return text
    .toWellFormed()
    .replaceAll(/[^\x20-\x7e]+/g, encodeURIComponent)
    .slice(0, MAX_HEADER);
}
