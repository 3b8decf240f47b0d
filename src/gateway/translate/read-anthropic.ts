// Reads a request for Anthropic's messages.

import type { SharedV4ProviderOptions } from "@ai-sdk/provider";
import { countOf, type JsonObject, objectOf, objectsOf, textOf } from "../../core/json-fields.ts";
import {
  type AnswerContent,
  effortFor,
  fileOf,
  outputOf,
  Reading,
  type ReadRequest,
  textPart,
  type UserPart,
} from "./request-reading.ts";

// prettier-ignore
const KNOWN = [
  "model", "messages", "system", "stream", "metadata", "max_tokens", "temperature", "top_p", "top_k", "stop_sequences",
  "tools", "tool_choice", "thinking", "output_config", "output_format",
];

export function readAnthropic(body: JsonObject): ReadRequest {
  const reading = new Reading(body, KNOWN);
  const { container } = body;
  if (textOf(container) !== "" || textOf(objectOf(container)?.["id"]) !== "")
    reading.refuse("container is stored at another target, or not at all");
  if (typeof body["system"] === "string") reading.system(body["system"]);
  for (const block of objectsOf(body["system"])) reading.system(textOf(block["text"]), marksOf(block));
  for (const message of objectsOf(body["messages"])) readMessage(message, reading);
  const { max_tokens: maxOutputTokens, temperature, top_p: topP, top_k: topK } = body;
  reading.numbers({ maxOutputTokens, temperature, topP, topK });
  reading.stops(body["stop_sequences"]);
  for (const tool of objectsOf(body["tools"])) readTool(tool, reading);
  readChoice(objectOf(body["tool_choice"]), reading);
  readThinking(body, reading);
  const output = objectOf(body["output_config"]) ?? {};
  reading.others(output, ["effort", "format"], "output_config.");
  const format = objectOf(output["format"]) ?? objectOf(body["output_format"]);
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
  if (thinking?.["type"] === "disabled") reading.options.reasoning = "none";
  else if (reading.effort(objectOf(body["output_config"])?.["effort"])) return;
  else if (thinking?.["type"] === "enabled") reading.options.reasoning = effortFor(countOf(thinking["budget_tokens"]));
  else if (thinking?.["type"] === "adaptive") reading.options.reasoning = "medium";
}

function readMessage(message: JsonObject, reading: Reading): void {
  const { content, role } = message;
  const blocks = typeof content === "string" ? [{ type: "text", text: content }] : objectsOf(content);
  if (role === "assistant") return readAnswer(blocks, reading);
  if (role === "system") return reading.system(blocks.map((block) => textOf(block["text"])).join("\n"));
  let parts: UserPart[] = [];
  for (const block of blocks) {
    if (block["type"] === "tool_result") {
      reading.user(parts);
      parts = [];
      const isError = block["is_error"] === true;
      const output = outputOf(block["content"], isError, (part) =>
        partOf(isError ? textOnly(part, reading) : part, reading),
      );
      reading.result(textOf(block["tool_use_id"]), output);
    } else {
      const part = partOf(block, reading);
      if (part !== null) parts.push(part);
    }
  }
  reading.user(parts);
}

/** In other dialects, only a text can say that a tool failed. */
function textOnly(block: JsonObject, reading: Reading): JsonObject {
  const type = textOf(block["type"]);
  if (type === "text") return block;
  reading.omitted.push(`messages.tool_result.${type}`);
  return { type: "text", text: "" };
}

function readAnswer(blocks: readonly JsonObject[], reading: Reading): void {
  const content = blocks.flatMap((block): AnswerContent => {
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
    if (objectOf(block["citations"])?.["enabled"] === true) reading.omitted.push("messages.document.citations");
    if (textOf(block["context"]) !== "") reading.omitted.push("messages.document.context");
    if (title !== "" && source["type"] === "text") reading.omitted.push("messages.document.title");
    if (source["type"] === "base64") return fileOf(textOf(source["data"]), mediaType, title);
    if (source["type"] === "text") return textPart(textOf(source["data"]));
    return reading.file(`a ${type}`, source["type"] === "url" ? textOf(source["url"]) : "", mediaType, title);
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

const CHOICES: ReadonlyMap<string, "auto" | "required" | "none"> = new Map([
  ["auto", "auto"],
  ["any", "required"],
  ["none", "none"],
]);

function readChoice(choice: JsonObject | null, reading: Reading): void {
  if (choice === null) return;
  if (choice["disable_parallel_tool_use"] === true) reading.oneCallAtATime();
  if (choice["type"] === "tool") reading.toolChoice({ toolName: textOf(choice["name"]) });
  const type = CHOICES.get(textOf(choice["type"]));
  if (type !== undefined) reading.toolChoice(type);
}
