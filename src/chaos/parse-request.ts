// Reads each vendor's request body into one shape. Nothing is rejected: a nonsensical body asks for an answer to nothing, because
// the program is under test and not this server.

import { type ChaosRequest, type Json, type ChaosTool, type ProtocolId, tokensIn } from "./wire.ts";

/** What the URL alone says. */
export interface ChaosRoute {
  readonly protocol: ProtocolId;
  /** Google puts the model in the URL. */
  readonly model: string | null;
  /** Google says in the URL whether to stream. */
  readonly streaming: boolean | null;
  readonly asArray: boolean;
}

/** Version prefixes are optional and may be doubled: SDKs disagree about what belongs to a base URL. */
const VERSIONS = /^(?:\/v1(?:beta\d?|alpha)?(?=\/))*/;
const GOOGLE_PATH = /^\/(?:models\/)?(.+):(generateContent|streamGenerateContent)$/;
const FIXED_PATHS: Readonly<Record<string, ProtocolId>> = {
  "/chat/completions": "openai-chat",
  "/responses": "openai-responses",
  "/messages": "anthropic",
};

/** null: no vendor has this address. */
export function routeOf(url: URL): ChaosRoute | null {
  // A base URL that ends in a slash doubles it.
  const path = url.pathname.replaceAll(/\/{2,}/g, "/").replace(VERSIONS, "");
  const fixed = FIXED_PATHS[path];
  if (fixed !== undefined) return { protocol: fixed, model: null, streaming: null, asArray: false };
  const [, model, method] = GOOGLE_PATH.exec(decoded(path)) ?? [];
  if (model === undefined) return null;
  const streaming = method === "streamGenerateContent";
  return { protocol: "google", model, streaming, asArray: streaming && url.searchParams.get("alt") !== "sse" };
}

function decoded(path: string): string {
  return path.replaceAll(/%(?:2F|3A|3D|2C|3B|20)/gi, (escape) => decodeURIComponent(escape));
}

export function parseRequest(route: ChaosRoute, body: unknown): ChaosRequest {
  const asked = object(body);
  const read = READERS[route.protocol](asked);
  const last = read.turns.at(-1);
  const lastUser = read.turns.findLastIndex(({ role }) => role === "user");
  return {
    protocol: route.protocol,
    model: route.model ?? text(asked["model"]),
    streaming: route.streaming ?? asked["stream"] === true,
    asArray: route.asArray,
    includeUsage: object(asked["stream_options"])["include_usage"] === true,
    lastUserText: read.turns[lastUser]?.text ?? "",
    toolResults: read.turns
      .slice(lastUser + 1)
      .filter(({ role }) => role === "tool")
      .map((turn) => turn.text),
    tools: read.tools,
    forcedTool: read.forcedTool === ANY_TOOL ? (read.tools[0]?.name ?? null) : read.forcedTool,
    schema: read.schema,
    endsWithAssistant: last?.role === "assistant",
    prefill: last?.role === "assistant" ? last.text : "",
    promptTokens: tokensIn(read.turns.map((turn) => turn.text).join(" ")),
  };
}

interface Turn {
  readonly role: "user" | "assistant" | "tool";
  readonly text: string;
}

interface Read {
  readonly turns: readonly Turn[];
  readonly tools: readonly ChaosTool[];
  readonly forcedTool: string | null;
  readonly schema: unknown;
}

/** The request requires a tool call but lets the model choose the tool. */
const ANY_TOOL = "*";

