// Redirects under `fl.fetch`: followed as the platform does, but keys stay with the origin they were meant for. The gateway follows none.

import { createServer, type IncomingMessage, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import { createFaultline } from "../../../src/index.ts";
import { createTransport } from "../../../src/gateway/target/transport.ts";
import { fetchSafely } from "../../../src/provider/fetch/follow-redirects.ts";

interface Place {
  readonly url: string;
  readonly seen: { readonly method: string; readonly headers: IncomingMessage["headers"]; readonly body: string }[];
}

async function place(answer: RequestListener): Promise<Place> {
  const seen: Place["seen"] = [];
  const server = createServer((request, response) => {
    let body = "";
    request.on("data", (chunk: Buffer) => (body += chunk.toString()));
    request.on("end", () => {
      seen.push({ method: request.method ?? "", headers: request.headers, body });
      answer(request, response);
    });
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, seen };
}

const ANSWER = JSON.stringify({
  ...{ id: "1", object: "chat.completion", created: 1, model: "m" },
  choices: [{ index: 0, finish_reason: "stop", message: { role: "assistant", content: "hi" } }],
  usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
});
const answers: RequestListener = (_request, response) =>
  void response.writeHead(200, { "content-type": "application/json" }).end(ANSWER);
const KEYS = {
  "authorization": "Bearer sk-secret-1",
  "x-api-key": "sk-secret-2",
  "api-key": "sk-secret-3",
  "x-goog-api-key": "sk-secret-4",
};
const body = JSON.stringify({ model: "m", messages: [{ role: "user", content: "hi" }] });

const STATUSES = [307, 308];
const flFetch = (): typeof fetch => createFaultline().fetch({ provider: "openai" });

it.each(STATUSES)("another origin gets the request of a %d and none of its keys", async (status) => {
  const far = await place(answers);
  const near = await place(
    (_request, response) => void response.writeHead(status, { location: `${far.url}/v1/chat/completions` }).end(),
  );
  const headers = { "content-type": "application/json", ...KEYS };
  const response = await flFetch()(`${near.url}/v1/chat/completions`, { method: "POST", headers, body });
  expect(await response.json()).toMatchObject({ choices: [{ message: { content: "hi" } }] });
  expect(near.seen[0]?.headers).toMatchObject(KEYS);
  expect(far.seen).toMatchObject([{ method: "POST", body }]);
  expect(JSON.stringify(far.seen)).not.toContain("sk-secret");
});

it.each(STATUSES)("the same origin gets the keys of a %d, too", async (status) => {
  const near = await place((request, response) => {
    if (request.url === "/v2/chat/completions") return answers(request, response);
    response.writeHead(status, { location: "/v2/chat/completions" }).end();
  });
  const response = await flFetch()(`${near.url}/v1/chat/completions`, { method: "POST", headers: KEYS, body });
  expect(response.status).toBe(200);
  expect(near.seen.at(-1)?.headers).toMatchObject(KEYS);
});

it("a redirect that leads nowhere is an answer, and a ring of them is a failure", async () => {
  const send = (url: string): Promise<Response> => fetchSafely(fetch, url, { method: "POST", body });
  const lost = await place((_request, response) => void response.writeHead(307).end());
  expect((await send(`${lost.url}/x`)).status).toBe(307);
  const ring = await place((_request, response) => void response.writeHead(307, { location: "/x" }).end());
  await expect(send(`${ring.url}/x`)).rejects.toThrow("redirect count exceeded");
  expect(ring.seen.length).toBe(21);
});

it.each([301, 302, 303, 307, 308])("the gateway's transport does not follow a %d", async (status) => {
  const far = await place(answers);
  const near = await place((_request, response) => void response.writeHead(status, { location: far.url }).end());
  const transport = createTransport();
  onTestFinished(() => transport.close());
  const sent = transport.fetch(`${near.url}/v1/chat/completions`, { method: "POST", headers: KEYS, body });
  await expect(sent).rejects.toThrow(`the target answered with a redirect (${status})`);
  expect(near.seen).toHaveLength(1);
  expect(far.seen).toEqual([]);
});
