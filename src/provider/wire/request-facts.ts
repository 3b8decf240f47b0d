// The facts about a model request that failure handling needs: model, streaming, limits, required capabilities and input size. They are
// read from the request on the wire, which is not changed.

import { countOf, type JsonObject, objectOf, textOf } from "../../core/json-fields.ts";
import { isFilled, objectFrom } from "./json-value.ts";
import { type Address, type Protocol, readAddress } from "./protocol.ts";

export interface RequestFacts {
  readonly model: string | null;
  readonly streaming: boolean;
  /** Of one answer. */
  readonly maxOutputTokens: number | null;
  /** How many answers it asks for; all of them are paid. */
  readonly answers: number;
  readonly hasTools: boolean;
  readonly hasImages: boolean;
  /** The request asks for JSON, so a truncated answer is useless. Passed to the wire reader. */
  readonly wantsJson: boolean;
  /** The requested service tier, in lower case; null if none. */
  readonly serviceTier: string | null;
  /** UTF-16 units of input text, including tools but not images, audio and inline files. For estimates. */
  readonly inputCharacters: number;
  /** UTF-16 units of inline images, audio, files and encrypted reasoning, and the most tokens that these may be. */
  readonly dataCharacters: number;
  readonly dataTokens: number;
}

export function requestFacts(protocol: Protocol, url: string | URL, body: unknown): RequestFacts {
  return factsAt(protocol, readAddress(url), objectFrom(body) ?? {});
}

/** The same for a request whose address is known already. */
export function factsAt(protocol: Protocol, address: Address | null, request: JsonObject): RequestFacts {
  const shape = SHAPES[protocol];
  const limit = largest(request, shape.limits);
  const input = measure(request, shape.input);
  return {
    model: textOf(request["model"]) || (address?.model ?? null),
    streaming: request["stream"] === true || address?.streaming === true,
    maxOutputTokens: limit === 0 ? null : limit,
    answers: Math.max(1, largest(request, shape.answers)),
    hasTools: shape.tools.some((field) => isFilled(request[field])),
    hasImages: input.hasImages,
    wantsJson: shape.json.some((path) => asksForJson(at(request, path))),
    serviceTier: tierIn(request),
    inputCharacters: input.characters,
    dataCharacters: input.dataCharacters,
    dataTokens: input.dataTokens,
  };
}

/** A target may heed any of these fields, so the largest counts. */
function largest(request: JsonObject, paths: readonly Path[]): number {
  let found = 0;
  for (const path of paths) found = Math.max(found, countOf(at(request, path)));
  return found;
}

/** Anthropic sells speed as an option apart from its tiers. */
function tierIn(request: JsonObject): string | null {
  if (request["speed"] === "fast") return "fast";
  return (textOf(request["service_tier"]) || textOf(request["serviceTier"])).toLowerCase() || null;
}

type Path = readonly string[];

interface RequestShape {
  /** Paths of the output limit. */
  readonly limits: readonly Path[];
  /** Paths of the number of answers. */
  readonly answers: readonly Path[];
  readonly tools: readonly string[];
  /** Paths that request JSON. */
  readonly json: readonly Path[];
  /** Fields that the model reads. */
  readonly input: readonly string[];
}

/** Google accepts each name of a field in two spellings, whatever the other names in its path are like. */
function inConfig(...names: readonly string[]): readonly Path[] {
  return ["generationConfig", "generation_config"].flatMap((config) => names.map((name) => [config, name]));
}

const SHAPES: Readonly<Record<Protocol, RequestShape>> = {
  "openai-chat": {
    limits: [["max_completion_tokens"], ["max_tokens"]],
    // The second is a field of the older completions.
    answers: [["n"], ["best_of"]],
    tools: ["tools", "functions"],
    json: [["response_format", "type"]],
    input: ["messages", "tools", "functions", "response_format"],
  },
  "openai-responses": {
    limits: [["max_output_tokens"]],
    answers: [],
    tools: ["tools"],
    json: [["text", "format", "type"]],
    input: ["instructions", "input", "tools", "text"],
  },
  "anthropic-messages": {
    limits: [["max_tokens"]],
    answers: [],
    tools: ["tools"],
    json: [
      ["output_config", "format", "type"],
      ["output_format", "type"],
    ],
    input: ["system", "messages", "tools", "output_config", "output_format"],
  },
  "google-generate": {
    limits: inConfig("maxOutputTokens", "max_output_tokens"),
    answers: inConfig("candidateCount", "candidate_count"),
    tools: ["tools"],
    json: inConfig("responseMimeType", "response_mime_type"),
    input: ["systemInstruction", "system_instruction", "contents", "tools", "generationConfig"],
  },
};

