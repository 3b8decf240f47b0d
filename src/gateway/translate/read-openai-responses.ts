// Reads a request for OpenAI's responses.

import { type JsonObject, objectOf, objectsOf, textOf } from "../../core/json-fields.ts";
import { readOpenaiOptions } from "./read-openai-chat.ts";
import {
  type AnswerContent,
  inputOf,
  outputOf,
  partsOf,
  Reading,
  type ReadRequest,
  textPart,
  type UserPart,
} from "./request-reading.ts";

// prettier-ignore
const KNOWN = [
  "model", "input", "instructions", "stream", "stream_options", "user", "metadata", "store", "safety_identifier", "include",
  "max_output_tokens", "temperature", "top_p", "reasoning", "text", "background", "client_metadata",
  "tools", "tool_choice", "parallel_tool_calls", "previous_response_id", "conversation", "prompt_cache_key",
];

export function readOpenaiResponses(body: JsonObject): ReadRequest {
  const reading = new Reading(body, KNOWN);
  for (const field of ["previous_response_id", "conversation", "prompt"]) {
    // The conversation itself is stored at the vendor, and is not in the request.
    if (body[field] !== undefined && body[field] !== null)
      reading.refuse(`${field} is stored at another target, or not at all`);
  }
  if (body["background"] === true) reading.refuse("a response in the background exists only in this dialect");
  reading.system(textOf(body["instructions"]));
  if (typeof body["input"] === "string") reading.messages.push({ role: "user", content: [textPart(body["input"])] });
  for (const item of objectsOf(body["input"])) readItem(item, reading);
  reading.numbers({ maxOutputTokens: body["max_output_tokens"] });
  reading.effort(objectOf(body["reasoning"])?.["effort"]);
  readOpenaiOptions(body, reading, readTool);
  const text = objectOf(body["text"]) ?? {};
  reading.others(text, ["format"], "text.");
  const format = objectOf(text["format"]);
  if (format?.["type"] === "json_object") reading.jsonOfAnyShape("text.format");
  if (format?.["type"] === "json_schema") reading.json(format["schema"], format);
  return reading.done();
}

/** Items of one answer follow each other and become one message. */
function answerOf({ messages }: Reading): AnswerContent {
  const last = messages.at(-1);
  if (last?.role === "assistant") return last.content;
  const content: AnswerContent = [];
  messages.push({ role: "assistant", content });
  return content;
}

function readItem(item: JsonObject, reading: Reading): void {
  const type = textOf(item["type"]) || (item["role"] === undefined ? "" : "message");
  const read = Object.hasOwn(ITEMS, type) ? ITEMS[type] : undefined;
  if (read === undefined) reading.refuse(`items of the type ${type} exist only in this dialect`);
  else read(item, reading);
}

const ITEMS: Readonly<Record<string, (item: JsonObject, reading: Reading) => void>> = {
  message: readMessage,
  function_call: (item, reading) => readCall(item, inputOf(item["arguments"]), reading),
  custom_tool_call: (item, reading) => readCall(item, { input: textOf(item["input"]) }, reading),
  function_call_output: readResult,
  custom_tool_call_output: readResult,
  // Its account alone can read it.
  reasoning: (item, reading) => {
    const text = objectsOf(item["summary"])
      .map((part) => textOf(part["text"]))
      .join("\n");
    const providerOptions = { openai: { itemId: textOf(item["id"]) } };
    answerOf(reading).push({ type: "reasoning", text, providerOptions });
  },
  web_search_call: (_item, reading) => void reading.omitted.push("input.web_search_call"),
  compaction: (_item, reading) => reading.refuse("a compacted conversation can only be read by its own target"),
};

function readCall(item: JsonObject, input: unknown, reading: Reading): void {
  const id = textOf(item["call_id"]) || textOf(item["id"]);
  const name = textOf(item["name"]);
  reading.called(id, name);
  answerOf(reading).push({ type: "tool-call", toolCallId: id, toolName: name, input });
}

function readResult(item: JsonObject, reading: Reading): void {
  reading.result(
    textOf(item["call_id"]),
    outputOf(item["output"], false, (part) => partOf(part, reading)),
  );
}

function readMessage(item: JsonObject, reading: Reading): void {
  const { content, role } = item;
  const parts = partsOf(content, (part) => partOf(part, reading));
  const text = parts.map((part) => (part.type === "text" ? part.text : "")).join("");
  if (role === "system" || role === "developer") reading.system(text);
  else if (role === "assistant") answerOf(reading).push(...parts.filter((part) => part.type === "text"));
  else reading.messages.push({ role: "user", content: parts });
}

function partOf(part: JsonObject, reading: Reading): UserPart | null {
  switch (part["type"]) {
    case "input_text":
    case "output_text":
    case "text":
      return textPart(textOf(part["text"]));
    case "refusal":
      return textPart(textOf(part["refusal"]));
    case "input_image":
      return reading.file("an image", textOf(part["image_url"]), "image/*");
    case "input_file": {
      const address = textOf(part["file_data"]) || textOf(part["file_url"]);
      return reading.file("a file", address, "application/pdf", textOf(part["filename"]));
    }
    default:
      reading.refuse(`parts of the type ${textOf(part["type"])} exist only in this dialect`);
      return null;
  }
}

function readTool(tool: JsonObject, reading: Reading): void {
  const name = textOf(tool["name"]);
  if (tool["type"] === "function") reading.tool(name, tool["description"], tool["parameters"], tool["strict"]);
  else if (tool["type"] === "custom") {
    reading.textTool(name, tool["description"]);
    if (objectOf(tool["format"])?.["type"] === "grammar") reading.omitted.push("tools.custom.format");
  } else reading.omitted.push(`tools.${textOf(tool["type"])}`);
}
