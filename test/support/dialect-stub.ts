// A provider of the test's own that speaks all four dialects over node:http, whole and streamed. A test says what each request
// gets: an answer, or any bytes at all. It shares no code with the chaos server, so a mistake there does not hide one here.

import { createAnthropic } from "@ai-sdk/anthropic";
import { createGoogle } from "@ai-sdk/google";
import { createOpenAI } from "@ai-sdk/openai";
import type { LanguageModelV4 } from "@ai-sdk/provider";
import { createServer, type IncomingMessage } from "node:http";
import { once } from "node:events";
import type { AddressInfo } from "node:net";

export interface StubCall {
  readonly id: string;
  readonly name: string;
  readonly input: object;
}

export interface StubContent {
  readonly text?: string;
  readonly calls?: readonly StubCall[];
}

export interface StubRequest {
  readonly dialect: DialectName;
  readonly isStreaming: boolean;
  /** The path names the target: `/first/…`. */
  readonly target: string;
  readonly body: Body;
}

export type Body = Readonly<Record<string, unknown>>;

/** Any bytes, with any status and headers. */
export interface RawReply {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly bytes: Uint8Array | string;
}

export type StubReply = StubContent | RawReply;

export interface DialectStub {
  readonly url: string;
  readonly requests: readonly StubRequest[];
  readonly close: () => Promise<void>;
}

export async function startDialectStub(answer: (request: StubRequest) => StubReply): Promise<DialectStub> {
  const requests: StubRequest[] = [];
  const server = createServer((incoming, response) => {
    void textOf(incoming).then((text) => {
      const [, target = "", dialect = ""] = (incoming.url ?? "").split("/");
      const body = JSON.parse(text) as Body;
      const isStreaming = body["stream"] === true || incoming.url?.includes(":streamGenerateContent") === true;
      const request = { dialect: dialect as DialectName, isStreaming, target, body };
      requests.push(request);
      const { status = 200, headers = {}, bytes } = asBytes(answer(request), request);
      const type = { "content-type": isStreaming ? "text/event-stream" : "application/json", "connection": "close" };
      response.writeHead(status, { ...type, ...headers }).end(bytes);
    });
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const close = async (): Promise<void> => {
    const over = once(server, "close");
    server.close();
    server.closeAllConnections();
    await over;
  };
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests, close };
}

async function textOf(request: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece as Buffer);
  return Buffer.concat(pieces).toString("utf8");
}

/** What a good answer looks like on the wire. */
export function asBytes(
  reply: StubReply,
  { dialect, isStreaming }: Pick<StubRequest, "dialect" | "isStreaming">,
): RawReply {
  if ("bytes" in reply) return reply;
  const { whole, events } = DIALECTS[dialect];
  const bytes = isStreaming
    ? events(reply)
        .map((event) => `${event}\n\n`)
        .join("")
    : JSON.stringify(whole(reply));
  return { bytes };
}

export type DialectName = "chat" | "responses" | "anthropic" | "google";

interface Dialect {
  readonly make: (url: string, target: string) => LanguageModelV4;
  /** Names of tools wherever a request has them: definitions, choice, calls of the history, and results that name them. */
  readonly toolNames: (body: Body) => readonly string[];
  /** Ids of the calls in a request's history, in order; undefined where the dialect sends none. */
  readonly callIds: (body: Body) => readonly (string | undefined)[];
  readonly resultIds: (body: Body) => readonly (string | undefined)[];
  readonly whole: (content: StubContent) => object;
  readonly events: (content: StubContent) => readonly string[];
}

const data = (value: object): string => `data: ${JSON.stringify(value)}`;
const typed = (type: string, rest: object): string => `event: ${type}\n${data({ type, ...rest })}`;
const apiKey = "key-of-the-stub";

/** All objects in a body, in order. */
function objectsIn(value: unknown): readonly Body[] {
  if (typeof value !== "object" || value === null) return [];
  const inner = Object.values(value).flatMap(objectsIn);
  return Array.isArray(value) ? inner : [value as Body, ...inner];
}

const texts = (values: readonly unknown[]): readonly string[] => values.filter((each) => typeof each === "string");

