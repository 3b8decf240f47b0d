// Requests that are no model calls: token counts, embeddings, files. They go to one target, once, with the gateway's own key; the answer
// passes as it is.

import type { IncomingHttpHeaders, ServerResponse } from "node:http";
import type { Dispatcher } from "undici";
import type { Protocol } from "../../provider/wire/protocol.ts";
import type { GatewayTarget } from "../config/settings.ts";
import { DIALECTS } from "../dialect/dialect.ts";
import { headersForClient, headersForTarget, type PlainHeaders } from "../request/header-lists.ts";

export interface Forwarded {
  readonly method: string;
  /** Behind the base URL; with its query, without keys. */
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer | string;
  readonly dialect: Protocol;
  readonly signal: AbortSignal;
}

type Answered = Dispatcher.ResponseData;

export function forward(agent: Dispatcher, target: GatewayTarget, request: Forwarded): Promise<Answered> {
  const { origin, pathname } = new URL(target.baseUrl);
  const { headers, signIn } =
    DIALECTS[target.dialects.includes(request.dialect) ? request.dialect : target.dialects[0]];
  const own: PlainHeaders = target.key === null ? {} : signIn(target.key);
  return agent.request({
    origin,
    path: `${pathname === "/" ? "" : pathname}${request.path}`,
    method: request.method,
    headers: { ...headers, ...headersForTarget(request.headers), ...own },
    body: request.body.length === 0 ? null : request.body,
    signal: request.signal,
    headersTimeout: FORWARD_MS,
    bodyTimeout: FORWARD_MS,
  });
}

const FORWARD_MS = 300_000;

/** Passes an answer on as it comes. */
export async function passOn(
  { statusCode, headers, body }: Answered,
  response: ServerResponse,
  about: PlainHeaders,
  seen: (chunk: Buffer) => void,
): Promise<void> {
  response.writeHead(statusCode, { ...headersForClient(headers), ...about });
  for await (const chunk of body as AsyncIterable<Buffer>) {
    seen(chunk);
    if (!response.write(chunk))
      await new Promise((resolve) => void response.once("drain", resolve).once("close", resolve));
  }
  response.end();
}