const READERS: Readonly<Record<ProtocolId, (body: Json) => Read>> = {
  "openai-chat": (body) => {
    const format = object(body["response_format"]);
    return {
      turns: list(body["messages"]).flatMap((message) => turnOf(message["role"], message["content"])),
      tools: list(body["tools"]).map((tool) => {
        const declared = object(tool["function"]);
        return { name: text(declared["name"]), schema: declared["parameters"] ?? {} };
      }),
      forcedTool: forced(body["tool_choice"], (choice) => text(object(choice["function"])["name"])),
      schema: schemaOf(format, object(format["json_schema"])["schema"]),
    };
  },
  "openai-responses": (body) => {
    const { input } = body;
    const format = object(object(body["text"])["format"]);
    return {
      turns:
        typeof input === "string"
          ? [{ role: "user", text: input }]
          : list(input).flatMap((item) =>
              item["type"] === "function_call_output"
                ? [{ role: "tool" as const, text: textIn(item["output"]) }]
                : turnOf(item["role"], item["content"]),
            ),
      tools: list(body["tools"])
        .filter((tool) => tool["type"] === "function")
        .map((tool) => ({ name: text(tool["name"]), schema: tool["parameters"] ?? {} })),
      forcedTool: forced(body["tool_choice"], (choice) => text(choice["name"])),
      schema: schemaOf(format, format["schema"]),
    };
  },
  "anthropic": (body) => {
    const choice = object(body["tool_choice"]);
    const format = object(object(body["output_config"])["format"] ?? body["output_format"]);
    return {
      turns: list(body["messages"]).flatMap((message) => anthropicTurns(message["role"], message["content"])),
      tools: list(body["tools"]).map((tool) => ({ name: text(tool["name"]), schema: tool["input_schema"] ?? {} })),
      forcedTool: choice["type"] === "any" ? ANY_TOOL : choice["type"] === "tool" ? text(choice["name"]) : null,
      schema: schemaOf(format, format["schema"]),
    };
  },
  "google": (body) => {
    const calling = object(object(body["toolConfig"])["functionCallingConfig"]);
    const config = object(body["generationConfig"]);
    const allowed = calling["allowedFunctionNames"];
    const isJson = config["responseMimeType"] === "application/json";
    return {
      turns: list(body["contents"]).flatMap(googleTurns),
      tools: list(body["tools"])
        .flatMap((tool) => list(tool["functionDeclarations"]))
        .map((tool) => ({
          name: text(tool["name"]),
          schema: tool["parametersJsonSchema"] ?? tool["parameters"] ?? {},
        })),
      forcedTool:
        calling["mode"] === "ANY"
          ? Array.isArray(allowed) && text(allowed[0]) !== ""
            ? text(allowed[0])
            : ANY_TOOL
          : null,
      schema: isJson ? (config["responseJsonSchema"] ?? config["responseSchema"] ?? {}) : null,
    };
  },
};

function forced(choice: unknown, nameOf: (choice: Json) => string): string | null {
  if (choice === "required") return ANY_TOOL;
  const name = typeof choice === "object" && choice !== null ? nameOf(object(choice)) : "";
  return name === "" ? null : name;
}

/** A format without a schema still requires JSON. */
function schemaOf(format: Json, schema: unknown): unknown {
  if (format["type"] === "json_schema") return schema ?? {};
  return format["type"] === "json_object" ? {} : null;
}

const ROLES: Readonly<Record<string, Turn["role"]>> = {
  user: "user",
  assistant: "assistant",
  model: "assistant",
  tool: "tool",
  function: "tool",
};

/** Instructions are not a turn. */
function turnOf(role: unknown, content: unknown): readonly Turn[] {
  const known = ROLES[text(role)];
  return known === undefined ? [] : [{ role: known, text: textIn(content) }];
}

/** A user message may hold tool results and text side by side. */
function anthropicTurns(role: unknown, content: unknown): readonly Turn[] {
  const blocks = list(content);
  const results = blocks.filter((block) => block["type"] === "tool_result");
  if (results.length === 0) return turnOf(role, content);
  const words = textIn(blocks.filter((block) => block["type"] === "text"));
  return [
    ...results.map((block): Turn => ({ role: "tool", text: textIn(block["content"]) })),
    ...(words === "" ? [] : turnOf(role, words)),
  ];
}

function googleTurns(content: Json): readonly Turn[] {
  const parts = list(content["parts"]);
  const results = parts.filter((part) => part["functionResponse"] !== undefined);
  if (results.length === 0) return turnOf(content["role"] ?? "user", parts);
  return results.map((part) => ({
    role: "tool",
    text: JSON.stringify(object(part["functionResponse"])["response"] ?? null),
  }));
}

/** Text, or the text of a list of parts; anything else as JSON. */
function textIn(content: unknown): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return content === undefined || content === null ? "" : JSON.stringify(content);
  return list(content)
    .map((part) => text(part["text"]))
    .filter((part) => part !== "")
    .join(" ");
}

function text(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function object(value: unknown): Json {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Json) : {};
}

function list(value: unknown): readonly Json[] {
  return Array.isArray(value) ? value.map(object) : [];
}
