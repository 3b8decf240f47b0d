// OpenAI's chat completions: `POST /v1/chat/completions`.

import {
  type ChaosProtocol,
  type ChaosRequest,
  idOf,
  type Json,
  piecesOf,
  type Reply,
  replyTokens,
  slicesOf,
  sse,
  type Stamp,
  type Stop,
  type WireEvent,
} from "../wire.ts";

const FINISH: Readonly<Record<Stop, string>> = {
  "end": "stop",
  "tools": "tool_calls",
  "length": "length",
  "filtered": "content_filter",
  // A refusal ends normally; only the field beside the content shows it.
  "refusal": "stop",
  "malformed-call": "tool_calls",
};

export const openAiChat: ChaosProtocol = {
  vendor: "openai",
  headers: openAiHeaders,
  errorHeaders: openAiErrorHeaders,
  json: (reply, asked, stamp) => ({
    ...frame("chat.completion", asked, stamp),
    choices: reply.isEmpty
      ? []
      : [{ index: 0, message: messageOf(reply, stamp), logprobs: null, finish_reason: FINISH[reply.stop] }],
    usage: usageOf(reply, asked),
  }),
  events: (reply, asked, stamp) => (reply.isEmpty ? [empty(reply, asked, stamp), DONE] : eventsOf(reply, asked, stamp)),
  errorEvent: ({ body }) => sse(body),
  keepAlive: () => ": keep-alive\n\n",
  errorBody: ({ body }) => body,
};

const DONE: WireEvent = { part: "close", text: sse("[DONE]") };

function eventsOf(reply: Reply, asked: ChaosRequest, stamp: Stamp): readonly WireEvent[] {
  return [
    { part: "open", text: chunk({ role: "assistant", content: "", refusal: null }, null, asked, stamp) },
    ...contentOf(reply).map((delta): WireEvent => ({ part: "content", text: chunk(delta, null, asked, stamp) })),
    ...callsOf(reply, stamp).map((delta): WireEvent => ({ part: "content", text: chunk(delta, null, asked, stamp) })),
    { part: "close", text: chunk({}, FINISH[reply.stop], asked, stamp) },
    ...(asked.includeUsage ? [empty(reply, asked, stamp)] : []),
    DONE,
  ];
}

/** A chunk without choices: the one that carries usage. */
function empty(reply: Reply, asked: ChaosRequest, stamp: Stamp): WireEvent {
  return { part: "close", text: sse({ ...chunkFrame(asked, stamp), choices: [], usage: usageOf(reply, asked) }) };
}

function frame(object: string, { model }: ChaosRequest, stamp: Stamp): Json {
  return {
    id: idOf("chatcmpl-", stamp),
    object,
    created: Math.floor(stamp.at / 1000),
    model,
    service_tier: "default",
    system_fingerprint: "fp_chaos",
  };
}

function chunkFrame(asked: ChaosRequest, stamp: Stamp): Json {
  return frame("chat.completion.chunk", asked, stamp);
}

function chunk(delta: Json, finish: string | null, asked: ChaosRequest, stamp: Stamp): string {
  return sse({
    ...chunkFrame(asked, stamp),
    choices: [{ index: 0, delta, logprobs: null, finish_reason: finish }],
    ...(asked.includeUsage ? { usage: null } : {}),
  });
}

function messageOf(reply: Reply, stamp: Stamp): Json {
  const isRefusal = reply.stop === "refusal";
  return {
    role: "assistant",
    content: isRefusal || (reply.text === "" && reply.calls.length > 0) ? null : reply.text,
    refusal: isRefusal ? reply.text : null,
    annotations: [],
    ...(reply.calls.length === 0
      ? {}
      : {
          tool_calls: reply.calls.map((call, index) => ({
            id: idOf("call_", stamp, index + 1),
            type: "function",
            function: { name: call.tool, arguments: call.text },
          })),
        }),
  };
}

function contentOf({ text, stop }: Reply): readonly Json[] {
  return piecesOf(text).map((piece) => (stop === "refusal" ? { refusal: piece } : { content: piece }));
}

function callsOf({ calls }: Reply, stamp: Stamp): readonly Json[] {
  return calls.flatMap(({ tool, text }, index) => [
    {
      tool_calls: [
        { index, id: idOf("call_", stamp, index + 1), type: "function", function: { name: tool, arguments: "" } },
      ],
    },
    ...slicesOf(text).map((slice) => ({ tool_calls: [{ index, function: { arguments: slice } }] })),
  ]);
}

function usageOf(reply: Reply, { promptTokens }: ChaosRequest): Json {
  const completion = replyTokens(reply);
  return {
    prompt_tokens: promptTokens,
    completion_tokens: completion,
    total_tokens: promptTokens + completion,
    prompt_tokens_details: { cached_tokens: 0, cache_write_tokens: 0, audio_tokens: 0 },
    completion_tokens_details: {
      reasoning_tokens: 0,
      audio_tokens: 0,
      accepted_prediction_tokens: 0,
      rejected_prediction_tokens: 0,
    },
  };
}

// The headers that come with OpenAI's answers.

type Headers = Readonly<Record<string, string>>;

export function openAiHeaders(stamp: Stamp): Headers {
  return {
    ...openAiErrorHeaders(stamp),
    "x-ratelimit-limit-requests": "10000",
    "x-ratelimit-limit-tokens": "2000000",
    "x-ratelimit-remaining-requests": "9999",
    "x-ratelimit-remaining-tokens": "1999000",
    "x-ratelimit-reset-requests": "6ms",
    "x-ratelimit-reset-tokens": "30ms",
  };
}

export function openAiErrorHeaders(stamp: Stamp): Headers {
  return {
    "x-request-id": idOf("req_", stamp),
    "openai-organization": "org-chaos",
    "openai-processing-ms": "42",
    "openai-version": "2020-10-01",
  };
}
