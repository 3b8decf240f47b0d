// A provider that shares nothing with the fault-injecting one: streams of the four dialects as vendors write them, sent by hand over a
// plain server, so that a test decides about each byte.

import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";
import { parseGateway } from "../../src/gateway/config/parse-gateway.ts";
import type { GatewayListener } from "../../src/gateway/gateway.ts";
import { startGateway } from "../../src/gateway/start-gateway.ts";
import { createFaultline, type Faultline, type FaultlineOptions } from "../../src/index.ts";
import type { Protocol } from "../../src/provider/wire/protocol.ts";
import { createSeededChance } from "../../src/testing/seeded-chance.ts";
import "@ai-sdk/anthropic";
import "@ai-sdk/google";
import "@ai-sdk/openai";
import { createSocketClock } from "../support/socket-clock.ts";

const event = (data: unknown): string => `data: ${JSON.stringify(data)}\n\n`;
const named = (data: { readonly type: string }): string => `event: ${data.type}\n${event(data)}`;

/** A stream of text, as the vendor of the dialect writes it. */
export function streamOf(dialect: Protocol, pieces: readonly string[]): string {
  const text = pieces.join("");
  switch (dialect) {
    case "openai-chat": {
      const chunk = (delta: unknown, finish_reason: string | null = null): string =>
        event({
          id: "chatcmpl-up1",
          object: "chat.completion.chunk",
          model: "up",
          choices: [{ index: 0, delta, finish_reason }],
        });
      return [
        chunk({ role: "assistant", content: "" }),
        ...pieces.map((content) => chunk({ content })),
        chunk({}, "stop"),
        "data: [DONE]\n\n",
      ].join("");
    }
    case "openai-responses": {
      let sequence_number = 0;
      const next = (type: string, more: object): string =>
        named({ type, sequence_number: sequence_number++, ...more } as never);
      const place = { item_id: "msg_up1", output_index: 0, content_index: 0 };
      const item = {
        id: "msg_up1",
        type: "message",
        role: "assistant",
        content: [{ type: "output_text", text, annotations: [] }],
      };
      const response = { id: "resp_up1", object: "response", created_at: 1, model: "up", output: [] };
      return [
        next("response.created", { response: { ...response, status: "in_progress" } }),
        next("response.output_item.added", { output_index: 0, item: { ...item, content: [] } }),
        next("response.content_part.added", { ...place, part: { type: "output_text", text: "", annotations: [] } }),
        ...pieces.map((delta) => next("response.output_text.delta", { ...place, delta })),
        next("response.output_text.done", { ...place, text }),
        next("response.content_part.done", { ...place, part: item.content[0] }),
        next("response.output_item.done", { output_index: 0, item }),
        next("response.completed", {
          response: {
            ...response,
            status: "completed",
            output: [item],
            usage: { input_tokens: 5, output_tokens: 5, total_tokens: 10 },
          },
        }),
      ].join("");
    }
    case "anthropic-messages":
      return [
        named({
          type: "message_start",
          message: {
            id: "msg_up1",
            type: "message",
            role: "assistant",
            model: "up",
            content: [],
            stop_reason: null,
            stop_sequence: null,
            usage: { input_tokens: 5, output_tokens: 1 },
          },
        } as never),
        named({ type: "content_block_start", index: 0, content_block: { type: "text", text: "" } } as never),
        named({ type: "ping" }),
        ...pieces.map((piece) =>
          named({ type: "content_block_delta", index: 0, delta: { type: "text_delta", text: piece } } as never),
        ),
        named({ type: "content_block_stop", index: 0 } as never),
        named({
          type: "message_delta",
          delta: { stop_reason: "end_turn", stop_sequence: null },
          usage: { output_tokens: 5 },
        } as never),
        named({ type: "message_stop" }),
      ].join("");
    case "google-generate": {
      const piece = (part: string, more: object = {}): string =>
        event({
          candidates: [{ content: { role: "model", parts: part === "" ? [] : [{ text: part }] }, index: 0, ...more }],
          responseId: "up1",
        });
      return [...pieces.map((part) => piece(part)), piece("", { finishReason: "STOP" })].join("");
    }
  }
}

