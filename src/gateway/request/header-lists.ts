// Which headers pass, in both directions: what is not listed stays here. A client's key is in none of these lists.

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

export function headersForTarget(headers: IncomingHttpHeaders): PlainHeaders {
  return pick(headers, TO_TARGET);
}

export function headersForClient(headers: IncomingHttpHeaders): Record<string, string> {
  return pick(headers, TO_CLIENT);
}

/** A new object, to which its owner may add. */
function pick(headers: IncomingHttpHeaders, names: readonly string[]): Record<string, string> {
  const picked: Record<string, string> = {};
  for (const name of names) {
    const value = headers[name];
    if (value !== undefined) picked[name] = typeof value === "string" ? value : value.join(", ");
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

/** Query parameters that may carry a client's key, in lower case and without signs. */
const SECRET_PARAMETERS: ReadonlySet<string> = new Set([
  "accesskey",
  "accesstoken",
  "apikey",
  "apitoken",
  "auth",
  "authorization",
  "authtoken",
  "clientsecret",
  "key",
  "secret",
  "subscriptionkey",
  "token",
  "xapikey",
  "xgoogapikey",
]);

/** The query of a request without what may be a key; empty, or with its question mark. */
export function queryForTarget(query: string): string {
  if (query === "") return "";
  const kept = query
    .slice(1)
    .split("&")
    .filter((pair) => !SECRET_PARAMETERS.has(plainName(pair.split("=", 1)[0] ?? "")));
  return kept.length === 0 ? "" : `?${kept.join("&")}`;
}

function plainName(text: string): string {
  const decoded = new URLSearchParams(`${text}=`).keys().next().value ?? text;
  return decoded.toLowerCase().replaceAll(/[^a-z]/g, "");
}
