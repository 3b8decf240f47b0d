// Requests that are not model calls: token counts, embeddings, files. Each goes to one target, once, with the gateway's own key, and the
// answer passes unchanged.

import type { ServerResponse } from "node:http";
import type { Dispatcher } from "undici";
import { objectOf } from "../../core/json-fields.ts";
import { parseJson } from "../../core/try-read.ts";
import { HeldBytes } from "../../provider/fetch/bounded.ts";
import type { Protocol } from "../../provider/wire/protocol.ts";
import type { GatewayTarget } from "../config/settings.ts";
import { DIALECTS, targetDialect } from "../dialect/dialect.ts";
import { KeyFilter } from "./key-filter.ts";
import { isPacked, packedFault, PLAIN, unpacked } from "./content-encoding.ts";
import { headersForClient, type PlainHeaders } from "../request/header-lists.ts";

export interface Forwarded {
  readonly method: string;
  /** The part after the base URL, with its query, without keys. */
  readonly path: string;
  /** The headers that may pass. */
  readonly headers: PlainHeaders;
  readonly body: Buffer | string;
  readonly dialect: Protocol;
  readonly signal: AbortSignal;
}

type Answered = Dispatcher.ResponseData;

export function forward(agent: Dispatcher, target: GatewayTarget, request: Forwarded): Promise<Answered> {
  const { origin, pathname } = new URL(target.baseUrl);
  const { headers, signIn } = DIALECTS[targetDialect(target, request.dialect)];
  const own: PlainHeaders = target.key === null ? {} : signIn(target.key);
  return agent.request({
    origin,
    path: `${pathname === "/" ? "" : pathname}${request.path}`,
    method: request.method,
    headers: { ...PLAIN, ...headers, ...request.headers, ...own },
    body: request.body.length === 0 ? null : request.body,
    signal: request.signal,
    headersTimeout: FORWARD_MS,
    bodyTimeout: FORWARD_MS,
  });
}

const FORWARD_MS = 300_000;

/**
 * Passes an answer on while it arrives. Some targets repeat the request in it, with the gateway's own key. So an error is scrubbed before it is
 * sent, and the key is removed from any other text as it passes.
 */
export async function passOn(
  { statusCode, headers, body }: Answered,
  response: ServerResponse,
  about: PlainHeaders,
  { seen, scrub, errorEvents, ownKey }: Passing,
): Promise<void> {
  const head = { ...headersForClient(headers), ...about };
  const encoding = headers["content-encoding"];
  if (statusCode >= MIN_ERROR_STATUS) {
    const bytes = await shortBody(body);
    const scrubbed = scrub(new TextDecoder().decode(unpacked(bytes, encoding, "error") ?? new Uint8Array()));
    return void response
      .writeHead(statusCode, { ...head, "content-length": Buffer.byteLength(scrubbed) })
      .end(scrubbed);
  }
  const isRead = isText(headers["content-type"]);
  const filter = ownKey === null || !isRead ? null : new KeyFilter(ownKey);
  if (isRead && isPacked(encoding)) {
    const plain = await plainText(body, encoding);
    seen(plain);
    const shown = filter === null ? plain : Buffer.concat([filter.take(plain), filter.rest()]);
    return void response.writeHead(statusCode, head).end(shown);
  }
  response.writeHead(statusCode, encoding === undefined ? head : { ...head, "content-encoding": String(encoding) });
  try {
    for await (const chunk of body as AsyncIterable<Buffer>) {
      seen(chunk);
      const shown = filter === null ? chunk : filter.take(chunk);
      if (!response.write(shown)) await clientHasRead(response);
    }
    if (filter !== null) response.write(filter.rest());
  } catch (error) {
    // The empty line ends an event that may have broken off.
    if (EVENTS.test(String(headers["content-type"]))) response.end(`\n\n${errorEvents(error)}`);
    throw error;
  }
  response.end();
}

/** A text that the target has compressed, although the gateway asked for plain bytes. */
async function plainText(body: Answered["body"], encoding: string | string[] | undefined): Promise<Buffer> {
  const held = new HeldBytes("answer");
  for await (const chunk of body as AsyncIterable<Buffer<ArrayBuffer>>) held.keep(chunk);
  const bytes = held.whole();
  // An answer to HEAD has no body.
  const plain = bytes.length === 0 ? bytes : unpacked(bytes, encoding, "answer");
  if (plain === null) throw packedFault(encoding);
  return Buffer.from(plain);
}

/** Also resolves when the client has left. */
function clientHasRead(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      response.off("drain", end).off("close", end);
      resolve();
    };
    response.on("drain", end).on("close", end);
  });
}

/** Whether the target wrote the answer as text. Other answers are files that a client has stored there. */
function isText(type: string | string[] | undefined): boolean {
  return type === undefined || TEXT.test(String(type));
}

const TEXT = /^(?:text|message)\/|\b(?:json|xml)\b/i;
const EVENTS = /^text\/event-stream\b/i;

const MIN_ERROR_STATUS = 400;

interface Passing {
  readonly seen: (chunk: Buffer) => void;
  readonly scrub: (text: string) => string;
  /** The key by which the gateway has signed in; null: it has none. */
  readonly ownKey: string | null;
  /** The events that end a stream which broke. */
  readonly errorEvents: (error: unknown) => string;
}

/** An answer that is one JSON object, as text; null if it is not, or too long. */
export async function shortJson({ body, headers }: Answered): Promise<string | null> {
  const bytes = unpacked(await shortBody(body), headers["content-encoding"], "error");
  const text = bytes === null ? "" : new TextDecoder().decode(bytes);
  return objectOf(parseJson(text)) === null ? null : text;
}

/** A body that is short, such as that of an error; of a long one, the beginning. */
async function shortBody(body: Answered["body"]): Promise<Uint8Array<ArrayBuffer>> {
  const held = new HeldBytes("error");
  for await (const chunk of body as AsyncIterable<Buffer<ArrayBuffer>>) if (!held.takes(chunk)) break;
  return held.whole();
}
