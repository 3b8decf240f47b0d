// Reads a request for OpenAI's chat completions.

import type { LanguageModelV4FilePart, LanguageModelV4TextPart } from "@ai-sdk/provider";
import { type JsonObject, listOf, objectOf, objectsOf, textOf } from "../../core/json-fields.ts";
import { effortOf, fileAt, inputOf, outputOf, Reading, type ReadRequest, textPart } from "./request-reading.ts";

const KNOWN: ReadonlySet<string> = new Set([
  ...["model", "messages", "stream", "stream_options", "n", "user", "metadata", "store", "safety_identifier"],
  ...[
    "max_tokens",
    "max_completion_tokens",
    "temperature",
    "top_p",
    "presence_penalty",
    "frequency_penalty",
    "stop",
    "seed",
  ],
  ...["tools", "tool_choice", "parallel_tool_calls", "response_format", "reasoning_effort", "prompt_cache_key"],
]);

export function readOpenaiChat(body: JsonObject): ReadRequest {
  const reading = new Reading(body, KNOWN);
  if (typeof body["n"] === "number" && body["n"] > 1) reading.refuse("several choices (n) exist only in this dialect");
  for (const message of objectsOf(body["messages"])) readMessage(message, reading);
  reading.number("maxOutputTokens", body["max_completion_tokens"] ?? body["max_tokens"]);
  reading.number("temperature", body["temperature"]);
  reading.number("topP", body["top_p"]);
  reading.number("presencePenalty", body["presence_penalty"]);
  reading.number("frequencyPenalty", body["frequency_penalty"]);
  reading.number("seed", body["seed"]);
  const stop = body["stop"];
  const stops = (typeof stop === "string" ? [stop] : listOf(stop)).map(textOf).filter((text) => text !== "");
  if (stops.length > 0) reading.options.stopSequences = stops;
  const effort = effortOf(body["reasoning_effort"]);
  if (effort !== null) reading.options.reasoning = effort;
  for (const tool of objectsOf(body["tools"])) readTool(tool, reading);
  readToolChoice(body["tool_choice"], reading);
  if (body["parallel_tool_calls"] === false) oneCallAtATime(reading);
  if (textOf(body["prompt_cache_key"]) !== "")
    reading.extra("openai", { promptCacheKey: textOf(body["prompt_cache_key"]) });
  const format = objectOf(body["response_format"]);
  if (format?.["type"] === "json_object") reading.json(undefined);
  const schema = objectOf(format?.["json_schema"]);
  if (schema !== null) reading.json(schema["schema"], schema["name"], schema["description"]);
  return reading.done();
}

export function oneCallAtATime(reading: Reading): void {
  reading.extra("openai", { parallelToolCalls: false });
  reading.extra("anthropic", { disableParallelToolUse: true });
}

function readMessage(message: JsonObject, reading: Reading): void {
  const { content } = message;
  switch (message["role"]) {
    case "system":
    case "developer":
      return reading.system(textIn(content));
    case "user": {
      const parts =
        typeof content === "string"
          ? [textPart(content)]
          : objectsOf(content).flatMap((part) => userPart(part, reading) ?? []);
      return void reading.messages.push({ role: "user", content: parts });
    }
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
    const signature = textOf(objectOf(objectOf(call["extra_content"])?.["google"])?.["thought_signature"]);
    const signed = signature === "" ? {} : { providerOptions: { google: { thoughtSignature: signature } } };
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

type UserPart = LanguageModelV4TextPart | LanguageModelV4FilePart;

function userPart(part: JsonObject, reading: Reading): UserPart | null {
  switch (part["type"]) {
    case "text":
      return textPart(textOf(part["text"]));
    case "image_url": {
      const image = fileAt(textOf(objectOf(part["image_url"])?.["url"]), "image/*");
      if (image === null) reading.refuse("an image has no address that can be read");
      return image;
    }
    case "input_audio": {
      const audio = objectOf(part["input_audio"]) ?? {};
      const data = textOf(audio["data"]);
      return { type: "file", mediaType: `audio/${textOf(audio["format"]) || "wav"}`, data: { type: "data", data } };
    }
    case "file": {
      const file = objectOf(part["file"]) ?? {};
      const given = fileAt(textOf(file["file_data"]), "application/pdf", textOf(file["filename"]));
      if (given === null) reading.refuse("a file that is stored at another vendor cannot be read");
      return given;
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

const CHOICES = { auto: "auto", none: "none", required: "required" } as const;

export function readToolChoice(choice: unknown, reading: Reading): void {
  if (typeof choice === "string") {
    const type = CHOICES[choice as keyof typeof CHOICES] as (typeof CHOICES)[keyof typeof CHOICES] | undefined;
    if (type !== undefined) reading.options.toolChoice = { type };
    return;
  }
  const holder = objectOf(choice);
  if (holder === null) return;
  const name =
    textOf(holder["name"]) ||
    textOf(objectOf(holder["function"])?.["name"]) ||
    textOf(objectOf(holder["custom"])?.["name"]);
  if (name === "") reading.omitted.push("tool_choice");
  else reading.options.toolChoice = { type: "tool", toolName: name };
}