const chatUsage = { prompt_tokens: 3, completion_tokens: 1, total_tokens: 4 };
const chatCall = ({ id, name, input }: StubCall, index: number): object => ({
  index,
  id,
  type: "function",
  function: { name, arguments: JSON.stringify(input) },
});
const chatStop = ({ calls }: StubContent): string => (calls === undefined ? "stop" : "tool_calls");

const CHAT: Dialect = {
  make: (url, target) => createOpenAI({ baseURL: `${url}/${target}/chat`, apiKey }).chat("gpt-4o"),
  toolNames: (body) => texts(objectsIn(body).map((each) => (each["function"] as Body | undefined)?.["name"])),
  callIds: (body) => texts(objectsIn(body).map((each) => ("function" in each ? each["id"] : undefined))),
  resultIds: (body) => texts(objectsIn(body).map((each) => each["tool_call_id"])),
  whole: (content) => ({
    id: "c1",
    object: "chat.completion",
    created: 1,
    model: "gpt-4o",
    choices: [
      {
        index: 0,
        message: { role: "assistant", content: content.text ?? null, tool_calls: content.calls?.map(chatCall) },
        finish_reason: chatStop(content),
      },
    ],
    usage: chatUsage,
  }),
  events: (content) => {
    const { text, calls = [] } = content;
    const chunk = (delta: object, finish: string | null): string =>
      data({
        id: "c1",
        object: "chat.completion.chunk",
        created: 1,
        model: "gpt-4o",
        choices: [{ index: 0, delta, finish_reason: finish }],
      });
    return [
      chunk({ role: "assistant", content: text ?? null }, null),
      ...calls.flatMap((call, index) => {
        const all = JSON.stringify(call.input);
        const begin = {
          index,
          id: call.id,
          type: "function",
          function: { name: call.name, arguments: all.slice(0, 2) },
        };
        return [
          chunk({ tool_calls: [begin] }, null),
          chunk({ tool_calls: [{ index, function: { arguments: all.slice(2) } }] }, null),
        ];
      }),
      chunk({}, chatStop(content)),
      data({ id: "c1", object: "chat.completion.chunk", created: 1, model: "gpt-4o", choices: [], usage: chatUsage }),
      "data: [DONE]",
    ];
  },
};

const responsesItems = ({ text, calls = [] }: StubContent): readonly object[] => [
  ...(text === undefined
    ? []
    : [
        {
          type: "message",
          id: "msg_1",
          role: "assistant",
          status: "completed",
          content: [{ type: "output_text", text, annotations: [] }],
        },
      ]),
  ...calls.map(({ id, name, input }, index) => ({
    type: "function_call",
    id: `fc_${index}`,
    call_id: id,
    name,
    arguments: JSON.stringify(input),
    status: "completed",
  })),
];
const response = (content: StubContent): object => ({
  id: "resp_1",
  object: "response",
  created_at: 1,
  status: "completed",
  model: "gpt-4o",
  output: responsesItems(content),
  incomplete_details: null,
  usage: { input_tokens: 3, output_tokens: 1, total_tokens: 4 },
});

const RESPONSES: Dialect = {
  make: (url, target) => createOpenAI({ baseURL: `${url}/${target}/responses`, apiKey }).responses("gpt-4o"),
  toolNames: (body) =>
    texts(objectsIn(body).map((each) => (String(each["type"]).startsWith("function") ? each["name"] : undefined))),
  callIds: (body) =>
    texts(objectsIn(body).map((each) => (each["type"] === "function_call" ? each["call_id"] : undefined))),
  resultIds: (body) =>
    texts(objectsIn(body).map((each) => (each["type"] === "function_call_output" ? each["call_id"] : undefined))),
  whole: response,
  events: (content) => [
    typed("response.created", { response: { ...response(content), output: [], status: "in_progress" } }),
    ...responsesItems(content).flatMap((item, output_index) => {
      const {
        type,
        id,
        arguments: all = "",
        text = content.text ?? "",
      } = item as { type: string; id: string; arguments?: string; text?: string };
      const begin = typed("response.output_item.added", {
        output_index,
        item: type === "message" ? { ...item, content: [] } : { ...item, arguments: "", status: "in_progress" },
      });
      const delta =
        type === "message"
          ? typed("response.output_text.delta", { item_id: id, output_index, content_index: 0, delta: text })
          : typed("response.function_call_arguments.delta", { item_id: id, output_index, delta: all });
      return [begin, delta, typed("response.output_item.done", { output_index, item })];
    }),
    typed("response.completed", { response: response(content) }),
  ],
};

