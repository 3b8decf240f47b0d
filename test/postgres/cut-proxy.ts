// A way to a PostgreSQL server that can be cut: at once, or so that what was sent arrives and the answer to it does not.

import { connect, createServer, type AddressInfo, type Socket } from "node:net";

export interface CutProxy {
  /** The same address, through the proxy. */
  readonly url: string;
  /** Cuts the next connection that sends this text, after the server has answered it and `meanwhile` is over, and before the answer arrives. */
  loseAnswerTo(text: string, meanwhile?: () => Promise<unknown>): void;
  /** Nothing gets through the connections there are, and nobody hears of it; new ones work. */
  silence(): void;
  /** Cuts all connections. */
  cut(): void;
  /** Lets nobody through until `open` is called. */
  shut(): void;
  open(): void;
  close(): Promise<void>;
}

export async function startCutProxy(url: string): Promise<CutProxy> {
  const target = new URL(url);
  const sockets = new Set<Socket>();
  let isShut = false;
  let silenced = { is: false };
  let wanted: { readonly text: string; readonly meanwhile: () => Promise<unknown> } | null = null;

  const server = createServer((near) => {
    if (isShut) return void near.destroy();
    const mine = silenced;
    const far = connect(Number(target.port), target.hostname);
    let losing: (() => Promise<unknown>) | null = null;
    const end = (): void => {
      near.destroy();
      far.destroy();
      sockets.delete(near);
      sockets.delete(far);
    };
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.on("error", end);
      socket.on("close", end);
    }
    near.on("data", (bytes) => {
      if (wanted !== null && bytes.includes(wanted.text)) {
        losing = wanted.meanwhile;
        wanted = null;
      }
      if (!mine.is) far.write(bytes);
    });
    far.on("data", (bytes) => {
      if (mine.is) return;
      if (losing === null) near.write(bytes);
      else void losing().finally(end);
    });
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  const through = new URL(url);
  through.port = String((server.address() as AddressInfo).port);
  const cut = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    url: through.href,
    loseAnswerTo(text, meanwhile = () => Promise.resolve()) {
      wanted = { text, meanwhile };
    },
    silence() {
      silenced.is = true;
      silenced = { is: false };
    },
    cut,
    shut() {
      isShut = true;
      cut();
    },
    open() {
      isShut = false;
    },
    async close() {
      cut();
      await new Promise((resolve) => void server.close(resolve));
    },
  };
}
