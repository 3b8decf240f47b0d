// Executes a plan on a connection; no other file writes to one. Waits use the clock and end when the client leaves.

import type { IncomingMessage, ServerResponse } from "node:http";
import type { Clock } from "../host/clock.ts";
import type { RequestEnd } from "./received.ts";
import type { ConnectionAct } from "./wire.ts";

export interface PerformDeps {
  readonly clock: Clock;
  /** The port refuses connections for this long. */
  readonly refuse: (ms: number) => void;
  readonly onHead: (status: number) => void;
}

export async function perform(
  acts: readonly ConnectionAct[],
  request: IncomingMessage,
  response: ServerResponse,
  stage: PerformDeps,
): Promise<RequestEnd> {
  const { promise: gone, resolve } = Promise.withResolvers<true>();
  const leave = (): void => resolve(true);
  response.once("close", leave).once("error", leave);
  // A response queued behind another one on the same connection gets no `close` event, so listen to the socket.
  request.socket.once("close", leave);
  const ended = await inOrder(acts, request, response, stage, gone);
  request.socket.removeListener("close", leave);
  return ended;
}

async function inOrder(
  acts: readonly ConnectionAct[],
  { socket }: IncomingMessage,
  response: ServerResponse,
  { clock, refuse, onHead }: PerformDeps,
  gone: Promise<unknown>,
): Promise<RequestEnd> {
  const isGone = (): boolean => socket.destroyed || response.destroyed;
  const untilGone = (work: (done: () => void) => void): Promise<unknown> =>
    Promise.race([gone, new Promise<void>((resolve) => work(resolve))]);

  for (const act of acts) {
    if (isGone()) return "client-left";
    switch (act.do) {
      case "wait": {
        let disarm = (): void => undefined;
        await untilGone((done) => void (disarm = clock.after(act.ms, done)));
        disarm();
        break;
      }
      case "head":
        // Clients subtract the `date` header from a date in `retry-after`, so it must follow the clock.
        response.sendDate = false;
        response.writeHead(act.status, { ...act.headers, date: new Date(clock.now()).toUTCString() });
        response.flushHeaders();
        onHead(act.status);
        break;
      case "write":
        await untilGone((done) => void response.write(act.text, () => done()));
        break;
      case "end":
        await untilGone((done) => void response.end(() => done()));
        return response.writableFinished ? "answered" : "client-left";
      case "cut":
        socket.destroySoon();
        return "cut";
      case "reset":
        socket.resetAndDestroy();
        return "reset";
      case "refuse":
        refuse(act.ms);
        socket.resetAndDestroy();
        return "refused";
    }
  }
  return isGone() ? "client-left" : "answered";
}