/** A whole answer, as the vendor of the dialect writes it. */
export function bodyOfAnswer(dialect: Protocol, text: string): string {
  switch (dialect) {
    case "openai-chat":
      return JSON.stringify({
        id: "chatcmpl-up1",
        object: "chat.completion",
        created: 1,
        model: "up",
        choices: [{ index: 0, message: { role: "assistant", content: text }, finish_reason: "stop" }],
        usage: { prompt_tokens: 5, completion_tokens: 5, total_tokens: 10 },
      });
    case "openai-responses":
      return JSON.stringify({
        id: "resp_up1",
        object: "response",
        created_at: 1,
        status: "completed",
        model: "up",
        output: [
          {
            id: "msg_up1",
            type: "message",
            role: "assistant",
            status: "completed",
            content: [{ type: "output_text", text, annotations: [] }],
          },
        ],
        usage: { input_tokens: 5, output_tokens: 5, total_tokens: 10 },
      });
    case "anthropic-messages":
      return JSON.stringify({
        id: "msg_up1",
        type: "message",
        role: "assistant",
        model: "up",
        content: [{ type: "text", text }],
        stop_reason: "end_turn",
        stop_sequence: null,
        usage: { input_tokens: 5, output_tokens: 5 },
      });
    case "google-generate":
      return JSON.stringify({
        candidates: [{ content: { role: "model", parts: [{ text }] }, finishReason: "STOP", index: 0 }],
        usageMetadata: { promptTokenCount: 5, candidatesTokenCount: 5, totalTokenCount: 10 },
      });
  }
}

export interface StubRequest {
  /** The first segment of the path: which target was asked. */
  readonly target: string;
  readonly dialect: Protocol;
  readonly model: string;
  readonly body: Readonly<Record<string, unknown>>;
  readonly headers: IncomingMessage["headers"];
  readonly isStream: boolean;
}

export type StubAnswer = (request: StubRequest, response: ServerResponse) => void;

export interface StubWorld {
  readonly fl: Faultline;
  readonly url: string;
  readonly asked: StubRequest[];
  readonly now: () => number;
  readonly run: <T>(work: Promise<T>) => Promise<T>;
  /** Writes what the ledger holds. */
  readonly settle: () => Promise<void>;
}

/** A gateway whose targets are at `<base>/<name>`. */
export async function stubWorld(
  answer: StubAnswer,
  file: (base: string) => string,
  {
    env = {},
    faultline = {},
    listener = {},
  }: {
    readonly env?: Readonly<Record<string, string>>;
    readonly faultline?: FaultlineOptions;
    readonly listener?: GatewayListener;
  } = {},
): Promise<StubWorld> {
  const clock = createSocketClock(1_800_000_000_000);
  const asked: StubRequest[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const seen = readStub(request, Buffer.concat(chunks).toString());
      asked.push(seen);
      answer(seen, response);
    });
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const { settings, diagnostics } = parseGateway(file(base), "gateway.faultline.yaml", env);
  if (settings === null) throw new Error(diagnostics.map(({ message }) => message).join("\n"));
  const fl = createFaultline({ clock, chance: createSeededChance(1), ...faultline });
  const started = await startGateway(fl, settings, { port: 0, host: "127.0.0.1" }, listener);
  onTestFinished(async () => {
    server.closeAllConnections();
    await clock.runUntil(started.close());
  });
  const run = <T>(work: Promise<T>): Promise<T> => {
    void Promise.allSettled([work]);
    return clock.runUntil(work);
  };
  return { fl, url: started.url, asked, now: () => clock.now(), run, settle: () => run(started.gateway.close()) };
}

function readStub({ url = "", headers }: IncomingMessage, text: string): StubRequest {
  const [, target = "", ...rest] = new URL(url, "http://stub").pathname.split("/");
  const path = rest.join("/");
  const body = JSON.parse(text || "{}") as Readonly<Record<string, unknown>>;
  const google = /models\/(.+):(stream)?/i.exec(path);
  if (google !== null) {
    const [, model = "", stream] = google;
    return { target, dialect: "google-generate", model, body, headers, isStream: stream !== undefined };
  }
  const dialect = path.endsWith("messages")
    ? "anthropic-messages"
    : path.endsWith("responses")
      ? "openai-responses"
      : "openai-chat";
  return { target, dialect, model: String(body["model"]), body, headers, isStream: body["stream"] === true };
}

export const SSE = { "content-type": "text/event-stream" };
