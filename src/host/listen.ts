// Makes a server listen.

import type { AddressInfo, Server } from "node:net";

/** Resolves with the port. Rejects if the address is taken. */
export async function listen(server: Server, host: string, port: number): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, () => {
      server.removeListener("error", reject);
      resolve();
    });
  });
  return (server.address() as AddressInfo).port;
}
