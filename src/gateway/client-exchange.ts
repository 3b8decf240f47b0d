// One request on its way through the gateway, and the answers that reach no target.

import type { IncomingMessage, ServerResponse } from "node:http";
import { isOwnHost, isOwnOrigin, type OwnAddresses } from "../host/own-addresses.ts";
import { type FaultCode, traitsOf } from "../core/fault/catalogue.ts";
import { fault, type Fault, FaultError } from "../core/fault/fault.ts";
import type { Protocol } from "../provider/wire/protocol.ts";
import { cancellation, Scope } from "../runtime/scope.ts";
import type { ClientKey, GatewaySettings } from "./config/settings.ts";
import { DIALECTS } from "./dialect/dialect.ts";
import { errorHeaders, type ErrorWords, errorWords } from "./dialect/error-words.ts";
import type { PlainHeaders } from "./request/header-lists.ts";
import type { ClientKeys } from "./key/client-keys.ts";
import type { Chains } from "./route/chains.ts";
import type { NoRoute, Routing } from "./route/routing.ts";

/** One version of the settings, and what is derived from it. */
export interface InForce {
  readonly settings: GatewaySettings;
  readonly routing: Routing;
  readonly chains: Chains;
  readonly keys: ClientKeys;
  /** The target that has stored the responses which are not recorded; null: all are recorded. */
  readonly home: string | null;
}

/** A request on its way through the gateway. */
export interface ClientExchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly path: string;
  /** Empty, or with its question mark. */
  readonly query: string;
  readonly key: ClientKey | null;
  /** The key that the client sent, which no target may get; null: it sent none. */
  readonly secret: string | null;
  readonly inForce: InForce;
}

/** Why a call is cancelled when its client leaves. */
const CLIENT_LEFT = new Error("the client left");

/** A signal that fires when `calls` is cancelled, or when the client leaves before it has its answer. */
export function whenLeft({ response }: ClientExchange, calls: Scope): AbortSignal {
  const left = new AbortController();
  const member = { cancel: (why: Fault) => left.abort(new FaultError(why)) };
  calls.add(member);
  whenClosed(response, () => {
    calls.remove(member);
    if (!response.writableFinished) left.abort(CLIENT_LEFT);
  });
  return left.signal;
}

/** A scope that is cancelled with `calls`, or when the client leaves before it has its answer. It costs less than a signal. */
export function scopeOf({ response }: ClientExchange, calls: Scope): Scope {
  const scope = new Scope("tool", calls);
  whenClosed(response, () => response.writableFinished || scope.cancel(cancellation("tool", CLIENT_LEFT.message)));
  return scope;
}

/** Calls the listener when the response has ended. The client may have left already: then the response emits no event any more. */
function whenClosed(response: ServerResponse, listener: () => void): void {
  if (response.destroyed) listener();
  // A response closes once, so `once` would only add a listener around this one.
  else response.on("close", listener);
}

type Refusal =
  | NoRoute
  | "spent"
  | "unknown-key"
  | "wrong-host"
  | "wrong-origin"
  | "unknown-path"
  | "wrong-method"
  | "unknown-method"
  | "too-large"
  | "bad-request";

interface RefusalRow {
  readonly status: number;
  readonly code: FaultCode;
  readonly headers?: PlainHeaders;
}

/** What the gateway passes on to other paths. TRACE would return the gateway's own key. */
export const OTHER_METHODS: readonly string[] = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];

