// A clock that the test owns, for programs that talk over real sockets within this process: time moves on only when every byte that
// was written has been read on the other side, every connection that ended has ended on both, and all that followed has run.

import { subscribe } from "node:diagnostics_channel";
import type { Socket } from "node:net";
import { TLSSocket } from "node:tls";
import { systemClock } from "../../src/host/clock.ts";
import { createFakeClock, type FakeClock } from "../../src/testing/fake-clock.ts";
import { createQuietCheck } from "../postgres/under-way.ts";
import { FOREIGN_PORTS } from "./test-servers.ts";

/** Turns of the event loop without any of that before time moves on: promises and streams between them take a few. */
const QUIET_TURNS = 16;
/** The same if the bytes do not say it all: a reader has stopped with some left in its socket, or they are encrypted. */
const UNSURE_TURNS = 1_000;
/** What never ends is not waited for forever. */
const MOST_TURNS = 20_000;

/** Sockets of this process by the port of the client, which both sides know. */
const CLIENTS = new Map<number, Socket>();
const SERVERS = new Map<number, Socket>();
const CONNECTING = new Set<Socket>();
/** Sockets whose other end is a server of its own: what is under way there is counted elsewhere (`under-way.ts`). */
const isForeign = (socket: Socket): boolean =>
  FOREIGN_PORTS.has(socket.remotePort ?? 0) || FOREIGN_PORTS.has(socket.localPort ?? 0);

subscribe("net.client.socket", (message) => {
  const { socket } = message as { readonly socket: Socket };
  CONNECTING.add(socket);
  socket.once("connect", () => {
    CONNECTING.delete(socket);
    if (isForeign(socket)) return;
    const port = socket.localPort ?? 0;
    CLIENTS.set(port, socket);
    // The port may have been given to another one by then.
    socket.once("close", () => void (CLIENTS.get(port) === socket && CLIENTS.delete(port)));
  });
  socket.once("close", () => void CONNECTING.delete(socket));
});

subscribe("net.server.socket", (message) => {
  const { socket } = message as { readonly socket: Socket };
  if (isForeign(socket)) return;
  const port = socket.remotePort ?? 0;
  SERVERS.set(port, socket);
  socket.once("close", () => void (SERVERS.get(port) === socket && SERVERS.delete(port)));
});

const WORK: ReadonlySet<string> = new Set(["FSReqPromise", "FSReqCallback", "CloseReq", "GetAddrInfoReqWrap"]);

export function createSocketClock(startAt: number): FakeClock {
  return createFakeClock(startAt, (next) => {
    const isQuiet = createQuietCheck();
    let quiet = 0;
    let turns = 0;
    const look = (): void => {
      const hasAnswers = isQuiet();
      if (hasAnswers) turns += 1;
      const needed = hasAnswers ? turnsNeeded() : Infinity;
      quiet = needed === Infinity ? 0 : quiet + 1;
      if (quiet < needed && turns < MOST_TURNS) systemClock.soon(look);
      else next();
    };
    systemClock.soon(look);
  });
}

/** How many quiet turns are enough for what there is; `Infinity` while something is under way. */
function turnsNeeded(): number {
  if (CONNECTING.size > 0 || CLIENTS.size !== SERVERS.size) return Infinity;
  let needed = QUIET_TURNS;
  for (const [port, client] of CLIENTS) {
    const server = SERVERS.get(port);
    if (server === undefined) return Infinity;
    if (client.bytesWritten === server.bytesRead && server.bytesWritten === client.bytesRead) continue;
    if (!(client instanceof TLSSocket) && !hasStopped(server) && !hasStopped(client)) return Infinity;
    needed = UNSURE_TURNS;
  }
  return process.getActiveResourcesInfo().some((kind) => WORK.has(kind)) ? Infinity : needed;
}

/** Its reader has paused it, or has taken nothing for so long that Node has stopped reading from the connection. */
function hasStopped(socket: Socket): boolean {
  return socket.isPaused() || socket.readableLength >= socket.readableHighWaterMark;
}
