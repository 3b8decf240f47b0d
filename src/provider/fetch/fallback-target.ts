// A request sent to another target that speaks the same protocol: another address, key or model. Pure.
// F1  Another server never gets the caller's credential, cookies or own headers, only those that describe the request.

import { KEY_HEADERS } from "../domain/account.ts";
import { objectFrom } from "../wire/json-value.ts";
import { type Protocol, readAddress } from "../wire/protocol.ts";
import type { FetchFallback } from "./fetch-options.ts";
import { WireRequest } from "./wire-request.ts";

/** Headers that describe the request and carry no secret, in lower case. */
const PLAIN_HEADERS: ReadonlySet<string> = new Set([
  "accept",
  "content-type",
  "user-agent",
  "anthropic-version",
  "anthropic-beta",
  "openai-beta",
  "traceparent",
  "tracestate",
]);
/** Set by the official SDKs. */
const SDK_HEADER = "x-stainless-";

/** How each protocol sends a key, and the path behind its base URL. */
const PROTOCOLS: Readonly<
  Record<
    Protocol,
    { readonly key: (key: string) => readonly [string, string]; readonly path: (about: Asked) => string }
  >
> = {
  "openai-chat": { key: bearer, path: () => "/chat/completions" },
  "openai-responses": { key: bearer, path: () => "/responses" },
  "anthropic-messages": { key: (key) => ["x-api-key", key], path: () => "/v1/messages" },
  "google-generate": {
    key: (key) => ["x-goog-api-key", key],
    path: ({ model, streaming }) =>
      streaming ? `/models/${model}:streamGenerateContent?alt=sse` : `/models/${model}:generateContent`,
  },
};

interface Asked {
  readonly model: string;
  readonly streaming: boolean;
}

function bearer(key: string): readonly [string, string] {
  return ["authorization", `Bearer ${key}`];
}

export function retargeted(request: WireRequest, to: FetchFallback): WireRequest {
  const { url, init, protocol, facts, sink, memory } = request;
  const model = to.model ?? facts.model ?? "";
  const body = to.model === undefined ? init.body : withModel(init.body, to.model);
  const next = { ...init, headers: headersFor(request, to), ...(body === undefined ? {} : { body }) };
  const address = to.baseURL === undefined ? inPlace(url, to) : addressAt(to.baseURL, protocol, { ...facts, model });
  // A refreshed credential belongs to the caller's own account.
  const refreshed = isSameServer(request, to) && to.apiKey === undefined ? request.headers : {};
  return new WireRequest(address, next, protocol, { ...facts, model }, sink, refreshed, memory);
}

/** The headers that this target gets, by name. */
export function headersFor(request: WireRequest, to: FetchFallback): Headers {
  const { init, protocol } = request;
  const all = new Headers(init.headers);
  const isPlain = (name: string): boolean => PLAIN_HEADERS.has(name) || name.startsWith(SDK_HEADER);
  const kept = isSameServer(request, to) ? all : new Headers([...all].filter(([name]) => isPlain(name)));
  if (to.apiKey !== undefined) {
    // A request may carry a second credential, such as a token beside a key.
    for (const name of KEY_HEADERS) kept.delete(name);
    kept.set(...PROTOCOLS[protocol].key(to.apiKey));
  }
  for (const [name, value] of Object.entries(to.headers ?? {})) kept.set(name, value);
  return kept;
}

function isSameServer({ url }: WireRequest, { baseURL }: FetchFallback): boolean {
  return baseURL === undefined || originOf(baseURL) === originOf(url);
}

function originOf(url: string): string {
  return URL.canParse(url) ? new URL(url).origin : url;
}

function addressAt(baseURL: string, protocol: Protocol, asked: Asked): string {
  return `${baseURL.replace(/\/+$/, "")}${PROTOCOLS[protocol].path(asked)}`;
}

/** The same address; some name the model in their path. */
function inPlace(given: string, { model, apiKey }: FetchFallback): string {
  // Google also takes a key in the address.
  const url = apiKey === undefined ? given : given.replace(/([?&])key=[^&#]*&?/, "$1").replace(/[?&]$/, "");
  const named = readAddress(url)?.model ?? null;
  return model === undefined || named === null ? url : url.replace(`/${named}`, `/${encodeURIComponent(model)}`);
}

function withModel(body: RequestInit["body"], model: string): RequestInit["body"] {
  const parsed = objectFrom(body);
  // Google names the model in the address only.
  return parsed !== null && "model" in parsed ? JSON.stringify({ ...parsed, model }) : (body ?? null);
}
