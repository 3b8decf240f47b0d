// A way to a PostgreSQL server that can be cut: at once, or so that what was sent arrives and the answer to it does not.

import { connect, createServer, type AddressInfo, type Socket } from "node:net";

export interface CutProxy {
  /** The same address, through the proxy. */
  readonly url: string;
  /** Cuts the next connection that sends this text, after the server has answered it and `meanwhile` is over, and before the answer arrives. */
  loseAnswerTo(text: string, meanwhile?: () => Promise<unknown>): void;
  /** The server ends the next connection that sends this text right behind its answer: both arrive at once. */
  endBehindAnswerTo(text: string): void;
  /** Nothing gets through the connections there are, and nobody hears of it; new ones work. */
  silence(): void;
  /** Cuts all connections. */
  cut(): void;
  /** Lets nobody through until `open` is called. */
  shut(): void;
  open(): void;
  close(): Promise<void>;
}

interface Wanted {
  readonly text: string;
  /** What happens before the answer is lost; null when it is not lost, but the last one. */
  readonly meanwhile: (() => Promise<unknown>) | null;
}

/** What a server says when it is shut down: an ErrorResponse with code 57P01. */
const SHUT_DOWN = ((): Buffer => {
  const fields = Buffer.from("SFATAL\0VFATAL\0C57P01\0Mterminating connection due to administrator command\0\0");
  const head = Buffer.from("E\0\0\0\0");
  head.writeInt32BE(fields.length + 4, 1);
  return Buffer.concat([head, fields]);
})();

export async function startCutProxy(url: string): Promise<CutProxy> {
  const target = new URL(url);
  const sockets = new Set<Socket>();
  let isShut = false;
  let silenced = { is: false };
  let wanted: Wanted | null = null;

  const server = createServer((near) => {
    if (isShut) return void near.destroy();
    const mine = silenced;
    const far = connect(Number(target.port), target.hostname);
    let found: Wanted | null = null;
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
        found = wanted;
        wanted = null;
      }
      if (!mine.is) far.write(bytes);
    });
    far.on("data", (bytes) => {
      if (mine.is) return;
      if (found === null) near.write(bytes);
      else if (found.meanwhile === null) near.end(Buffer.concat([bytes, SHUT_DOWN]));
      else void found.meanwhile().finally(end);
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
    endBehindAnswerTo(text) {
      wanted = { text, meanwhile: null };
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
