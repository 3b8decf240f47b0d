// Reads a request for Google's generateContent. Fields come in camel case and in snake case, and a list of one may come without its brackets.

import { type JsonObject, listOf, numberOrNull, objectOf, objectsOf, textOf } from "../../core/json-fields.ts";
import {
  type AnswerContent,
  effortFor,
  fileOf,
  outputOf,
  Reading,
  type ReadRequest,
  signedByGoogle,
  textPart,
  type UserPart,
  withParts,
} from "./request-reading.ts";

// prettier-ignore
const KNOWN = [
  "contents", "systemInstruction", "tools", "toolConfig", "model", "generationConfig", "cachedContent", "labels",
];
// prettier-ignore
const KNOWN_CONFIG = [
  "maxOutputTokens", "temperature", "topP", "topK", "presencePenalty", "frequencyPenalty", "seed", "stopSequences",
  "responseMimeType", "responseSchema", "responseJsonSchema", "thinkingConfig", "candidateCount",
];

export function readGoogle(given: JsonObject): ReadRequest {
  const body = camelized(given);
  const reading = new Reading(body, KNOWN);
  if (textOf(body["cachedContent"]) !== "") reading.refuse("cachedContent is stored at another target, or not at all");
  reading.system(
    eachOf(objectOf(body["systemInstruction"])?.["parts"])
      .map((part) => textOf(part["text"]))
      .join("\n"),
  );
  const calls = new GoogleCalls();
  for (const content of eachOf(body["contents"])) readContent(content, reading, calls);
  for (const tool of eachOf(body["tools"])) readTool(tool, reading);
  const toolConfig = objectOf(body["toolConfig"]) ?? {};
  reading.others(toolConfig, ["functionCallingConfig"], "toolConfig.");
  readToolConfig(objectOf(toolConfig["functionCallingConfig"]) ?? {}, reading);
  readConfig(objectOf(body["generationConfig"]) ?? {}, reading);
  return reading.done();
}

/** Holders of settings. The fields of other objects are the client's own, such as the properties of a schema. */
const HOLDERS: ReadonlySet<string> = new Set([
  "generationConfig",
  "thinkingConfig",
  "toolConfig",
  "functionCallingConfig",
]);

/** The request, and its holders of settings, with their fields in camel case. */
function camelized(holder: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(holder).map(([given, value]) => {
      const name = given.replace(/_([a-z])/g, (_all, letter: string) => letter.toUpperCase());
      const inner = HOLDERS.has(name) ? objectOf(value) : null;
      return [name, inner === null ? value : camelized(inner)];
    }),
  );
}

function eachOf(value: unknown): readonly JsonObject[] {
  return objectsOf(Array.isArray(value) ? value : [value]);
}

function readConfig(config: JsonObject, reading: Reading): void {
  if ((numberOrNull(config["candidateCount"]) ?? 1) > 1)
    reading.refuse("several candidates exist only in this dialect");
  reading.others(config, KNOWN_CONFIG, "generationConfig.");
  const { maxOutputTokens, temperature, topP, topK, presencePenalty, frequencyPenalty, seed } = config;
  reading.numbers({ maxOutputTokens, temperature, topP, topK, presencePenalty, frequencyPenalty, seed });
  reading.stops(config["stopSequences"]);
  const format = textOf(config["responseMimeType"]);
  const schema = config["responseJsonSchema"] ?? lowerCased(config["responseSchema"]);
  if (format === "application/json" && schema === undefined)
    reading.jsonOfAnyShape("generationConfig.responseMimeType");
  else if (format === "application/json") reading.json(schema);
  else if (format !== "" && format !== "text/plain") reading.omitted.push("generationConfig.responseMimeType");
  const thinking = objectOf(config["thinkingConfig"]);
  const budget = numberOrNull(thinking?.["thinkingBudget"]);
  if (!reading.effort(thinking?.["thinkingLevel"]) && budget !== null) reading.options.reasoning = effortFor(budget);
}

/** Google's own schemas write types in capitals; JSON Schema does not. */
function lowerCased(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(lowerCased);
  const holder = objectOf(schema);
  if (holder === null) return schema;
  return Object.fromEntries(
    Object.entries(holder).map(([name, value]) => [
      name,
      name === "type" && typeof value === "string" ? value.toLowerCase() : lowerCased(value),
    ]),
  );
}

/** Calls may have no ids: then a result belongs to the oldest open call of its name. */
class GoogleCalls {
  readonly #open: { readonly id: string; readonly name: string }[] = [];
  #count = 0;

