// The client of the server: one method per route, with the types of its schemas. Works wherever there is a `fetch`.

import { PATHS, type RouteName } from "../api/paths.ts";
import type { AnswerOf, SentTo } from "../api/route.ts";
import type { Routes } from "../api/routes.ts";
import type { EntryEvent } from "../api/entry-event.ts";
import { type EventsOptions, readEvents } from "./event-stream.ts";

/** Options of `createClient`. */
export interface ClientOptions {
  /** Where the server is. Default: the page's own address. */
  readonly baseUrl?: string;
  /** Left out in the dashboard, where a cookie stands for it. */
  readonly token?: string;
  /** The language of words in answers. Default: English. */
  readonly language?: "en" | "zh-CN";
  /** Default: the global one. */
  readonly fetch?: typeof fetch;
}

/** The problem details that the server answered with. */
export interface ProblemDetails {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  readonly code: string;
  readonly next: string;
  readonly correlation_id: string;
  readonly reason?: string;
  readonly errors?: readonly { readonly pointer: string; readonly detail: string }[];
}

/** The server refused a request or failed. */
export class ProblemError extends Error {
  override readonly name = "ProblemError";
  readonly problem: ProblemDetails;

  constructor(problem: ProblemDetails) {
    super(`${problem.title}: ${problem.detail}`);
    this.problem = problem;
  }
}

/** More about one request. */
export interface RequestOptions {
  readonly signal?: AbortSignal;
  /** Sent with what acts; the same key does it once. Default: a new one. */
  readonly idempotencyKey?: string;
}

type Given<Part, Name extends string> =
  Part extends Readonly<Record<string, never>>
    ? Readonly<Partial<Record<Name, Part>>>
    : Partial<Part> extends Part
      ? Readonly<Partial<Record<Name, Part>>>
      : Readonly<Record<Name, Part>>;

/** What a method takes: the parts that its route has. */
export type Input<Name extends RouteName> = Given<SentTo<Routes[Name]>["params"], "params"> &
  Given<SentTo<Routes[Name]>["query"], "query"> &
  (SentTo<Routes[Name]>["body"] extends undefined ? unknown : { readonly body: SentTo<Routes[Name]>["body"] }) &
  RequestOptions;

type IsOptional<T> = Partial<T> extends T ? true : false;

type MethodOf<Name extends RouteName> =
  IsOptional<Input<Name>> extends true
    ? (input?: Input<Name>) => Promise<AnswerOf<Routes[Name]>>
    : (input: Input<Name>) => Promise<AnswerOf<Routes[Name]>>;

/** Routes whose answer is a stream or a text are read in other ways. */
type JsonRoute = { [Name in RouteName]: AnswerOf<Routes[Name]> extends null ? never : Name }[RouteName];

/** One method per route, and the stream of events. */
export type Client = { readonly [Name in JsonRoute]: MethodOf<Name> } & {
  /** Everything that happens, until `signal` fires. Reconnects by itself and misses nothing. */
  readonly stream: (options?: EventsOptions) => AsyncGenerator<EntryEvent>;
  /** The answer of a route as text, such as a report. */
  readonly text: (name: RouteName, input?: AnyInput) => Promise<string>;
};

interface AnyInput extends RequestOptions {
  readonly params?: Readonly<Record<string, unknown>>;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
}

/**
 * Makes a client of a Faultline server.
 *
 * @example
 * ```ts
 * import { createClient } from "faultline/client";
 *
 * const client = createClient({ baseUrl: "http://127.0.0.1:7431", token: process.env.FAULTLINE_TOKEN ?? "" });
 * const { action, waitMs } = await client.reportFailure({ body: { tool: "search", evidence: { status: 503 } } });
 * ```
 */
export function createClient(options: ClientOptions = {}): Client {
  const send = (
    name: RouteName,
    input: AnyInput = {},
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Response> => request(options, name, input, headers);
  const methods = Object.fromEntries(
    (Object.keys(PATHS) as RouteName[]).map((name) => [
      name,
      async (input?: AnyInput) => (await send(name, input)).json(),
    ]),
  );
  return {
    ...(methods as unknown as Client),
    text: async (name, input) => (await send(name, input)).text(),
    stream: (how = {}) =>
      readEvents(
        (lastEventId) =>
          send(
            "events",
            {
              query: {
                ...(how.session === undefined ? {} : { session: how.session }),
                ...(how.types === undefined ? {} : { types: how.types.join(",") }),
              },
              ...(how.signal === undefined ? {} : { signal: how.signal }),
            },
            { accept: "text/event-stream", ...(lastEventId === null ? {} : { "last-event-id": lastEventId }) },
          ),
        how,
      ),
  };
}

async function request(
  { baseUrl = "", token, language, fetch: own = fetch }: ClientOptions,
  name: RouteName,
  { params = {}, query = {}, body, signal, idempotencyKey }: AnyInput,
  more: Readonly<Record<string, string>>,
): Promise<Response> {
  const { method, path } = PATHS[name];
  const headers: Record<string, string> = { accept: "application/json", ...more };
  if (token !== undefined) headers["authorization"] = `Bearer ${token}`;
  if (language !== undefined) headers["accept-language"] = language;
  if (body !== undefined) headers["content-type"] = "application/json";
  if (method !== "GET") headers["idempotency-key"] = idempotencyKey ?? crypto.randomUUID();
  const response = await own(baseUrl.replace(/\/+$/, "") + addressOf(path, params, query), {
    method,
    headers,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    ...(signal === undefined ? {} : { signal }),
  });
  if (response.ok) return response;
  throw new ProblemError(await problemIn(response));
}

function addressOf(
  path: string,
  params: Readonly<Record<string, unknown>>,
  query: Readonly<Record<string, unknown>>,
): string {
  const filled = path.replaceAll(/\{(\w+)\}/g, (_found, name: string) => encodeURIComponent(String(params[name])));
  const asked = Object.entries(query).filter(([, value]) => value !== undefined);
  if (asked.length === 0) return filled;
  return `${filled}?${new URLSearchParams(Object.fromEntries(asked.map(([name, value]) => [name, String(value)]))).toString()}`;
}

/** A proxy in front of the server may answer with anything. */
async function problemIn(response: Response): Promise<ProblemDetails> {
  const isProblem = response.headers.get("content-type")?.startsWith("application/problem+json") === true;
  if (isProblem) return (await response.json()) as ProblemDetails;
  return {
    type: "about:blank",
    title: response.statusText,
    status: response.status,
    detail: "The answer did not come from the server itself.",
    code: "not-ours",
    next: "Check the address and what stands between you and the server.",
    correlation_id: "",
  };
}