const REFUSALS: Readonly<Record<Refusal, RefusalRow>> = {
  "unknown-key": { status: 401, code: "AuthFailed" },
  "wrong-host": { status: 421, code: "RequestInvalid" },
  "wrong-origin": { status: 403, code: "AccessDenied" },
  "not-allowed": { status: 403, code: "AccessDenied" },
  "no-region": { status: 403, code: "AccessDenied" },
  "no-price": { status: 403, code: "AccessDenied" },
  "spent": { status: 402, code: "BudgetExceeded" },
  "bad-model": { status: 400, code: "RequestInvalid" },
  "no-model": { status: 400, code: "RequestInvalid" },
  "unknown-model": { status: 404, code: "ModelNotFound" },
  "unknown-path": { status: 404, code: "RequestInvalid" },
  "wrong-method": { status: 405, code: "RequestInvalid", headers: { allow: "POST" } },
  "unknown-method": { status: 405, code: "RequestInvalid", headers: { allow: OTHER_METHODS.join(", ") } },
  "too-large": { status: 413, code: "RequestInvalid" },
  "bad-request": { status: 400, code: "RequestInvalid" },
};

/**
 * Why a request without a known key is refused; null: it is not. A gateway without keys is for this machine's own programs: without a
 * key to protect it, any page in a browser could use it.
 */
export function strangerAt(
  { method = "GET", headers }: IncomingMessage,
  hasKey: boolean,
  isOpen: boolean,
  own: OwnAddresses,
): readonly [Refusal, string] | null {
  if (!isOpen && !hasKey) return ["unknown-key", "the request has no key; send one of the gateway's keys"];
  if (!isOpen) return ["unknown-key", "the gateway does not know this key; send one of the gateway's keys"];
  if (!own.isLocal) return ["unknown-key", "the gateway has no keys, so it answers on this machine only"];
  const header = (name: string): string | undefined => headers[name] as string | undefined;
  if (!isOwnHost(header, own))
    return ["wrong-host", "the Host header names another server; use the gateway's own address"];
  if (isOwnOrigin(method, header, own)) return null;
  return ["wrong-origin", "a page of another site sent this; a gateway without keys does not answer it"];
}

/** Answers a request that reaches no target. `retryAfterMs`: when asking again may help; null: never, or it is not known. */
export function refuse(
  exchange: ClientExchange,
  dialect: Protocol,
  why: Refusal,
  message: string,
  retryAfterMs: number | null = null,
): void {
  const { status, code, headers: own } = REFUSALS[why];
  const refusal = fault(code, { message, ...(retryAfterMs === null ? {} : { retryAfterMs }) });
  const headers = { ...errorHeaders(refusal, 0), ...own };
  sendError(exchange, dialect, { status, cause: traitsOf(code).cause, message, call: "" }, headers);
}

/** Answers a request that broke on its way. */
export function refuseBroken(exchange: ClientExchange, dialect: Protocol, seen: Fault, now: number): void {
  sendError(exchange, dialect, errorWords(seen, ""), errorHeaders(seen, now));
}

function sendError(
  { request, response }: ClientExchange,
  dialect: Protocol,
  words: ErrorWords,
  headers: PlainHeaders,
): void {
  const body = JSON.stringify(DIALECTS[dialect].errorBody(words));
  response.writeHead(words.status, {
    "content-type": "application/json",
    "content-length": Buffer.byteLength(body),
    ...headers,
    // What is left of a body is not read.
    ...(request.complete ? {} : { connection: "close" }),
  });
  response.end(body);
}

export function noRouteWords(why: NoRoute, model: string, { inForce, key }: ClientExchange): string {
  if (why === "bad-model")
    return "the model's name is too long, or has characters that no name has, such as line breaks";
  if (why === "no-model") return `the request names no model; set the field "model"`;
  const known = inForce.routing.names(key).join(", ") || "none";
  if (why === "not-allowed") return `this key may not use ${model}; it may use ${known}`;
  if (why === "no-region") return `no target of ${model} is in a region of this key`;
  if (why === "no-price")
    return `this key has a budget, and no target of ${model} has a known price; the gateway's file can state one under prices, or allow the key to use it with unpriced: allow`;
  return `the gateway has no route for the model ${JSON.stringify(model)}; it has ${known}`;
}

export function sendJson({ response }: ClientExchange, body: string): void {
  response.writeHead(200, { "content-type": "application/json", "content-length": Buffer.byteLength(body) });
  response.end(body);
}
