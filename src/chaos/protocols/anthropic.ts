// Anthropic's messages: `POST /v1/messages`.

import { parseJson } from "../../core/try-read.ts";
import {
  type ChaosRequest,
  type Json,
  idOf,
  piecesOf,
  type ChaosProtocol,
  type Reply,
  replyTokens,
  slicesOf,
  sse,
  type Stamp,
  type Stop,
  type WireEvent,
} from "../wire.ts";

const STOP: Readonly<Record<Stop, string>> = {
  "end": "end_turn",
  "tools": "tool_use",
  "length": "max_tokens",
  "filtered": "refusal",
  "refusal": "refusal",
  "malformed-call": "tool_use",
};

export const anthropic: ChaosProtocol = {
  vendor: "anthropic",
  headers: (stamp) => ({
    ...errorHeaders(stamp),
    ...limitHeaders("requests", 50, stamp),
    ...limitHeaders("tokens", 90_000, stamp),
    ...limitHeaders("input-tokens", 80_000, stamp),
    ...limitHeaders("output-tokens", 10_000, stamp),
  }),
  errorHeaders,
  json: (reply, asked, stamp) => ({
    ...messageOf(asked, stamp),
    content: reply.isEmpty ? [] : blocksOf(reply, stamp),
    stop_reason: STOP[reply.stop],
    stop_details: stopDetails(reply),
    usage: usageOf(asked, replyTokens(reply)),
  }),
  events: (reply, asked, stamp) => [
    event("open", { type: "message_start", message: { ...messageOf(asked, stamp), usage: usageOf(asked, 1) } }),
    event("open", { type: "ping" }),
    ...(reply.isEmpty ? [] : contentOf(reply, stamp)),
    event("close", {
      type: "message_delta",
      delta: { container: null, stop_details: stopDetails(reply), stop_reason: STOP[reply.stop], stop_sequence: null },
      usage: countsOf(asked, replyTokens(reply)),
    }),
    event("close", { type: "message_stop" }),
  ],
  errorEvent: ({ body }) => sse(body, "error"),
  keepAlive: () => sse({ type: "ping" }, "ping"),
  errorBody: ({ body }) => body,
};

function event(part: WireEvent["part"], data: Json & { readonly type: string }): WireEvent {
  return { part, text: sse(data, data.type) };
}

function messageOf({ model }: ChaosRequest, stamp: Stamp): Json {
  return {
    id: idOf("msg_", stamp),
    type: "message",
    role: "assistant",
    model,
    container: null,
    content: [],
    diagnostics: null,
    stop_details: null,
    stop_reason: null,
    stop_sequence: null,
  };
}

/** The API gives a category and an explanation if it stopped the answer for safety. */
function stopDetails({ stop }: Reply): Json | null {
  if (STOP[stop] !== "refusal") return null;
  return { type: "refusal", category: "general_harms", explanation: "The request was declined." };
}

function blocksOf({ text, calls }: Reply, stamp: Stamp): readonly Json[] {
  return [
    ...(text === "" && calls.length > 0 ? [] : [{ type: "text", text, citations: null }]),
    ...calls.map((call, index) => ({
      type: "tool_use",
      id: idOf("toolu_", stamp, index + 1),
      name: call.tool,
      caller: { type: "direct" },
      // Outside a stream the input is data, so the cut part is gone.
      input: parseJson(call.text) ?? {},
    })),
  ];
}

function contentOf({ text, calls }: Reply, stamp: Stamp): readonly WireEvent[] {
  const blocks: { readonly start: Json; readonly deltas: readonly Json[] }[] = [
    ...(text === "" && calls.length > 0
      ? []
      : [
          {
            start: { type: "text", text: "", citations: null },
            deltas: piecesOf(text).map((piece) => ({ type: "text_delta", text: piece })),
          },
        ]),
    ...calls.map((call, index) => ({
      start: {
        type: "tool_use",
        id: idOf("toolu_", stamp, index + 1),
        name: call.tool,
        caller: { type: "direct" },
        input: {},
      },
      deltas: slicesOf(call.text).map((slice) => ({ type: "input_json_delta", partial_json: slice })),
    })),
  ];
  return blocks.flatMap(({ start, deltas }, index) => [
    event("open", { type: "content_block_start", index, content_block: start }),
    ...deltas.map((delta) => event("content", { type: "content_block_delta", index, delta })),
    event("open", { type: "content_block_stop", index }),
  ]);
}

function usageOf(asked: ChaosRequest, outputTokens: number): Json {
  return {
    ...countsOf(asked, outputTokens),
    cache_creation: { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 0 },
    inference_geo: "global",
    service_tier: "standard",
    speed: "standard",
  };
}

/** The end of a stream repeats only the counts. */
function countsOf({ promptTokens }: ChaosRequest, outputTokens: number): Json {
  return {
    input_tokens: promptTokens,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: 0,
    output_tokens: outputTokens,
    output_tokens_details: { thinking_tokens: 0 },
    server_tool_use: null,
  };
}

function errorHeaders(stamp: Stamp): Readonly<Record<string, string>> {
  return { "request-id": idOf("req_", stamp), "anthropic-organization-id": "00000000-0000-0000-0000-000000000000" };
}

function limitHeaders(what: string, limit: number, { at }: Stamp): Readonly<Record<string, string>> {
  const name = `anthropic-ratelimit-${what}`;
  return {
    [`${name}-limit`]: String(limit),
    [`${name}-remaining`]: String(limit - 1),
    [`${name}-reset`]: new Date(at + 1000).toISOString(),
  };
}
