// The four dialects that clients and targets speak: where their requests go, how they sign in, and how they tell errors. A table; pure.

import { asksForEvents, type Protocol } from "../../provider/wire/protocol.ts";
import type { GatewayTarget } from "../config/settings.ts";
import { type ErrorWords, anthropicType, googleStatus, openaiWords } from "./error-words.ts";

export interface Dialect {
  readonly protocol: Protocol;
  /** Whose facts about models apply, unless a target says otherwise. */
  readonly vendor: string;
  /** The path of the vendor's API version, for an address without a path. */
  readonly versionPath: string;
  /** The path of a model call, after the base URL. */
  readonly path: (model: string, streaming: boolean) => string;
  /** The headers that carry a key. */
  readonly signIn: (key: string) => Readonly<Record<string, string>>;
  /** Sent unless the client sends its own. */
  readonly headers: Readonly<Record<string, string>>;
  readonly errorBody: (words: ErrorWords) => unknown;
  /** What ends a broken stream of which the client has got this. */
  readonly errorEvents: (words: ErrorWords, shown: ShownAnswer) => string;
  /** Keeps a connection open; not content. */
  readonly keepAlive: string;
  /** `list`: a stream is one JSON list, which can be ended only between two of its elements. */
  readonly streamAs: "events" | "list";
}

/** What the client has got of an answer. */
export interface ShownAnswer {
  /** An element of a list. */
  readonly hasElement: boolean;
  /** The id of the response that has begun: SDKs refuse another one in the same stream. null: none, or the dialect has no such ids. */
  readonly responseId: string | null;
}

const bearer = (key: string): Readonly<Record<string, string>> => ({ authorization: `Bearer ${key}` });
const COMMENT = ": keep-alive\n\n";

const openaiError = (words: ErrorWords): unknown => ({
  error: { message: words.message, param: null, ...openaiWords(words) },
});
/** The words by which Claude Code knows that it has to compact its conversation. */
const TOO_LONG = "prompt is too long";
const anthropicMessage = ({ cause, message }: ErrorWords): string =>
  cause === "context-overflow" && !message.includes(TOO_LONG) ? `${TOO_LONG}: ${message}` : message;
const anthropicError = (words: ErrorWords): unknown => ({
  type: "error",
  error: { type: anthropicType(words), message: anthropicMessage(words) },
  // A request that was refused at the door has no call.
  ...(words.call === "" ? {} : { request_id: words.call }),
});
const googleError = (words: ErrorWords): unknown => ({
  error: { code: words.status, message: words.message, status: googleStatus(words) },
});

export const DIALECTS: Readonly<Record<Protocol, Dialect>> = {
  "openai-chat": {
    protocol: "openai-chat",
    vendor: "openai",
    versionPath: "",
    path: () => "/chat/completions",
    signIn: bearer,
    headers: {},
    errorBody: openaiError,
    errorEvents: (words) => event(openaiError(words)),
    keepAlive: COMMENT,
    streamAs: "events",
  },
  "openai-responses": {
    protocol: "openai-responses",
    vendor: "openai",
    versionPath: "",
    path: () => "/responses",
    signIn: bearer,
    headers: {},
    errorBody: openaiError,
    // Codex reads the first, the SDKs throw at the second.
    errorEvents: (words, { responseId }) => {
      const { code } = openaiWords(words);
      const { message, call } = words;
      const id = responseId ?? call;
      const response = { id, object: "response", status: "failed", error: { code, message }, output: [] };
      const failed = { type: "response.failed", sequence_number: LAST, response };
      const error = { type: "error", sequence_number: LAST + 1, code, message, param: null };
      return named("response.failed", failed) + named("error", error);
    },
    keepAlive: COMMENT,
    streamAs: "events",
  },
  "anthropic-messages": {
    protocol: "anthropic-messages",
    vendor: "anthropic",
    versionPath: "/v1",
    path: () => "/messages",
    signIn: (key) => ({ "x-api-key": key }),
    headers: { "anthropic-version": "2023-06-01" },
    errorBody: anthropicError,
    errorEvents: (words) => named("error", anthropicError(words)),
    keepAlive: named("ping", { type: "ping" }),
    streamAs: "events",
  },
  "google-generate": {
    protocol: "google-generate",
    vendor: "google",
    versionPath: "/v1beta",
    path: (model, streaming) =>
      `/models/${encodeURIComponent(model)}:${streaming ? "streamGenerateContent" : "generateContent"}`,
    signIn: (key) => ({ "x-goog-api-key": key }),
    headers: {},
    errorBody: googleError,
    errorEvents: (words) => event(googleError(words)),
    keepAlive: COMMENT,
    streamAs: "events",
  },
};

/** Google streams a JSON list to clients that do not ask for events. */
const GOOGLE_LIST: Dialect = {
  ...DIALECTS["google-generate"],
  errorEvents: (words, { hasElement }) => `${hasElement ? "," : "["}${JSON.stringify(googleError(words))}]`,
  keepAlive: "\n",
  streamAs: "list",
};

/** The dialect of a request's answer. */
export function dialectFor(protocol: Protocol, query: string, streaming: boolean): Dialect {
  const isList = protocol === "google-generate" && streaming && !asksForEvents(query);
  return isList ? GOOGLE_LIST : DIALECTS[protocol];
}

/** The dialect in which a target is asked for such a client: the client's own if the target speaks it, else the one it prefers. */
export function targetDialect({ dialects }: Pick<GatewayTarget, "dialects">, asked: Protocol): Protocol {
  return dialects.includes(asked) ? asked : dialects[0];
}

/** Behind any number that the stream itself has used. */
const LAST = 1_000_000_000;

export const DIALECT_NAMES = Object.freeze(Object.keys(DIALECTS)) as readonly Protocol[];

function event(data: unknown): string {
  return `data: ${JSON.stringify(data)}\n\n`;
}

function named(name: string, data: unknown): string {
  return `event: ${name}\n${event(data)}`;
}
