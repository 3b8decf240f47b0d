// Reads a request for Anthropic's messages.

import type {
  LanguageModelV4FilePart,
  LanguageModelV4Message,
  LanguageModelV4TextPart,
  SharedV4ProviderOptions,
} from "@ai-sdk/provider";
import { countOf, type JsonObject, listOf, objectOf, objectsOf, textOf } from "../../core/json-fields.ts";
import {
  effortFor,
  effortOf,
  fileAt,
  fileOf,
  outputOf,
  Reading,
  type ReadRequest,
  textPart,
} from "./request-reading.ts";

const KNOWN: ReadonlySet<string> = new Set([
  ...[
    "model",
    "messages",
    "system",
    "stream",
    "metadata",
    "max_tokens",
    "temperature",
    "top_p",
    "top_k",
    "stop_sequences",
  ],
  ...["tools", "tool_choice", "thinking", "output_config", "output_format", "container", "context_management"],
]);

export function readAnthropic(body: JsonObject): ReadRequest {
  const reading = new Reading(body, KNOWN);
  if (textOf(body["container"]) !== "") reading.refuse("container names what only its own target has stored");
  if (typeof body["system"] === "string") reading.system(body["system"]);
  for (const block of objectsOf(body["system"])) reading.system(textOf(block["text"]), marksOf(block));
  for (const message of objectsOf(body["messages"])) readMessage(message, reading);
  reading.number("maxOutputTokens", body["max_tokens"]);
  reading.number("temperature", body["temperature"]);
  reading.number("topP", body["top_p"]);
  reading.number("topK", body["top_k"]);
  const stops = listOf(body["stop_sequences"]).map(textOf);
  if (stops.length > 0) reading.options.stopSequences = stops;
  for (const tool of objectsOf(body["tools"])) readTool(tool, reading);
  readChoice(objectOf(body["tool_choice"]), reading);
  readThinking(body, reading);
  const format = objectOf(objectOf(body["output_config"])?.["format"]) ?? objectOf(body["output_format"]);
  if (format !== null) reading.json(format["schema"]);
  return reading.done();
}

/** The mark that tells Anthropic what to cache. */
function marksOf(block: JsonObject): SharedV4ProviderOptions | undefined {
  const mark = objectOf(block["cache_control"]);
  return mark === null ? undefined : ({ anthropic: { cacheControl: mark } } as SharedV4ProviderOptions);
}

function readThinking(body: JsonObject, reading: Reading): void {
  const thinking = objectOf(body["thinking"]);
  const effort = effortOf(objectOf(body["output_config"])?.["effort"]);
  const budgetTokens = countOf(thinking?.["budget_tokens"]);
  if (thinking?.["type"] === "disabled") reading.options.reasoning = "none";
  else if (effort !== null) reading.options.reasoning = effort;
  else if (thinking?.["type"] === "enabled") reading.options.reasoning = effortFor(budgetTokens);
  else if (thinking?.["type"] === "adaptive") reading.options.reasoning = "medium";
}

type UserPart = LanguageModelV4TextPart | LanguageModelV4FilePart;

function readMessage(message: JsonObject, reading: Reading): void {
  const { content, role } = message;
  const blocks = typeof content === "string" ? [{ type: "text", text: content }] : objectsOf(content);
  if (role === "assistant") return readAnswer(blocks, reading);
  let parts: UserPart[] = [];
  const flush = (): void => {
    if (parts.length > 0) reading.messages.push({ role: "user", content: parts });
    parts = [];
  };
  for (const block of blocks) {
    if (block["type"] === "tool_result") {
      flush();
      const output = outputOf(block["content"], block["is_error"] === true, (part) => partOf(part, reading));
      reading.result(textOf(block["tool_use_id"]), output);
    } else {
      const part = partOf(block, reading);
      if (part !== null) parts.push(part);
    }
  }
  flush();
}

type AnswerPart = Extract<LanguageModelV4Message, { role: "assistant" }>["content"][number];

function readAnswer(blocks: readonly JsonObject[], reading: Reading): void {
  const content = blocks.flatMap((block): readonly AnswerPart[] => {
    switch (block["type"]) {
      case "text":
        return [textPart(textOf(block["text"]), marksOf(block))];
      case "thinking": {
        const providerOptions = { anthropic: { signature: textOf(block["signature"]) } };
        return [{ type: "reasoning", text: textOf(block["thinking"]), providerOptions }];
      }
      case "redacted_thinking": {
        const providerOptions = { anthropic: { redactedData: textOf(block["data"]) } };
        return [{ type: "reasoning", text: "", providerOptions }];
      }
      case "tool_use": {
        const [id, name] = [textOf(block["id"]), textOf(block["name"])];
        reading.called(id, name);
        return [{ type: "tool-call", toolCallId: id, toolName: name, input: block["input"] ?? {} }];
      }
      default:
        // What its servers did is in the text that follows.
        reading.omitted.push(`messages.${textOf(block["type"])}`);
        return [];
    }
  });
  reading.messages.push({ role: "assistant", content });
}

function partOf(block: JsonObject, reading: Reading): UserPart | null {
  const type = textOf(block["type"]);
  if (type === "text") return textPart(textOf(block["text"]), marksOf(block));
  const source = objectOf(block["source"]) ?? {};
  if (type === "image" || type === "document") {
    const mediaType = textOf(source["media_type"]) || (type === "image" ? "image/*" : "application/pdf");
    const title = textOf(block["title"]);
    if (source["type"] === "base64") return fileOf(textOf(source["data"]), mediaType, title);
    if (source["type"] === "text") return textPart(textOf(source["data"]));
    const file = source["type"] === "url" ? fileAt(textOf(source["url"]), mediaType, title) : null;
    if (file === null) reading.refuse(`a ${type} that is stored at another vendor cannot be read`);
    return file;
  }
  if (type === "search_result") return textPart(JSON.stringify(block["content"] ?? ""));
  reading.refuse(`blocks of the type ${type} exist only in this dialect`);
  return null;
}

function readTool(tool: JsonObject, reading: Reading): void {
  const type = textOf(tool["type"]);
  if (type === "" || type === "custom") {
    reading.tool(textOf(tool["name"]), tool["description"], tool["input_schema"], tool["strict"], marksOf(tool));
  } else reading.omitted.push(`tools.${type}`);
}

const CHOICES = { auto: "auto", any: "required", none: "none" } as const;

function readChoice(choice: JsonObject | null, reading: Reading): void {
  if (choice === null) return;
  if (choice["disable_parallel_tool_use"] === true) {
    reading.extra("openai", { parallelToolCalls: false });
    reading.extra("anthropic", { disableParallelToolUse: true });
  }
  if (choice["type"] === "tool") reading.options.toolChoice = { type: "tool", toolName: textOf(choice["name"]) };
  const type = CHOICES[textOf(choice["type"]) as keyof typeof CHOICES] as
    | (typeof CHOICES)[keyof typeof CHOICES]
    | undefined;
  if (type !== undefined) reading.options.toolChoice = { type };
}
