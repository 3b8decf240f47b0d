// An answer to another path on its way to a client that reads slowly.

import { createServer, type IncomingMessage } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { setImmediate } from "node:timers/promises";
import type { Dispatcher } from "undici";
import { expect, it, onTestFinished } from "vitest";
import { passOn } from "../../../src/gateway/target/forward.ts";

const PIECE = Buffer.alloc(1_048_576, "x");
const PIECES = 40;

function pieces(): AsyncIterable<Buffer> {
  return (async function* all() {
    for (let at = 0; at < PIECES; at++) {
      await setImmediate();
      yield PIECE;
    }
  })();
}

it("leaves no listeners behind, however often it waited for the client", async () => {
  const listeners = Promise.withResolvers<readonly number[]>();
  const server = createServer((_request: IncomingMessage, response) => {
    const answered = { statusCode: 200, headers: {}, body: pieces() } as unknown as Dispatcher.ResponseData;
    let waits = 0;
    response.on("drain", () => (waits += 1));
    const passing = { seen: () => undefined, scrub: (text: string) => text, errorEvents: () => "", ownKey: null };
    const count = (name: string): number => response.listenerCount(name);
    const before = ["close", "drain"].map(count);
    passOn(answered, response, {}, passing).then(() => {
      expect(waits).toBeGreaterThan(10);
      listeners.resolve(["close", "drain"].map((name, at) => count(name) - (before[at] ?? 0)));
    }, listeners.reject);
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const client = connect((server.address() as AddressInfo).port, "127.0.0.1");
  client.resume().write("GET / HTTP/1.1\r\nhost: here\r\nconnection: close\r\n\r\n");
  expect(await listeners.promise).toEqual([0, 0]);
  client.destroy();
});