/** Fields that change what a call costs, although the facts do not contain them. */
const COSTS: readonly Path[] = [
  ["stream_options", "include_usage"],
  ["thinking", "type"],
  ["thinking", "budget_tokens"],
  ["reasoning", "effort"],
  ["reasoning_effort"],
  ["output_config", "effort"],
  ...inConfig("thinkingConfig", "thinking_config").flatMap((path) =>
    ["thinkingBudget", "thinking_budget", "thinkingLevel", "thinking_level"].map((name) => [...path, name]),
  ),
];

/** The paths, in requests of any dialect, of the fields that bound what a call may cost or say what it costs. */
export const FACT_PATHS: readonly Path[] = [
  ...["model", "stream", "speed", "service_tier", "serviceTier"].map((field) => [field]),
  ...COSTS,
  ...Object.values(SHAPES).flatMap(({ limits, answers, tools, json, input }) => [
    ...[...limits, ...answers, ...json],
    ...[...tools, ...input].map((field) => [field]),
  ]),
];

const JSON_WISHES: ReadonlySet<string> = new Set(["json_object", "json_schema", "application/json"]);

function asksForJson(value: unknown): boolean {
  return JSON_WISHES.has(textOf(value));
}

function at(request: JsonObject, path: Path): unknown {
  let value: unknown = request;
  for (const key of path) value = objectOf(value)?.[key];
  return value;
}

const IMAGE_TYPES: ReadonlySet<string> = new Set(["image_url", "input_image", "image"]);
/** Fields that contain data instead of text: base64, signatures, encrypted reasoning. */
const DATA_FIELDS: ReadonlySet<string> = new Set([
  "data",
  "file_data",
  "encrypted_content",
  "signature",
  "thoughtSignature",
  "thought_signature",
]);
/** Fields whose text is data if it is a `data:` address. Elsewhere the model reads such a text like any other. */
const ADDRESS_FIELDS: ReadonlySet<string> = new Set(["url", "image_url", "file_url"]);
/** More than most vendors count for the largest picture. */
const IMAGE_TOKENS = 5_000;

/** A body is parsed JSON without cycles. If a caller passes an object with cycles, the walk still ends. */
const MAX_NODES = 1_000_000;

interface Measure {
  characters: number;
  hasImages: boolean;
  dataCharacters: number;
  dataTokens: number;
}

/** Uses an explicit list instead of recursion, because the sender controls the depth. */
function measure(request: JsonObject, fields: readonly string[]): Measure {
  const sum: Measure = { characters: 0, hasImages: false, dataCharacters: 0, dataTokens: 0 };
  const left: unknown[] = [];
  for (const field of fields) if (field in request) left.push(request[field]);
  for (let nodes = 0; left.length > 0 && nodes < MAX_NODES; nodes++) {
    const value = left.pop();
    if (typeof value === "string") sum.characters += value.length;
    else if (Array.isArray(value)) for (const item of value) left.push(item);
    else if (typeof value === "object" && value !== null) {
      const holder = value as JsonObject;
      sum.hasImages ||= isImage(holder);
      for (const key in holder) if (!addData(sum, holder, key)) left.push(holder[key]);
    }
  }
  return sum;
}

function isImage(holder: JsonObject): boolean {
  if (IMAGE_TYPES.has(textOf(holder["type"]))) return true;
  return textOf(holder["mimeType"] ?? holder["mime_type"]).startsWith("image/");
}

/** False: the field contains no data. Anthropic's plain-text documents are in `data`, too. */
function addData(sum: Measure, holder: JsonObject, key: string): boolean {
  const value = holder[key];
  if (typeof value !== "string") return false;
  const isData = DATA_FIELDS.has(key) ? holder["type"] !== "text" : isDataAddress(key, value);
  if (!isData) return false;
  sum.dataCharacters += value.length;
  sum.dataTokens += isPicture(holder, value) ? Math.min(IMAGE_TOKENS, value.length) : value.length;
  return true;
}

function isDataAddress(key: string, value: string): boolean {
  return ADDRESS_FIELDS.has(key) && value.startsWith("data:");
}

/** The media type is in the address, or beside the data. */
function isPicture(holder: JsonObject, value: string): boolean {
  return value.startsWith("data:image/") || textOf(holder["media_type"]).startsWith("image/") || isImage(holder);
}
