// What of a client's query reaches a target. Servers decode names and values, so they are decoded before they are compared.
// Q1  A model call has only the parameters that are listed: others may change its answer so that nothing is known of what it used.
// Q2  On other paths, what may be the client's key stays here, under whatever name.
// Q3  A parameter that changes the method of a request is refused: it would make a call out of a request that costs nothing.

import { asksForEvents, type Protocol } from "../../provider/wire/protocol.ts";

/** Parameters of model calls, in any dialect: Anthropic's SDKs send the first one, clients of Azure the second. */
const OF_CALLS: ReadonlySet<string> = new Set(["beta", "api-version"]);

/** The query of a model call; empty, or with its question mark. */
export function queryOfCall(dialect: Protocol, query: string, secret: string | null): string {
  if (query === "") return "";
  const kept = pairsIn(query).filter((pair) => OF_CALLS.has(nameOf(pair)) && !holdsSecret(pair, secret));
  // Written in one way, so that the target reads what the gateway has read.
  if (dialect === "google-generate" && asksForEvents(query)) kept.push("alt=sse");
  return joined(kept);
}

/** The query of any other request without what may be a key. `isFree`: it costs nothing, so no usage is read from its answer. */
export function queryOfOther(query: string, secret: string | null, isFree: boolean): string {
  if (query === "") return "";
  const kept = pairsIn(query).filter(
    (pair) => !holdsSecret(pair, secret) && (isFree || !SHAPES_ANSWER.has(plainName(pair))),
  );
  return joined(kept);
}

/** The parameter by which a server would take the request for one of another method; null when there is none. */
export function methodParameter(query: string): string | null {
  if (query === "") return null;
  const found = pairsIn(query)
    .flatMap((pair) => pair.split(";"))
    .find((pair) => CHANGES_METHOD.has(plainName(pair)) || nameOf(pair).toLowerCase() === "_method");
  return found === undefined ? null : nameOf(found);
}

/** Whether a text has the client's key in it, as it is or encoded. */
export function holdsKey(text: string, secret: string | null): boolean {
  if (secret === null) return false;
  let read = text;
  for (let times = 0; times <= MOST_DECODED; times++) {
    if (read.includes(secret)) return true;
    const next = decoded(read);
    if (next === read) return false;
    read = next;
  }
  return false;
}

/** A target and a proxy before it may both decode. */
const MOST_DECODED = 3;

/** Names of parameters that may carry a client's key, in lower case and without signs. */
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

/** The same of those that change the method. */
const CHANGES_METHOD: ReadonlySet<string> = new Set([
  "httpmethod",
  "httpmethodoverride",
  "methodoverride",
  "xhttpmethod",
  "xhttpmethodoverride",
  "xmethodoverride",
]);

/** The same of those by which Google leaves parts of an answer out, or writes it in another format. */
const SHAPES_ANSWER: ReadonlySet<string> = new Set(["alt", "callback", "fields"]);

function pairsIn(query: string): string[] {
  return query.slice(1).split("&");
}

function joined(pairs: readonly string[]): string {
  return pairs.length === 0 ? "" : `?${pairs.join("&")}`;
}

/** Some servers separate parameters by a semicolon, too. */
function holdsSecret(pair: string, secret: string | null): boolean {
  return holdsKey(pair, secret) || pair.split(";").some((part) => SECRET_PARAMETERS.has(plainName(part)));
}

function nameOf(pair: string): string {
  return decoded((pair.split("=", 1)[0] ?? "").replaceAll("+", " "));
}

/** Unlike `decodeURIComponent`, it takes any text. */
function decoded(text: string): string {
  return new URLSearchParams(`=${text.replaceAll("&", "%26").replaceAll("+", "%2B")}`).get("") ?? text;
}

function plainName(pair: string): string {
  return nameOf(pair)
    .toLowerCase()
    .replaceAll(/[^a-z]/g, "");
}
