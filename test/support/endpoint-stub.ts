// A test provider: it answers as OpenAI's and Anthropic's APIs do, whole and streamed, and fails on demand.
// It shares no code with the chaos server, so a mistake there does not hide one here.

import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { once } from "node:events";
import type { AddressInfo } from "node:net";

/** One request as the stub saw it. */
export interface Asked {
  readonly server: string;
  readonly key: string;
  readonly model: string;
}

export interface StubAnswer {
  readonly status: number;
  readonly body: object;
  readonly headers?: Readonly<Record<string, string>>;
}

/** What the stub does with a request: a failing answer, a cut connection, silence, or null for a good answer. */
export type Failing = (asked: Asked) => StubAnswer | "reset" | "silent" | null;

export interface EndpointStub {
  readonly url: string;
  readonly close: () => Promise<void>;
}

export async function startStub(name: string, log: Asked[], failing: Failing): Promise<EndpointStub> {
  const server = createServer((request, response) => void answer(request, response));
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const sent = JSON.parse(await textOf(request)) as { readonly model: string; readonly stream?: boolean };
    const { authorization = "", "x-api-key": apiKey = "" } = request.headers;
    const asked: Asked = {
      server: name,
      key: authorization === "" ? String(apiKey) : authorization.replace("Bearer ", ""),
      model: sent.model,
    };
    log.push(asked);
    const failure = failing(asked);
    if (failure === "reset") request.socket.resetAndDestroy();
    else if (failure === "silent") request.resume();
    else if (failure !== null) send(response, failure);
    else good(request.url?.endsWith("/messages") === true ? ANTHROPIC : OPENAI, sent, response);
  };
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/v1`, close: () => closed(server) };
}

async function closed(server: Server): Promise<void> {
  if (!server.listening) return;
  const over = once(server, "close");
  server.close();
  server.closeAllConnections();
  await over;
}

async function textOf(request: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece as Buffer);
  return Buffer.concat(pieces).toString("utf8");
}

function send(response: ServerResponse, { status, body, headers = {} }: StubAnswer): void {
  const type = { "content-type": "application/json", "connection": "close" };
  response.writeHead(status, { ...type, ...headers }).end(JSON.stringify(body));
}

interface Dialect {
  readonly whole: (model: string) => object;
  readonly events: (model: string) => readonly string[];
}

function good({ whole, events }: Dialect, sent: { model: string; stream?: boolean }, response: ServerResponse): void {
  if (sent.stream !== true) return send(response, { status: 200, body: whole(sent.model) });
  response.writeHead(200, { "content-type": "text/event-stream", "connection": "close" });
  response.end(
    events(sent.model)
      .map((event) => `${event}\n\n`)
      .join(""),
  );
}

const data = (value: object): string => `data: ${JSON.stringify(value)}`;

const OPENAI: Dialect = {
  whole: (model) => ({
    id: "c1",
    object: "chat.completion",
    created: 1,
    model,
    choices: [{ index: 0, message: { role: "assistant", content: "well" }, finish_reason: "stop" }],
    usage: { prompt_tokens: 3, completion_tokens: 1, total_tokens: 4 },
  }),
  events: (model) => {
    const chunk = (delta: object, finish: string | null): string =>
      data({
        id: "c1",
        object: "chat.completion.chunk",
        created: 1,
        model,
        choices: [{ index: 0, delta, finish_reason: finish }],
      });
    const usage = { prompt_tokens: 3, completion_tokens: 1, total_tokens: 4 };
    const last = data({ id: "c1", object: "chat.completion.chunk", created: 1, model, choices: [], usage });
    return [chunk({ role: "assistant", content: "well" }, null), chunk({}, "stop"), last, "data: [DONE]"];
  },
};

const ANTHROPIC: Dialect = {
  whole: (model) => ({
    id: "m1",
    type: "message",
    role: "assistant",
    model,
    content: [{ type: "text", text: "well" }],
    stop_reason: "end_turn",
    stop_sequence: null,
    usage: { input_tokens: 3, output_tokens: 1 },
  }),
  events: (model) => {
    const event = (type: string, rest: object): string => `event: ${type}\n${data({ type, ...rest })}`;
    const usage = { input_tokens: 3, output_tokens: 1 };
    const message = { id: "m1", type: "message", role: "assistant", model, content: [], stop_reason: null, usage };
    return [
      event("message_start", { message }),
      event("content_block_start", { index: 0, content_block: { type: "text", text: "" } }),
      event("content_block_delta", { index: 0, delta: { type: "text_delta", text: "well" } }),
      event("content_block_stop", { index: 0 }),
      event("message_delta", { delta: { stop_reason: "end_turn", stop_sequence: null }, usage }),
      event("message_stop", {}),
    ];
  },
};
