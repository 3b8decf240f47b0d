// Ports for servers that start later, or never. They are below the range from which systems choose ports by themselves, so neither a connection nor
// a server on port 0 of another test gets one of them in the meantime.

import { randomInt } from "node:crypto";
import { createServer, type Server } from "node:net";

const LOWEST = 10_000;
/** Where Linux begins to choose; other systems begin above. */
const END = 32_768;

export async function freePorts(count: number): Promise<readonly number[]> {
  const held = new Map<number, Server>();
  while (held.size < count) {
    const port = randomInt(LOWEST, END);
    const server = await listen(port);
    if (server !== null) held.set(port, server);
  }
  await Promise.all(Array.from(held.values(), (server) => new Promise((resolve) => void server.close(resolve))));
  return [...held.keys()];
}

/** Resolves with null when another program has the port. */
function listen(port: number): Promise<Server | null> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", (error: NodeJS.ErrnoException) => {
      if (error.code === "EADDRINUSE") resolve(null);
      else reject(error);
    });
    server.listen(port, "127.0.0.1", () => resolve(server));
  });
}
