// The facts about a model request that failure handling needs: model, streaming, limits, required capabilities and input size. They are
// read from the request on the wire, which is not changed.

import { countOf, type JsonObject, objectOf, textOf } from "../../core/json-fields.ts";
import { isFilled, objectFrom } from "./json-value.ts";
import { type Address, type Protocol, readAddress } from "./protocol.ts";

export interface RequestFacts {
  readonly model: string | null;
  readonly streaming: boolean;
  /** The limit for one answer. */
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
  /** UTF-16 units of inline images, audio, files and encrypted reasoning. */
  readonly dataCharacters: number;
  /** The most tokens that these may be, and what the request refers to: addresses, files and conversations at the vendor. */
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
    dataTokens: refersToStored(request) ? ANY_TOKENS : input.dataTokens,
  };
}

function refersToStored(request: JsonObject): boolean {
  return STORED_FIELDS.some((field) => isFilled(request[field])) || objectOf(request["prompt"]) !== null;
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

/** What a field has to be, so that the gateway and every target read the same in it. */
export type FieldKind = "a number" | "true or false" | "a text" | "an object";

const THINKING_CONFIGS = inConfig("thinkingConfig", "thinking_config");

/** Lenient servers take `"20"` for 20. A bound that is read as absent would then be heeded. */
export const FACT_KINDS: readonly (readonly [Path, FieldKind])[] = [
  ...Object.values(SHAPES).flatMap(({ limits, answers }) =>
    [...limits, ...answers].map((path) => [path, "a number"] as const),
  ),
  [["thinking", "budget_tokens"], "a number"],
  ...THINKING_CONFIGS.flatMap((path) =>
    ["thinkingBudget", "thinking_budget"].map((name) => [[...path, name], "a number"] as const),
  ),
  ...["generationConfig", "generation_config"].map((name) => [[name], "an object"] as const),
  ...THINKING_CONFIGS.map((path) => [path, "an object"] as const),
  [["stream"], "true or false"],
  ...["service_tier", "serviceTier"].map((name) => [[name], "a text"] as const),
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
/** Fields with an address. It may contain the data itself. In other fields, the model reads such a text like any other. */
const ADDRESS_FIELDS: ReadonlySet<string> = new Set(["url", "image_url", "file_url", "fileUri", "file_uri"]);
/** Fields that name a file or an item at the vendor. */
const NAME_FIELDS: ReadonlySet<string> = new Set(["file_id", "container_id"]);
/** Fields at the top that name what the vendor has stored, and reads with the request. */
const STORED_FIELDS = ["previous_response_id", "conversation", "cachedContent", "cached_content"];
/** Fields whose objects a model reads as text, whatever is in them: what a tool got and gave, and schemas. */
const TEXT_FIELDS: ReadonlySet<string> = new Set([
  ...[
    "args",
    "response",
    "arguments",
    "schema",
    "input_schema",
    "input_examples",
    "parameters",
    "parametersJsonSchema",
  ],
  ...["parameters_json_schema", "responseSchema", "response_schema", "responseJsonSchema", "response_json_schema"],
]);
/** More than most vendors count for the largest picture. */
const IMAGE_TOKENS = 5_000;
/** What a request refers to may fill the model's context. */
const ANY_TOKENS = Number.MAX_SAFE_INTEGER;

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
  const texts: unknown[] = [];
  let nodes = 0;
  for (; left.length > 0 && nodes < MAX_NODES; nodes++) {
    const value = left.pop();
    if (typeof value === "string") sum.characters += value.length;
    else if (Array.isArray(value)) for (const item of value) left.push(item);
    else if (typeof value === "object" && value !== null) measureObject(value as JsonObject, sum, left, texts);
  }
  for (; texts.length > 0 && nodes < MAX_NODES; nodes++) {
    const value = texts.pop();
    if (typeof value === "string") sum.characters += value.length;
    else if (typeof value === "object" && value !== null) for (const inner of Object.values(value)) texts.push(inner);
  }
  return sum;
}

function measureObject(holder: JsonObject, sum: Measure, left: unknown[], texts: unknown[]): void {
  const isNamedPicture = IMAGE_TYPES.has(textOf(holder["type"]));
  const isPicture = isNamedPicture || textOf(holder["mimeType"] ?? holder["mime_type"]).startsWith("image/");
  if (isPicture) addPicture(sum);
  for (const key in holder) {
    const value = holder[key];
    // The data of a picture, or its address, is in the same object or in one directly below it.
    const below = isNamedPicture ? objectOf(value) : null;
    if (typeof value === "string") addText(sum, holder, key, value, isPicture);
    else if (below !== null) for (const inner in below) addText(sum, below, inner, textOf(below[inner]), true);
    else if (TEXT_FIELDS.has(key) || (key === "input" && "name" in holder)) texts.push(value);
    else left.push(value);
  }
}

function addPicture(sum: Measure): void {
  sum.hasImages = true;
  sum.dataTokens += IMAGE_TOKENS;
}

/** Anthropic's plain-text documents are in `data`, too. A picture's tokens are counted where the picture is. */
function addText(sum: Measure, holder: JsonObject, key: string, value: string, isPicture: boolean): void {
  const isAddress = ADDRESS_FIELDS.has(key);
  const isInline = DATA_FIELDS.has(key) ? holder["type"] !== "text" : isAddress && value.startsWith("data:");
  if (isInline) sum.dataCharacters += value.length;
  else sum.characters += value.length;
  if (isPicture) return;
  if (isInline && isAddress && value.startsWith("data:image/")) addPicture(sum);
  else if (isInline) sum.dataTokens += value.length;
  else if ((isAddress || NAME_FIELDS.has(key)) && !isQuote(holder)) sum.dataTokens = ANY_TOKENS;
  else if (key === "id" && isItemReference(holder)) sum.dataTokens = ANY_TOKENS;
}

/** The source of something that is in the request itself: a citation, or the result of a search. */
function isQuote(holder: JsonObject): boolean {
  return /citation|search_result|_location$/.test(textOf(holder["type"]));
}

/** An item that the vendor has stored. Its type may be left out. */
function isItemReference(holder: JsonObject): boolean {
  const type = holder["type"] ?? null;
  return (
    type === "item_reference" || (type === null && Object.keys(holder).every((key) => key === "id" || key === "type"))
  );
}
