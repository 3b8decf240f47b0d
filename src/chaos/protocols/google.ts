// Google's generateContent and streamGenerateContent: `POST /v1beta/models/<model>:<method>`. A stream ends with the finish
// reason of its last chunk; there is no other end mark. Without `alt=sse` it is one JSON array.

import {
  type ChaosRequest,
  type Json,
  idOf,
  piecesOf,
  type ChaosProtocol,
  type Reply,
  replyTokens,
  sse,
  type Stamp,
  type Stop,
  type WireEvent,
} from "../wire.ts";

const FINISH: Readonly<Record<Stop, string>> = {
  "end": "STOP",
  "tools": "STOP",
  "length": "MAX_TOKENS",
  "filtered": "SAFETY",
  "refusal": "PROHIBITED_CONTENT",
  "malformed-call": "MALFORMED_FUNCTION_CALL",
};

export const google: ChaosProtocol = {
  vendor: "google",
  headers,
  errorHeaders: headers,
  json: (reply, asked, stamp) =>
    reply.isEmpty
      ? { candidates: [], ...frame(reply, asked, stamp) }
      : chunk(partsOf(reply), FINISH[reply.stop], reply, asked, stamp),
  events: (reply, asked, stamp) => framed(chunksOf(reply, asked, stamp), asked),
  errorEvent: ({ body }, asked, _stamp, isFirst) =>
    asked.asArray ? `${isFirst ? "[" : ",\r\n"}${JSON.stringify(body)}]` : sse(body),
  keepAlive: ({ asArray }) => (asArray ? "\r\n" : ": keep-alive\n\n"),
  errorBody: ({ body }) => body,
};

function headers(): Readonly<Record<string, string>> {
  return {
    "server": "scaffolding on HTTPServer2",
    "server-timing": "gfet4t7; dur=42",
    "vary": "Origin, X-Origin, Referer",
    "x-content-type-options": "nosniff",
  };
}

interface Draft {
  readonly part: WireEvent["part"];
  readonly data: Json;
}

function framed(drafts: readonly Draft[], { asArray }: ChaosRequest): readonly WireEvent[] {
  if (!asArray) return drafts.map(({ part, data }) => ({ part, text: sse(data) }));
  return [
    ...drafts.map(({ part, data }, index) => ({
      part,
      text: `${index === 0 ? "[" : ",\r\n"}${JSON.stringify(data)}`,
    })),
    { part: "close", text: "]" },
  ];
}

function chunksOf(reply: Reply, asked: ChaosRequest, stamp: Stamp): readonly Draft[] {
  if (reply.isEmpty) return [{ part: "close", data: { candidates: [], ...frame(reply, asked, stamp) } }];
  const texts = piecesOf(reply.text);
  // Every chunk reports usage so far, so that a broken stream still has a cost.
  const soFar = (pieces: number): Reply => ({ ...reply, text: texts.slice(0, pieces).join(""), calls: [] });
  return [
    ...texts.map((text, index): Draft => ({
      part: "content",
      data: chunk([{ text }], null, soFar(index + 1), asked, stamp),
    })),
    ...(hidesCalls(reply) ? [] : reply.calls).map((call): Draft => ({
      part: "content",
      data: chunk([callPart(call)], null, reply, asked, stamp),
    })),
    {
      part: "close",
      data: chunk(hidesCalls(reply) ? [] : [{ text: "" }], FINISH[reply.stop], reply, asked, stamp),
    },
  ];
}

/** A malformed call is not sent: the finish reason replaces it. */
function hidesCalls({ stop }: Reply): boolean {
  return FINISH[stop] === "MALFORMED_FUNCTION_CALL";
}

function partsOf(reply: Reply): readonly Json[] {
  if (hidesCalls(reply)) return [];
  const isSilent = reply.text === "" && reply.calls.length > 0;
  return [...(isSilent ? [] : [{ text: reply.text }]), ...reply.calls.map(callPart)];
}

function callPart({ tool, input }: Reply["calls"][number]): Json {
  return { functionCall: { name: tool, args: input } };
}

function chunk(parts: readonly Json[], finish: string | null, reply: Reply, asked: ChaosRequest, stamp: Stamp): Json {
  return {
    candidates: [
      {
        ...(parts.length === 0 ? {} : { content: { parts, role: "model" } }),
        ...(finish === null ? {} : { finishReason: finish }),
        index: 0,
      },
    ],
    ...frame(reply, asked, stamp),
  };
}

function frame(reply: Reply, { model, promptTokens }: ChaosRequest, stamp: Stamp): Json {
  const completion = replyTokens(reply);
  return {
    usageMetadata: {
      promptTokenCount: promptTokens,
      candidatesTokenCount: completion,
      totalTokenCount: promptTokens + completion,
      promptTokensDetails: [{ modality: "TEXT", tokenCount: promptTokens }],
    },
    modelVersion: model,
    responseId: idOf("", stamp),
  };
}
