// OpenAI's responses: `POST /v1/responses`. Separate events announce, fill and close each output item.

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
  type ChaosToolCall,
  type WireEvent,
} from "../wire.ts";
import { openAiErrorHeaders, openAiHeaders } from "./openai-chat.ts";

/** Why an answer is incomplete; any other stop completes it. */
const INCOMPLETE: Readonly<Partial<Record<Stop, string>>> = {
  length: "max_output_tokens",
  filtered: "content_filter",
};

export const openAiResponses: ChaosProtocol = {
  vendor: "openai",
  headers: openAiHeaders,
  errorHeaders: openAiErrorHeaders,
  json: finished,
  events: (reply, asked, stamp) => numbered(eventsOf(reply, asked, stamp)),
  // The first event can only be `error`: no response exists yet that could have failed.
  errorEvent: (error, asked, stamp, isFirst) =>
    isFirst
      ? sse({ type: "error", ...errorOf(error.body), param: null, sequence_number: 0 }, "error")
      : sse(
          { type: "response.failed", sequence_number: LATE_NUMBER, response: failed(error.body, asked, stamp) },
          "response.failed",
        ),
  keepAlive: () => ": keep-alive\n\n",
  errorBody: (error, asked, stamp) => failed(error.body, asked, stamp),
};

/** After everything that was sent before. */
const LATE_NUMBER = 9_999;

interface Draft {
  readonly part: WireEvent["part"];
  readonly data: Json & { readonly type: string };
}

function numbered(drafts: readonly Draft[]): readonly WireEvent[] {
  return drafts.map(({ part, data }, index) => ({ part, text: sse({ ...data, sequence_number: index }, data.type) }));
}

function eventsOf(reply: Reply, asked: ChaosRequest, stamp: Stamp): readonly Draft[] {
  const begun = responseOf("in_progress", [], asked, stamp, null);
  const items = reply.isEmpty ? [] : itemsOf(reply, stamp);
  const end = INCOMPLETE[reply.stop] === undefined ? "response.completed" : "response.incomplete";
  return [
    { part: "open", data: { type: "response.created", response: begun } },
    { part: "open", data: { type: "response.in_progress", response: begun } },
    ...items.flatMap((item, index) => item.drafts(index)),
    { part: "close", data: { type: end, response: finished(reply, asked, stamp) } },
  ];
}

interface Item {
  readonly done: Json;
  readonly drafts: (index: number) => readonly Draft[];
}

function itemsOf(reply: Reply, stamp: Stamp): readonly Item[] {
  const isSilent = reply.text === "" && reply.calls.length > 0;
  return [
    ...(isSilent ? [] : [messageItem(reply, stamp)]),
    ...reply.calls.map((call, index) => callItem(call, index, statusOf(reply), stamp)),
  ];
}

function statusOf({ stop }: Reply): string {
  return INCOMPLETE[stop] === undefined ? "completed" : "incomplete";
}

function messageItem(reply: Reply, stamp: Stamp): Item {
  const id = idOf("msg_", stamp);
  const kind = reply.stop === "refusal" ? "refusal" : "output_text";
  const partOf = (text: string): Json =>
    kind === "refusal" ? { type: kind, refusal: text } : { type: kind, text, annotations: [], logprobs: [] };
  const item = (status: string, content: readonly Json[]): Json => ({
    id,
    type: "message",
    status,
    role: "assistant",
    content,
  });
  const done = item(statusOf(reply), [partOf(reply.text)]);
  const whole = kind === "refusal" ? { refusal: reply.text } : { text: reply.text, logprobs: [] };
  return {
    done,
    drafts: (index) => {
      const at = { item_id: id, output_index: index, content_index: 0 };
      return [
        {
          part: "open",
          data: { type: "response.output_item.added", output_index: index, item: item("in_progress", []) },
        },
        { part: "open", data: { type: "response.content_part.added", ...at, part: partOf("") } },
        ...piecesOf(reply.text).map((delta): Draft => {
          const rest = kind === "refusal" ? {} : { logprobs: [] };
          return { part: "content", data: { type: `response.${kind}.delta`, ...at, delta, ...rest } };
        }),
        { part: "content", data: { type: `response.${kind}.done`, ...at, ...whole } },
        { part: "content", data: { type: "response.content_part.done", ...at, part: partOf(reply.text) } },
        { part: "content", data: { type: "response.output_item.done", output_index: index, item: done } },
      ];
    },
  };
}

function callItem({ tool, text }: ChaosToolCall, order: number, status: string, stamp: Stamp): Item {
  const id = idOf("fc_", stamp, order + 1);
  const item = (state: string, sent: string): Json => ({
    id,
    type: "function_call",
    status: state,
    call_id: idOf("call_", stamp, order + 1),
    name: tool,
    arguments: sent,
  });
  const done = item(status, text);
  return {
    done,
    drafts: (index) => [
      {
        part: "content",
        data: { type: "response.output_item.added", output_index: index, item: item("in_progress", "") },
      },
      ...slicesOf(text).map((delta): Draft => ({
        part: "content",
        data: { type: "response.function_call_arguments.delta", item_id: id, output_index: index, delta },
      })),
      {
        part: "content",
        data: { type: "response.function_call_arguments.done", item_id: id, output_index: index, arguments: text },
      },
      { part: "content", data: { type: "response.output_item.done", output_index: index, item: done } },
    ],
  };
}

function finished(reply: Reply, asked: ChaosRequest, stamp: Stamp): Json {
  const output = reply.isEmpty ? [] : itemsOf(reply, stamp).map(({ done }) => done);
  const reason = INCOMPLETE[reply.stop];
  const completion = replyTokens(reply);
  const usage = {
    input_tokens: asked.promptTokens,
    input_tokens_details: { cached_tokens: 0, cache_write_tokens: 0 },
    output_tokens: completion,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: asked.promptTokens + completion,
  };
  return {
    ...responseOf(statusOf(reply), output, asked, stamp, usage),
    incomplete_details: reason === undefined ? null : { reason },
  };
}

function failed(body: Json, asked: ChaosRequest, stamp: Stamp): Json {
  return { ...responseOf("failed", [], asked, stamp, null), error: errorOf(body) };
}

function errorOf(body: Json): Json {
  const { code, type, message } = body["error"] as Json;
  return { code: code ?? type, message };
}

function responseOf(
  status: string,
  output: readonly Json[],
  { model }: ChaosRequest,
  stamp: Stamp,
  usage: Json | null,
): Json {
  return {
    id: idOf("resp_", stamp),
    object: "response",
    created_at: Math.floor(stamp.at / 1000),
    status,
    background: false,
    error: null,
    incomplete_details: null,
    instructions: null,
    max_output_tokens: null,
    model,
    output,
    parallel_tool_calls: true,
    previous_response_id: null,
    reasoning: { effort: null, summary: null },
    service_tier: "default",
    store: false,
    temperature: 1,
    text: { format: { type: "text" } },
    tool_choice: "auto",
    tools: [],
    top_p: 1,
    truncation: "disabled",
    usage,
    user: null,
    metadata: {},
  };
}
