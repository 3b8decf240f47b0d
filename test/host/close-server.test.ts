import { Agent, createServer, get, type IncomingMessage, type ServerResponse } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { closerOf } from "../../src/host/close-server.ts";
import { type Clock, systemClock } from "../../src/host/clock.ts";

/** A client that keeps its connection open, in the middle of an answer. */
async function startAnswer(clock: Clock) {
  const begun = Promise.withResolvers<ServerResponse>();
  const server = createServer((_request, response) => {
    response.write("first ");
    begun.resolve(response);
  });
  const close = closerOf(server, clock);
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  const agent = new Agent({ keepAlive: true });
  onTestFinished(() => agent.destroy());
  const { port } = server.address() as AddressInfo;
  const answer = new Promise<IncomingMessage>((resolve, reject) => {
    get({ agent, port, host: "127.0.0.1" }, resolve).on("error", reject);
  });
  return { close, port, response: await begun.promise, answer: await answer };
}

/** A clock whose waits of a second and more end when the test says so. */
function clockWithGrace(): { readonly clock: Clock; endGrace: () => void } {
  const long: (() => void)[] = [];
  const after: Clock["after"] = (delayMs, wake) => {
    if (delayMs < 1_000) return systemClock.after(delayMs, wake);
    long.push(wake);
    return () => undefined;
  };
  return { clock: { ...systemClock, after }, endGrace: () => long.forEach((wake) => wake()) };
}

const LONG = 64 * 1_048_576;

describe("closing a server", () => {
  it("lets an answer finish, and then does not wait for the client to close its connection", async () => {
    const { clock } = clockWithGrace();
    const { close, response, answer } = await startAnswer(clock);
    const closed = close();
    response.end("last");
    expect((await answer.toArray()).join("")).toBe("first last");
    await closed;
  });

  it("does not wait for a connection on which no request has come", async () => {
    const { clock } = clockWithGrace();
    const { close, port, response } = await startAnswer(clock);
    const early = connect(port, "127.0.0.1");
    await new Promise<void>((resolve) => void early.once("connect", resolve));
    const cut = new Promise<void>((resolve) => void early.once("close", () => resolve()));
    early.on("error", () => undefined).resume();
    response.end("last");
    await close();
    await cut;
  });

  it("does not cut off an answer that is written and that its client has yet to read", async () => {
    const { clock, endGrace } = clockWithGrace();
    const { close, response, answer } = await startAnswer(clock);
    answer.pause();
    // More than the connection holds.
    response.end("x".repeat(LONG));
    const closed = close();
    const read = (await answer.toArray()) as readonly Buffer[];
    expect(read.reduce((sum, { length }) => sum + length, 0)).toBe("first ".length + LONG);
    endGrace();
    await closed;
  });

  it("cuts an answer that has not ended when the grace period is over", async () => {
    const { clock, endGrace } = clockWithGrace();
    const { close, answer } = await startAnswer(clock);
    const closed = close();
    endGrace();
    await expect(answer.toArray()).rejects.toThrow("aborted");
    await closed;
  });
});
