// Proves that whatever comes in gets an answer that tells what is wrong, uses up nothing that was meant for another request, and
// leaves the server able to show what it received.

import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createRequestLog } from "../../src/chaos/received.ts";
import { type Chaos, startChaos } from "../../src/chaos/start-chaos.ts";
import { isFaultError } from "../../src/core/index.ts";
import { thrownBy } from "../support/thrown.ts";
import { ask } from "./asking.ts";

let chaos: Chaos;
beforeEach(async () => void (chaos = await startChaos()));
afterEach(() => chaos.close());

function post(path: string, body: string): Promise<Response> {
  return fetch(`${chaos.url}${path}`, { method: "POST", body });
}

/** As a client sends it that no library has corrected. */
async function raw(requestLine: string): Promise<string> {
  const socket = connect(Number(new URL(chaos.url).port), "127.0.0.1");
  socket.end(`${requestLine} HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-length: 2\r\n\r\n{}`);
  return text(socket);
}

describe("a request to no address there is", () => {
  it("is answered with the ones there are, and remembered apart from the others", async () => {
    const { status } = await post("/v1/embeddings?key=secret", "{}");
    await fetch(`${chaos.url}/v1/messages`);
    expect(status).toBe(404);
    expect(chaos.strays()).toMatchObject([
      { method: "POST", path: "/v1/embeddings" },
      { method: "GET", path: "/v1/messages" },
    ]);
    expect(chaos.received()).toEqual([]);
    expect(await (await fetch(`${chaos.url}/__chaos`)).json()).toMatchObject({ requests: [], strays: chaos.strays() });
    chaos.reset();
    expect(chaos.strays()).toEqual([]);
  });

  it.each(["POST //", "POST http://[", "OPTIONS *"])("gets an error even when it is %s", async (requestLine) => {
    expect(await raw(requestLine)).toMatch(/^HTTP\/1\.1 404 /);
  });

  it.each(["//v1/chat/completions", "/v1//chat/completions", "//chat/completions"])(
    "is not what %s is: a slash too many does no harm",
    async (path) => expect((await post(path, "{}")).status).toBe(200),
  );
});

describe("a body", () => {
  it.each([
    ["not JSON", "{"],
    ["deeper than 500", `{"model":"m","messages":${"[".repeat(100_000)}${"]".repeat(100_000)}}`],
    ["deeper than 500", `{"messages":[{"role":"user","content":${'{"a":'.repeat(100_000)}1${"}".repeat(100_000)}}]}`],
    ["larger than 32 MB", `"${"x".repeat(33 * 1024 * 1024)}"`],
  ])("that is %s gets an error and uses up no step", async (complaint, body) => {
    chaos.script(["overloaded"]);
    expect((await post("/v1/messages", body)).status).toBe(complaint.includes("MB") ? 413 : 400);
    expect(chaos.received()[0]).toMatchObject({ fault: null, chosenBy: "default" });
    expect(chaos.received()[0]?.complaint).toContain(complaint);
    expect((await fetch(`${chaos.url}/__chaos`)).status).toBe(200);
    expect((await ask(chaos, "anthropic")).status).toBe(529);
  });

  it("too large for a scenario changes nothing", async () => {
    await post("/__chaos/scenario", "rules:\n  - fault: quota\n");
    expect((await post("/__chaos/scenario", "#".repeat(33 * 1024 * 1024))).status).toBe(413);
    expect((await ask(chaos, "anthropic")).status).toBe(429);
  });

  it("makes room for later ones when all together are too large, and the request is still remembered", () => {
    const log = createRequestLog();
    const request = {
      at: 0,
      protocol: "anthropic",
      model: "m",
      path: "/",
      streaming: false,
      chosenBy: "default",
      fault: null,
      complaint: null,
      key: null,
    } as const;
    for (let body = 1; body <= 4; body++) log.begin({ ...request, body }, 30 * 1024 * 1024);
    expect(log.requests.map(({ body }) => body)).toEqual([undefined, undefined, 3, 4]);
  });

  it("whose schema asks for itself gets an answer", async () => {
    const schema = { anyOf: [{ $ref: "#" }] };
    const format = { type: "json_schema", json_schema: { name: "x", schema } };
    expect((await ask(chaos, "openai-chat", { body: { response_format: format } })).status).toBe(200);
  });
});

describe("a server", () => {
  it("that closes did the cutting: no client left", async () => {
    const answer = ask(chaos, "openai-chat", { model: "slow-first-token", streaming: true });
    await expect.poll(() => chaos.received()[0]?.status).toBe(200);
    await chaos.close();
    expect(chaos.received()).toMatchObject([{ ended: "cut", clientLeftAt: null }]);
    expect((await answer).error).not.toBeNull();
  });

  it("that closes ends answers, too, that wait for another one on their connection", async () => {
    const body = JSON.stringify({ model: "hang" });
    const request = `POST /v1/messages HTTP/1.1\r\nhost: x\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
    const socket = connect(Number(new URL(chaos.url).port), "127.0.0.1").once("error", () => undefined);
    const warnings: Error[] = [];
    const warned = (warning: Error): void => void warnings.push(warning);
    process.on("warning", warned);
    socket.write(request.repeat(12));
    await expect.poll(() => chaos.received().length).toBe(12);
    await chaos.close();
    process.removeListener("warning", warned);
    expect(chaos.received().map(({ ended }) => ended)).toEqual(Array.from({ length: 12 }, () => "cut"));
    expect(warnings).toEqual([]);
  });

  it.each([
    [{ host: "198.51.100.1" }, /198\.51\.100\.1, port 0\. Choose an address of this machine/],
    [{ port: 70_000 }, /port is 70000; it must be a whole number from 0 to 65535/],
  ])("that cannot listen on %o says what to do", async (options, message) => {
    const error = await thrownBy(startChaos(options));
    if (!isFaultError(error)) throw error;
    expect(error.message).toMatch(message);
  });
});
