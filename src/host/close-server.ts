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
 * clients that the server stops, and what is still open a moment later is cut. Connections without an answer under way are closed at once, and
 * those whose answer ends later, soon after it: Node would wait for their clients. Resolves with the moment at which the grace is over.
 */
export function closerOf(server: Server, clock: Clock, endAnswers: (() => void) | null = null): () => Promise<number> {
  /** How many answers are under way on each connection. A Set of the answers would keep all of them in memory for long: see `Scope`. */
  const underWay = new Map<Socket, { answers: number }>();
  server.on("connection", (socket: Socket) => {
    underWay.set(socket, { answers: 0 });
    socket.once("close", () => underWay.delete(socket));
  });
  server.on("request", ({ socket }, response) => {
    const open = underWay.get(socket);
    if (open === undefined) return;
    open.answers += 1;
    // A response closes once, so `once` would only add a listener around this one.
    response.on("close", () => void (open.answers -= 1));
  });
  // Node's own, which `close` calls, cuts off an answer whose end is written and whose client has not read all of it yet.
  server.closeIdleConnections = () => {
    for (const [socket, { answers }] of underWay) if (answers === 0) socket.destroy();
  };
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
