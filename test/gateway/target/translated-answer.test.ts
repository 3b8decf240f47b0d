// The attempt of another dialect fails while its client reads slowly.

import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import { ClientAnswer } from "../../../src/gateway/answer/client-answer.ts";
import { dialectFor } from "../../../src/gateway/dialect/dialect.ts";
import type { AskedModel } from "../../../src/gateway/request/gateway-request.ts";
import { GatewayRequest } from "../../../src/gateway/request/gateway-request.ts";
import { streamTranslated } from "../../../src/gateway/target/translated-answer.ts";
import { StreamSink } from "../../../src/provider/model/stream-sink.ts";
import { factsAt } from "../../../src/provider/wire/request-facts.ts";
import type { RunContext } from "../../../src/runtime/tool/tool.ts";
import { createFakeClock } from "../../../src/testing/fake-clock.ts";

const body = { model: "m", stream: true, messages: [{ role: "user", content: "hi" }] };
const dialect = "openai-chat";
const asked: AskedModel = {
  dialect,
  body,
  bytes: Buffer.from(JSON.stringify(body)),
  facts: factsAt(dialect, null, body),
  headers: {},
  query: "",
};
const DELTA = "x".repeat(1_048_576);

/** The response to a client that reads nothing. */
async function unreadResponse(): Promise<ServerResponse> {
  const server = createServer();
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  const client = connect((server.address() as AddressInfo).port, "127.0.0.1");
  onTestFinished(() => {
    client.destroy();
    server.close();
  });
  client.pause().write("POST / HTTP/1.1\r\nhost: here\r\ncontent-length: 0\r\n\r\n");
  const [, response] = (await once(server, "request")) as [unknown, ServerResponse];
  return response;
}

it("ends at once when its target fails, and does not wait for the client to read", async () => {
  const response = await unreadResponse();
  const clock = createFakeClock(0);
  const answer = new ClientAnswer(response, dialectFor(dialect, "", true), false, clock);
  const request = new GatewayRequest(asked, answer, { isMetered: false, isContinued: false });
  const context = { call: "call_1", commit: () => undefined, cancel: () => undefined } as unknown as RunContext;
  const sink = new StreamSink("fail");
  sink.begin();
  const failed = Promise.withResolvers<never>();
  const call = { request, context, target: "two/m", clock };
  const ended = expect(streamTranslated(call, sink, failed.promise)).rejects.toThrow("the target is gone");
  sink.push({ type: "text-start", id: "0" });
  for (let sent = 0; sent < 30; sent++) sink.push({ type: "text-delta", id: "0", delta: DELTA });
  await expect.poll(() => answer.isFull).toBe(true);
  failed.reject(new Error("the target is gone"));
  await ended;
  expect(clock.now()).toBe(0);
});
