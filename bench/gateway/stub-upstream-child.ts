// The upstream of `npm run bench:gateway`: OpenAI chat completions that are ready at once, as JSON or as 50 events. Streams for the user
// `waiting` say one word and stay open until a GET ends them all.

import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

const PIECES = 50;
const usage = { prompt_tokens: 20, completion_tokens: PIECES, total_tokens: PIECES + 20 };
const base = { id: "chatcmpl-1", created: 1_800_000_000, model: "gpt-5-mini" };

const whole = Buffer.from(
  JSON.stringify({
    ...base,
    object: "chat.completion",
    choices: [
      {
        index: 0,
        message: { role: "assistant", content: "word ".repeat(PIECES), refusal: null },
        finish_reason: "stop",
      },
    ],
    usage,
  }),
);

function event(delta: object, more: object = {}): string {
  const choices = [{ index: 0, delta, finish_reason: null }];
  return `data: ${JSON.stringify({ ...base, object: "chat.completion.chunk", choices, ...more })}\n\n`;
}

const events = [
  ...Array.from({ length: PIECES - 1 }, (_, index) =>
    event(index === 0 ? { role: "assistant", content: "word " } : { content: "word " }),
  ),
  `${event({}, { choices: [{ index: 0, delta: {}, finish_reason: "stop" }], usage })}data: [DONE]\n\n`,
].map((text) => Buffer.from(text));

const waiting = new Set<ServerResponse>();

/** One event per turn of the event loop, so that most of them travel alone. */
function stream(response: ServerResponse, from = 0): void {
  const piece = events[from];
  if (from >= events.length - 1) return void response.end(piece);
  response.write(piece);
  setImmediate(() => stream(response, from + 1));
}

const server = createServer({ keepAliveTimeout: 65_000 }, (request, response) => {
  if (request.method === "GET") {
    for (const open of waiting) stream(open, 1);
    waiting.clear();
    return void response.end("{}");
  }
  let text = "";
  request.setEncoding("utf8");
  request.on("data", (chunk: string) => (text += chunk));
  request.on("end", () => {
    const asked = JSON.parse(text) as { user?: string; stream?: boolean };
    if (asked.stream !== true) {
      response.writeHead(200, { "content-type": "application/json", "content-length": whole.length });
      return void response.end(whole);
    }
    response.writeHead(200, { "content-type": "text/event-stream" });
    if (asked.user !== "waiting") return stream(response);
    response.write(events[0]);
    waiting.add(response);
  });
});
server.on("connection", (socket) => socket.setNoDelay(true));
server.listen({ port: 0, host: "127.0.0.1", backlog: 2_048 }, () => {
  const { port } = server.address() as AddressInfo;
  process.stdout.write(`${JSON.stringify({ listening: { url: `http://127.0.0.1:${port}` } })}\n`);
});
