// Ends an HTTP server without cutting off a client in the middle of its answer.

import type { IncomingMessage, Server } from "node:http";
import type { Clock } from "./clock.ts";

type Socket = IncomingMessage["socket"];

const GRACE_MS = 5_000;
/** For the last words to clients whose answers are not whole by then. */
const FAREWELL_MS = 1_000;
const SWEEP_MS = 20;

/**
 * Returns the function that closes the server. Requests that are being answered get a moment. Then `endAnswers` is called, which may tell their
 * clients that the server stops, and what is still open a moment later is cut. Node waits for two kinds of connections that are not needed: those
 * on which no request has come yet, and those whose answer ends after `close`. Resolves with the moment at which the grace is over.
 */
export function closerOf(server: Server, clock: Clock, endAnswers: (() => void) | null = null): () => Promise<number> {
  const unused = new Set<Socket>();
  server.on("connection", (socket: Socket) => {
    unused.add(socket);
    socket.once("close", () => unused.delete(socket));
  });
  server.on("request", ({ socket }) => unused.delete(socket));
  return async () => {
    const graceEndsAt = clock.now() + GRACE_MS;
    const closed = new Promise<void>((resolve) => void server.close(() => resolve()));
    const cut = (): void => server.closeAllConnections();
    let disarmCut = clock.after(GRACE_MS, () => {
      if (endAnswers === null) return cut();
      endAnswers();
      disarmCut = clock.after(FAREWELL_MS, cut);
    });
    let disarmSweep = (): void => undefined;
    const sweep = (): void => {
      for (const socket of unused) socket.destroy();
      server.closeIdleConnections();
      disarmSweep = clock.after(SWEEP_MS, sweep);
    };
    sweep();
    await closed;
    disarmSweep();
    disarmCut();
    return graceEndsAt;
  };
}