const anthropicBlocks = ({ text, calls = [] }: StubContent): readonly object[] => [
  ...(text === undefined ? [] : [{ type: "text", text }]),
  ...calls.map(({ id, name, input }) => ({ type: "tool_use", id, name, input })),
];
const anthropicStop = ({ calls }: StubContent): string => (calls === undefined ? "end_turn" : "tool_use");
const anthropicUsage = { input_tokens: 3, output_tokens: 1 };

const ANTHROPIC: Dialect = {
  make: (url, target) => createAnthropic({ baseURL: `${url}/${target}/anthropic/v1`, apiKey })("claude-sonnet-4-5"),
  toolNames: (body) =>
    texts(
      objectsIn(body).map((each) =>
        "input_schema" in each || ["tool_use", "tool"].includes(String(each["type"])) ? each["name"] : undefined,
      ),
    ),
  callIds: (body) => texts(objectsIn(body).map((each) => (each["type"] === "tool_use" ? each["id"] : undefined))),
  resultIds: (body) => texts(objectsIn(body).map((each) => each["tool_use_id"])),
  whole: (content) => ({
    id: "m1",
    type: "message",
    role: "assistant",
    model: "claude-sonnet-4-5",
    content: anthropicBlocks(content),
    stop_reason: anthropicStop(content),
    stop_sequence: null,
    usage: anthropicUsage,
  }),
  events: (content) => [
    typed("message_start", {
      message: {
        id: "m1",
        type: "message",
        role: "assistant",
        model: "claude-sonnet-4-5",
        content: [],
        stop_reason: null,
        usage: anthropicUsage,
      },
    }),
    ...anthropicBlocks(content).flatMap((block, index) => {
      const { type, text, input } = block as { type: string; text?: string; input?: object };
      const isText = type === "text";
      return [
        typed("content_block_start", { index, content_block: isText ? { type, text: "" } : { ...block, input: {} } }),
        typed("content_block_delta", {
          index,
          delta: isText
            ? { type: "text_delta", text }
            : { type: "input_json_delta", partial_json: JSON.stringify(input) },
        }),
        typed("content_block_stop", { index }),
      ];
    }),
    typed("message_delta", {
      delta: { stop_reason: anthropicStop(content), stop_sequence: null },
      usage: anthropicUsage,
    }),
    typed("message_stop", {}),
  ],
};

const googleChunk = ({ text, calls = [] }: StubContent): object => ({
  candidates: [
    {
      index: 0,
      content: {
        role: "model",
        parts: [
          ...(text === undefined ? [] : [{ text }]),
          ...calls.map(({ id, name, input }) => ({ functionCall: { id, name, args: input } })),
        ],
      },
      finishReason: "STOP",
    },
  ],
  usageMetadata: { promptTokenCount: 3, candidatesTokenCount: 1, totalTokenCount: 4 },
});

const GOOGLE: Dialect = {
  make: (url, target) => createGoogle({ baseURL: `${url}/${target}/google`, apiKey })("gemini-2.5-flash"),
  toolNames: (body) =>
    texts(
      objectsIn(body).flatMap((each) => [
        (each["functionCall"] as Body | undefined)?.["name"],
        (each["functionResponse"] as Body | undefined)?.["name"],
        ...((each["functionDeclarations"] as readonly Body[] | undefined) ?? []).map(({ name }) => name),
        ...((each["allowedFunctionNames"] as readonly string[] | undefined) ?? []),
      ]),
    ),
  callIds: (body) =>
    objectsIn(body).flatMap((each) => ("functionCall" in each ? [(each["functionCall"] as Body)["id"] as string] : [])),
  resultIds: (body) =>
    objectsIn(body).flatMap((each) =>
      "functionResponse" in each ? [(each["functionResponse"] as Body)["id"] as string] : [],
    ),
  whole: googleChunk,
  events: (content) => [data(googleChunk(content))],
};

export const DIALECTS: Readonly<Record<DialectName, Dialect>> = {
  chat: CHAT,
  responses: RESPONSES,
  anthropic: ANTHROPIC,
  google: GOOGLE,
};
