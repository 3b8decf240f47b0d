// A server on one port that can stop listening for a while and close all its sockets at once.
// L1  After `refuse`, connections fail until its time is over. The port stays the same.
// L2  After `close`, no socket and no timer is left.

import { nodeHttp } from "../host/builtin.ts";
import type { RequestListener } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { classify } from "../core/classify/classify.ts";
import { FaultError, wrap } from "../core/fault/fault.ts";
import type { Clock } from "../host/clock.ts";

export interface Listener {
  readonly port: number;
  refuse(ms: number): void;
  close(): Promise<void>;
}

/** The delay before listening again if another process took the port in the meantime. */
const TRY_AGAIN_MS = 50;

export async function listen(
  onRequest: RequestListener,
  wantedPort: number,
  host: string,
  clock: Clock,
): Promise<Listener> {
  const server = nodeHttp().createServer({ keepAliveTimeout: 0 }, onRequest);
  const sockets = new Set<Socket>();
  server.on("connection", (socket) => {
    sockets.add(socket);
    // Each waiting request listens for the end of its connection, and one connection may carry any number of them.
    socket.setMaxListeners(0);
    socket.once("close", () => void sockets.delete(socket));
    // Clients that reset their connection are expected here.
    socket.on("error", () => void sockets.delete(socket));
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    // `listen` throws synchronously for an invalid port.
    server.listen({ port: wantedPort, host }, resolve);
  }).catch((error: unknown) => {
    throw cannotListen(error, wantedPort, host);
  });
  const { port } = server.address() as AddressInfo;
  let isClosed = false;
  let disarm = (): void => undefined;

  function wake(afterMs: number): void {
    disarm();
    disarm = clock.after(afterMs, () => {
      if (!isClosed && !server.listening) server.listen(port, host);
    });
  }
  server.removeAllListeners("error");
  server.on("error", () => wake(TRY_AGAIN_MS));

  return {
    port,
    refuse(ms) {
      if (isClosed) return;
      if (server.listening) server.close();
      server.closeIdleConnections();
      wake(ms);
    },
    async close() {
      isClosed = true;
      disarm();
      const closed = server.listening
        ? new Promise<void>((resolve) => void server.close(() => resolve()))
        : Promise.resolve();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

/** Any other code means that the port is the problem. */
const HOST_CODES: ReadonlySet<unknown> = new Set(["EADDRNOTAVAIL", "ENOTFOUND", "EAI_AGAIN"]);

function cannotListen(error: unknown, port: number, host: string): FaultError {
  const isHost = error instanceof Error && "code" in error && HOST_CODES.has(error.code);
  const advice = isHost ? "Choose an address of this machine" : "Choose another port, or 0 for a free one";
  const message = `Cannot listen on ${host}, port ${port}. ${advice}`;
  return new FaultError(wrap(classify({ surface: "node", error }), message), { cause: error });
}
