// A real HTTP server on 127.0.0.1 that fails in the one way a test asks for, and is gone when the test is.

import { once } from "node:events";
import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";

export interface FailingServer {
  readonly url: string;
  /** Resolves when a request has arrived, whatever becomes of it. */
  readonly requested: Promise<void>;
}

export async function withServer<T>(answer: RequestListener, use: (server: FailingServer) => Promise<T>): Promise<T> {
  const server = createServer(answer);
  return serving(server, "http", use);
}

/** Starts any server on a free port, for as long as `use` runs. */
export async function serving<T>(
  server: Server,
  scheme: "http" | "https",
  use: (server: FailingServer) => Promise<T>,
): Promise<T> {
  const requested = new Promise<void>((resolve) => void server.once("request", () => resolve()));
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = server.address() as AddressInfo;
  try {
    return await use({ url: `${scheme}://127.0.0.1:${port}`, requested });
  } finally {
    const closed = once(server, "close");
    server.close();
    server.closeAllConnections();
    await closed;
  }
}

/** An address without a listener: a server was there a moment ago. */
export function closedUrl(): Promise<string> {
  return withServer(neverAnswer, ({ url }) => Promise.resolve(url));
}

export function reply(
  status: number,
  body: string,
  headers: Readonly<Record<string, string>> = { "content-type": "application/json" },
): RequestListener {
  return (_request, response) => void response.writeHead(status, { ...headers, connection: "close" }).end(body);
}

/** A stream that begins well; the last of its events is the failure. */
export function streamOf(events: readonly string[]): RequestListener {
  return reply(200, events.map((event) => `${event}\n\n`).join(""), { "content-type": "text/event-stream" });
}

export const neverAnswer: RequestListener = (request) => void request.resume();

/** A TCP reset instead of an answer. */
export const resetBeforeHeaders: RequestListener = (request) => void request.socket.resetAndDestroy();

/** Promises 4096 bytes, sends the beginning and hangs up. */
export const cutBody: RequestListener = (request, response) => {
  response.writeHead(200, { "content-type": "application/json", "content-length": "4096" });
  response.write('{"id":"cut-1","object":"chat.compl', () => void request.socket.end());
};
