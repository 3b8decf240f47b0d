// Reads a request for OpenAI's chat completions.

import { type JsonObject, objectOf, objectsOf, textOf } from "../../core/json-fields.ts";
import {
  inputOf,
  outputOf,
  partsOf,
  Reading,
  type ReadRequest,
  signedByGoogle,
  textPart,
  type UserPart,
} from "./request-reading.ts";

// prettier-ignore
const KNOWN = [
  "model", "messages", "stream", "stream_options", "n", "user", "metadata", "store", "safety_identifier",
  "max_tokens", "max_completion_tokens", "temperature", "top_p", "presence_penalty", "frequency_penalty", "stop", "seed",
  "tools", "tool_choice", "parallel_tool_calls", "response_format", "reasoning_effort", "prompt_cache_key",
];

export function readOpenaiChat(body: JsonObject): ReadRequest {
  const reading = new Reading(body, KNOWN);
  if (typeof body["n"] === "number" && body["n"] > 1) reading.refuse("several choices (n) exist only in this dialect");
  for (const message of objectsOf(body["messages"])) readMessage(message, reading);
  const { presence_penalty: presencePenalty, frequency_penalty: frequencyPenalty, seed } = body;
  const maxOutputTokens = body["max_completion_tokens"] ?? body["max_tokens"];
  reading.numbers({ maxOutputTokens, presencePenalty, frequencyPenalty, seed });
  reading.stops(body["stop"]);
  reading.effort(body["reasoning_effort"]);
  readOpenaiOptions(body, reading, readTool);
  const format = objectOf(body["response_format"]);
  if (format?.["type"] === "json_object") reading.jsonOfAnyShape("response_format");
  const schema = objectOf(format?.["json_schema"]);
  if (schema !== null) reading.json(schema["schema"], schema);
  return reading.done();
}

/** The options that both dialects of OpenAI write alike. */
export function readOpenaiOptions(
  body: JsonObject,
  reading: Reading,
  readTool: (tool: JsonObject, reading: Reading) => void,
): void {
  reading.numbers({ temperature: body["temperature"], topP: body["top_p"] });
  for (const tool of objectsOf(body["tools"])) readTool(tool, reading);
  readToolChoice(body["tool_choice"], reading);
  if (body["parallel_tool_calls"] === false) reading.oneCallAtATime();
  const promptCacheKey = textOf(body["prompt_cache_key"]);
  if (promptCacheKey !== "") reading.extra("openai", { promptCacheKey });
}

function readMessage(message: JsonObject, reading: Reading): void {
  const { content } = message;
  switch (message["role"]) {
    case "system":
    case "developer":
      return reading.system(textIn(content));
    case "user":
      return void reading.messages.push({ role: "user", content: partsOf(content, (part) => userPart(part, reading)) });
    case "assistant":
      return readAnswer(message, reading);
    case "tool":
      return reading.result(
        textOf(message["tool_call_id"]),
        outputOf(content, false, (part) => userPart(part, reading)),
      );
    default:
      return reading.refuse(`messages of the role ${textOf(message["role"])} exist only in this dialect`);
  }
}

function readAnswer(message: JsonObject, reading: Reading): void {
  const text = textIn(message["content"]) || textOf(message["refusal"]);
  const calls = objectsOf(message["tool_calls"]).map((call) => {
    const fn = objectOf(call["function"]) ?? objectOf(call["custom"]) ?? {};
    const id = textOf(call["id"]);
    const name = textOf(fn["name"]);
    reading.called(id, name);
    const input = call["type"] === "custom" ? { input: textOf(fn["input"]) } : inputOf(fn["arguments"]);
    const signed = signedByGoogle(textOf(objectOf(objectOf(call["extra_content"])?.["google"])?.["thought_signature"]));
    return { type: "tool-call" as const, toolCallId: id, toolName: name, input, ...signed };
  });
  reading.messages.push({ role: "assistant", content: [...(text === "" ? [] : [textPart(text)]), ...calls] });
}

function textIn(content: unknown): string {
  if (typeof content === "string") return content;
  return objectsOf(content)
    .map((part) => textOf(part["text"]) || textOf(part["refusal"]))
    .join("");
}

function userPart(part: JsonObject, reading: Reading): UserPart | null {
  switch (part["type"]) {
    case "text":
      return textPart(textOf(part["text"]));
    case "image_url":
      return reading.file("an image", textOf(objectOf(part["image_url"])?.["url"]), "image/*");
    case "input_audio": {
      const audio = objectOf(part["input_audio"]) ?? {};
      const data = textOf(audio["data"]);
      return { type: "file", mediaType: `audio/${textOf(audio["format"]) || "wav"}`, data: { type: "data", data } };
    }
    case "file": {
      const file = objectOf(part["file"]) ?? {};
      return reading.file("a file", textOf(file["file_data"]), "application/pdf", textOf(file["filename"]));
    }
    default:
      reading.refuse(`parts of the type ${textOf(part["type"])} exist only in this dialect`);
      return null;
  }
}

function readTool(tool: JsonObject, reading: Reading): void {
  const fn = objectOf(tool["function"]);
  const custom = objectOf(tool["custom"]);
  if (fn !== null) reading.tool(textOf(fn["name"]), fn["description"], fn["parameters"], fn["strict"]);
  else if (custom !== null) reading.textTool(textOf(custom["name"]), custom["description"]);
  else reading.omitted.push(`tools.${textOf(tool["type"])}`);
}

function readToolChoice(choice: unknown, reading: Reading): void {
  if (choice === "auto" || choice === "none" || choice === "required") return reading.toolChoice(choice);
  const holder = objectOf(choice);
  if (holder === null) return;
  if (holder["type"] === "allowed_tools") return readAllowed(objectOf(holder["allowed_tools"]) ?? holder, reading);
  const name =
    textOf(holder["name"]) ||
    textOf(objectOf(holder["function"])?.["name"]) ||
    textOf(objectOf(holder["custom"])?.["name"]);
  if (name === "") reading.omitted.push("tool_choice");
  else reading.toolChoice({ toolName: name });
}

/** The tools are named as in `tools`, or in a field of their own type. */
function readAllowed({ mode, tools }: JsonObject, reading: Reading): void {
  reading.toolChoice(mode === "required" ? "required" : "auto");
  const names = objectsOf(tools).map(
    (tool) => textOf(tool["name"]) || textOf(objectOf(tool[textOf(tool["type"])])?.["name"]),
  );
  reading.allowOnly(names, "tool_choice.allowed_tools");
}
