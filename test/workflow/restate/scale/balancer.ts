// A load balancer for connections, as it stands in front of workers: round robin, and the next one when a worker refuses. It can also cut
// the network: connections stay open, and nothing passes.

import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";

export interface Balancer {
  readonly port: number;
  cut(isCut: boolean): void;
  /** Breaks all connections; the next ones go to the ports that are in the list now. */
  drop(): void;
  close(): Promise<void>;
}

export async function startBalancer(ports: readonly number[]): Promise<Balancer> {
  let next = 0;
  let isCut = false;
  const pairs = new Map<Socket, Socket | null>();
  const server = createServer((client) => {
    pairs.set(client, null);
    client.on("close", () => pairs.delete(client));
    client.on("error", () => client.destroy());
    pass(client, ports.length);
  });

  function pass(client: Socket, left: number): void {
    if (left === 0) return void client.destroy();
    next = (next + 1) % ports.length;
    const behind = connect(ports[next] ?? 0, "127.0.0.1");
    let isConnected = false;
    behind.on("connect", () => {
      isConnected = true;
      pairs.set(client, behind);
      if (!isCut) join(client, behind);
    });
    behind.on("error", () => {
      if (isConnected) client.destroy();
      else pass(client, left - 1);
    });
    behind.on("close", () => {
      if (isConnected) client.destroy();
    });
    client.on("close", () => behind.destroy());
  }

  const drop = (): void => {
    for (const client of pairs.keys()) client.destroy();
  };

  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  return {
    port: typeof address === "object" && address !== null ? address.port : 0,
    cut(isNowCut) {
      isCut = isNowCut;
      for (const [client, behind] of pairs) {
        if (behind === null) continue;
        if (isCut) {
          client.unpipe(behind).pause();
          behind.unpipe(client).pause();
        } else join(client, behind);
      }
    },
    drop,
    async close() {
      drop();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function join(client: Socket, behind: Socket): void {
  client.pipe(behind);
  behind.pipe(client);
}
