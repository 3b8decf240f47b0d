// The floor for `npm run bench:gateway`: a proxy on undici that reads requests and answers as JSON, and does nothing else.

import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { Agent, type Dispatcher } from "undici";

const [upstream = ""] = process.argv.slice(2);
const agent = new Agent({ headersTimeout: 0, bodyTimeout: 0, pipelining: 1 });
let tokens = 0;

interface Answer {
  readonly usage?: { readonly total_tokens: number } | null;
}

/** Reads every event, as whatever wants to know the usage has to. */
class Events {
  #rest = "";

  push(chunk: Buffer): void {
    const lines = (this.#rest + chunk.toString("utf8")).split("\n");
    this.#rest = lines.pop() ?? "";
    for (const line of lines) {
      if (!line.startsWith("data: {")) continue;
      tokens += (JSON.parse(line.slice(6)) as Answer).usage?.total_tokens ?? 0;
    }
  }
}

function pass(response: ServerResponse, streaming: boolean): Dispatcher.DispatchHandler {
  const events = new Events();
  const body: Buffer[] = [];
  let contentType = "";
  return {
    onRequestStart: () => undefined,
    onResponseStart(_controller, status, headers) {
      contentType = String(headers["content-type"]);
      if (streaming) response.writeHead(status, { "content-type": contentType });
    },
    onResponseData(_controller, chunk) {
      if (!streaming) return void body.push(chunk);
      events.push(chunk);
      response.write(chunk);
    },
    onResponseEnd() {
      if (streaming) return void response.end();
      const bytes = Buffer.concat(body);
      tokens += (JSON.parse(bytes.toString("utf8")) as Answer).usage?.total_tokens ?? 0;
      response.writeHead(200, { "content-type": contentType, "content-length": bytes.length });
      response.end(bytes);
    },
    onResponseError() {
      response.destroy();
    },
  };
}

const server = createServer({ keepAliveTimeout: 65_000 }, (request, response) => {
  const chunks: Buffer[] = [];
  request.on("data", (chunk: Buffer) => chunks.push(chunk));
  request.on("end", () => {
    const text = Buffer.concat(chunks).toString("utf8");
    const { stream } = JSON.parse(text) as { stream?: boolean };
    const headers = { "content-type": "application/json", "authorization": request.headers.authorization ?? "" };
    agent.dispatch(
      { origin: upstream, path: request.url ?? "/", method: "POST", headers, body: text },
      pass(response, stream === true),
    );
  });
});
server.on("connection", (socket) => socket.setNoDelay(true));
server.listen({ port: 0, host: "127.0.0.1", backlog: 2_048 }, () => {
  const { port } = server.address() as AddressInfo;
  process.stdout.write(`${JSON.stringify({ listening: { url: `http://127.0.0.1:${port}` } })}\n`);
});
