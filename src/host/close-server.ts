// Ends an HTTP server without cutting off a client in the middle of its answer.

import type { Server } from "node:http";
import type { Clock } from "./clock.ts";

const GRACE_MS = 5_000;
const SWEEP_MS = 20;

/** Requests that are being answered get a moment; then their connections are cut. */
export async function closeServer(server: Server, clock: Clock): Promise<void> {
  const closed = new Promise<void>((resolve) => void server.close(() => resolve()));
  const cut = clock.after(GRACE_MS, () => server.closeAllConnections());
  // Node closes what is idle when `close` is called. A connection whose answer ends after that would stay open for as long as its keep-alive lasts.
  let takeBack = (): void => undefined;
  const sweep = (): void => {
    server.closeIdleConnections();
    takeBack = clock.after(SWEEP_MS, sweep);
  };
  sweep();
  await closed;
  takeBack();
  cut();
}