  opened(given: string, name: string): string {
    const id = given === "" ? `call_${++this.#count}` : given;
    this.#open.push({ id, name });
    return id;
  }

  answered(given: string, name: string): string {
    const at = this.#open.findIndex((call) => (given === "" ? call.name === name : call.id === given));
    const [found] = at === -1 ? [] : this.#open.splice(at, 1);
    return found?.id ?? (given || name);
  }
}

function readContent(content: JsonObject, reading: Reading, calls: GoogleCalls): void {
  const parts = eachOf(content["parts"]);
  if (content["role"] === "model") return readAnswer(parts, reading, calls);
  const own: UserPart[] = [];
  for (const part of parts) {
    const result = objectOf(part["functionResponse"]) ?? objectOf(part["function_response"]);
    if (result === null) {
      const read = userPart(part, reading);
      if (read !== null) own.push(read);
      continue;
    }
    const name = textOf(result["name"]);
    const response = objectOf(result["response"]) ?? {};
    const isError = "error" in response && !("output" in response) && !("result" in response);
    const said = response["output"] ?? response["result"] ?? response["error"] ?? response;
    const output = outputOf(said, isError, (each) => userPart(each, reading));
    const files = eachOf(result["parts"]).flatMap((each) => userPart(each, reading) ?? []);
    reading.result(calls.answered(textOf(result["id"]), name), withParts(output, files), name);
  }
  reading.user(own);
}

function readAnswer(parts: readonly JsonObject[], reading: Reading, calls: GoogleCalls): void {
  const content = parts.flatMap((part): AnswerContent => {
    const signed = signedByGoogle(textOf(part["thoughtSignature"]) || textOf(part["thought_signature"]));
    const call = objectOf(part["functionCall"]) ?? objectOf(part["function_call"]);
    if (call !== null) {
      const name = textOf(call["name"]);
      const id = calls.opened(textOf(call["id"]), name);
      return [{ type: "tool-call", toolCallId: id, toolName: name, input: call["args"] ?? {}, ...signed }];
    }
    const text = textOf(part["text"]);
    if (part["thought"] === true) return [{ type: "reasoning", text, ...signed }];
    if (text !== "") return [{ type: "text", text, ...signed }];
    const file = userPart(part, reading);
    return file === null ? [] : [file];
  });
  reading.messages.push({ role: "assistant", content });
}

function userPart(part: JsonObject, reading: Reading): UserPart | null {
  if (typeof part["text"] === "string") return textPart(part["text"]);
  const inline = objectOf(part["inlineData"]) ?? objectOf(part["inline_data"]);
  if (inline !== null) return fileOf(textOf(inline["data"]), textOf(inline["mimeType"] ?? inline["mime_type"]));
  const stored = objectOf(part["fileData"]) ?? objectOf(part["file_data"]);
  if (stored !== null) {
    const address = textOf(stored["fileUri"] ?? stored["file_uri"]);
    const isOwn = address.startsWith("gs:") || address.includes("generativelanguage.googleapis.com");
    const mediaType = textOf(stored["mimeType"] ?? stored["mime_type"]) || "application/pdf";
    return reading.file("a file", isOwn ? "" : address, mediaType);
  }
  reading.omitted.push(`contents.${Object.keys(part)[0] ?? "part"}`);
  return null;
}

function readTool(
  { functionDeclarations, function_declarations: declarations, ...byVendor }: JsonObject,
  reading: Reading,
): void {
  for (const fn of eachOf(functionDeclarations ?? declarations)) {
    const schema = fn["parametersJsonSchema"] ?? fn["parameters_json_schema"] ?? lowerCased(fn["parameters"]);
    reading.tool(textOf(fn["name"]), fn["description"], schema);
  }
  for (const name of Object.keys(byVendor)) reading.omitted.push(`tools.${name}`);
}

function readToolConfig(config: JsonObject, reading: Reading): void {
  const names = listOf(config["allowedFunctionNames"]).map(textOf);
  const [only] = names;
  reading.allowOnly(names, "toolConfig.allowedFunctionNames");
  switch (textOf(config["mode"]).toUpperCase()) {
    case "NONE":
      return reading.toolChoice("none");
    case "ANY":
      return reading.toolChoice(names.length === 1 && only !== undefined ? { toolName: only } : "required");
    case "AUTO":
      return reading.toolChoice("auto");
    default:
  }
}
