// What the readers of the four dialects share: the form they all read into, and the parts that look alike everywhere.
// D1  What the shared form has no place for is named, so that it can be declared.
// D2  What would change the meaning of a request if it were left out is a reason to refuse it.

import type {
  JSONValue,
  LanguageModelV4CallOptions,
  LanguageModelV4FilePart,
  LanguageModelV4FunctionTool,
  LanguageModelV4Message,
  LanguageModelV4TextPart,
  LanguageModelV4ToolResultPart,
  SharedV4ProviderOptions,
} from "@ai-sdk/provider";
import { isMap, type JsonObject, listOf, numberOrNull, objectOf, objectsOf, textOf } from "../../core/json-fields.ts";
import { parseJson } from "../../core/try-read.ts";

export type SharedOptions = LanguageModelV4CallOptions;

/** A request in the form that all dialects share. */
export interface ReadRequest {
  readonly options: SharedOptions;
  /** Options for targets of one vendor, by its name. */
  readonly extras: Readonly<Record<string, SharedV4ProviderOptions[string]>>;
  /** Fields that no other dialect has. */
  readonly omitted: readonly string[];
  /** Why it cannot be carried over; null when it can. */
  readonly refused: string | null;
  /** Tools whose input is plain text in the client's dialect. */
  readonly textTools: ReadonlySet<string>;
  /** The field that asks for JSON without a schema; null: none does. */
  readonly anyJson: string | null;
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };
type Effort = NonNullable<SharedOptions["reasoning"]>;
type NumberOption =
  | "maxOutputTokens"
  | "temperature"
  | "topP"
  | "topK"
  | "presencePenalty"
  | "frequencyPenalty"
  | "seed";
/** What a person's message, or the result of a tool, is made of. */
export type UserPart = LanguageModelV4TextPart | LanguageModelV4FilePart;
/** What a message of the model is made of. */
export type AnswerContent = Extract<LanguageModelV4Message, { role: "assistant" }>["content"];

/** Collects a request while its fields are read. */
export class Reading {
  readonly messages: LanguageModelV4Message[] = [];
  readonly tools: LanguageModelV4FunctionTool[] = [];
  readonly options: Mutable<SharedOptions>;
  readonly extras: Record<string, Record<string, JSONValue>> = {};
  readonly omitted: string[] = [];
  readonly textTools = new Set<string>();
  refused: string | null = null;
  anyJson: string | null = null;
  /** The tools that the model may call in this turn; null: all of them. */
  #allowed: { readonly names: ReadonlySet<string>; readonly field: string } | null = null;
  /** The names of tools by the ids of their calls: results name only the call. */
  readonly #names = new Map<string, string>();

  /** `known`: the fields that are read, or that mean nothing to another target. */
  constructor(body: JsonObject, known: readonly string[]) {
    this.options = { prompt: this.messages };
    this.others(body, known);
  }

  /** Names the fields of this part of the request that no reader knows. */
  others(holder: JsonObject, known: readonly string[], prefix = ""): void {
    for (const field in holder)
      if (!known.includes(field) && isSet(holder[field])) this.omitted.push(`${prefix}${field}`);
  }

  refuse(why: string): void {
    this.refused ??= why;
  }

  /** Numbers under their names in the shared form. */
  numbers(given: Partial<Record<NumberOption, unknown>>): void {
    for (const name of Object.keys(given) as NumberOption[]) {
      const number = numberOrNull(given[name]);
      if (number !== null) this.options[name] = number;
    }
  }

  stops(given: unknown): void {
    const stops = (typeof given === "string" ? [given] : listOf(given)).map(textOf).filter((text) => text !== "");
    if (stops.length > 0) this.options.stopSequences = stops;
  }

  /** False when it names no effort that all dialects know. */
  effort(value: unknown): boolean {
    const text = textOf(value).toLowerCase();
    if (!EFFORTS.has(text)) return false;
    this.options.reasoning = text as Effort;
    return true;
  }

  toolChoice(choice: "auto" | "none" | "required" | { readonly toolName: string }): void {
    this.options.toolChoice = typeof choice === "string" ? { type: choice } : { type: "tool", ...choice };
  }

  /** Other dialects cannot allow some of the tools, so they get no others. `field`: what says so, which is named if tools are left out. */
  allowOnly(names: readonly string[], field: string): void {
    if (names.length > 0) this.#allowed = { names: new Set(names), field };
  }

  oneCallAtATime(): void {
    this.extra("openai", { parallelToolCalls: false });
    this.extra("anthropic", { disableParallelToolUse: true });
  }

  user(content: UserPart[]): void {
    if (content.length > 0) this.messages.push({ role: "user", content });
  }

  /** As `fileAt`. A file that only its own vendor has stored makes the request one to refuse. */
  file(what: string, address: string, mediaType: string, filename?: string): LanguageModelV4FilePart | null {
    const file = fileAt(address, mediaType, filename);
    if (file === null) this.refuse(`${what} is neither in the request nor at an address that another vendor can read`);
    return file;
  }

  system(text: string, providerOptions?: SharedV4ProviderOptions): void {
    if (text !== "") this.messages.push({ role: "system", content: text, ...withOptions(providerOptions) });
  }

  tool(
    name: string,
    description: unknown,
    schema: unknown,
    strict?: unknown,
    providerOptions?: SharedV4ProviderOptions,
  ): void {
    this.tools.push({
      type: "function",
      name,
      inputSchema: isMap(schema) ? schema : { type: "object", properties: {} },
      ...(textOf(description) === "" ? {} : { description: textOf(description) }),
      ...(typeof strict === "boolean" ? { strict } : {}),
      ...withOptions(providerOptions),
    });
  }

  /** A tool whose input is a text: other dialects give it as one field. */
  textTool(name: string, description: unknown): void {
    this.textTools.add(name);
    this.tool(name, description, { type: "object", properties: { input: { type: "string" } }, required: ["input"] });
  }

  called(id: string, name: string): void {
    this.#names.set(id, name);
  }

  /** Results of calls follow each other in one message. */
  result(id: string, output: LanguageModelV4ToolResultPart["output"], name = this.#names.get(id) ?? "unknown"): void {
    const part: LanguageModelV4ToolResultPart = { type: "tool-result", toolCallId: id, toolName: name, output };
    const last = this.messages.at(-1);
    if (last?.role === "tool") last.content.push(part);
    else this.messages.push({ role: "tool", content: [part] });
  }

  extra(vendor: string, options: Readonly<Record<string, JSONValue>>): void {
    this.extras[vendor] = { ...this.extras[vendor], ...options };
  }

  /** `strict`: OpenAI's field. Without it, OpenAI's dialects must not refuse schemas that are fine elsewhere. */
  json(schema: unknown, { name, description, strict }: JsonFormat = {}): void {
    this.extra("openai", { strictJsonSchema: strict === true });
    this.options.responseFormat = {
      type: "json",
      ...(isMap(schema) ? { schema } : {}),
      ...(textOf(name) === "" ? {} : { name: textOf(name) }),
      ...(textOf(description) === "" ? {} : { description: textOf(description) }),
    };
  }

  /** JSON in any shape. `field`: what asks for it, which is named if a target's dialect cannot. */
  jsonOfAnyShape(field: string): void {
    this.anyJson = field;
    this.json(undefined);
  }

  done(): ReadRequest {
    const allowed = this.#allowed;
    const tools = allowed === null ? this.tools : this.tools.filter(({ name }) => allowed.names.has(name));
    if (allowed !== null && tools.length < this.tools.length) this.omitted.push(allowed.field);
    if (tools.length > 0) this.options.tools = tools;
    else delete this.options.toolChoice;
    const { options, extras, refused, textTools, anyJson } = this;
    // The names are the client's own words, and the ledger keeps them.
    const omitted = this.omitted.slice(0, MAX_OMITTED).map((name) => name.slice(0, MAX_OMITTED_LENGTH).toWellFormed());
    return { options, extras, omitted, refused, textTools, anyJson };
  }
}

interface JsonFormat {
  readonly name?: unknown;
  readonly description?: unknown;
  readonly strict?: unknown;
}

const MAX_OMITTED = 50;
const MAX_OMITTED_LENGTH = 100;

function isSet(value: unknown): boolean {
  return value !== null && value !== undefined && !(Array.isArray(value) && value.length === 0);
}

function withOptions(providerOptions: SharedV4ProviderOptions | undefined): {
  providerOptions?: SharedV4ProviderOptions;
} {
  return providerOptions === undefined ? {} : { providerOptions };
}

const EFFORTS: ReadonlySet<string> = new Set(["none", "minimal", "low", "medium", "high", "xhigh", "max"]);

/** How hard a model should think that may spend this many tokens on it. */
export function effortFor(budgetTokens: number): Effort {
  if (budgetTokens === 0) return "none";
  if (budgetTokens < 0) return "medium";
  if (budgetTokens < 4_096) return "low";
  return budgetTokens < 16_384 ? "medium" : "high";
}

export function textPart(text: string, providerOptions?: SharedV4ProviderOptions): LanguageModelV4TextPart {
  return { type: "text", text, ...withOptions(providerOptions) };
}

/** Google's proof that it made a part of an answer, which it wants back with that part. */
export function signedByGoogle(signature: string): { providerOptions?: SharedV4ProviderOptions } {
  return signature === "" ? {} : { providerOptions: { google: { thoughtSignature: signature } } };
}

/** A text, or the parts in a list of them. */
export function partsOf(content: unknown, read: (part: JsonObject) => UserPart | null): UserPart[] {
  return typeof content === "string" ? [textPart(content)] : objectsOf(content).flatMap((part) => read(part) ?? []);
}

/** A file given by an address, which may contain the data itself. Null if it is neither. */
function fileAt(address: string, mediaType: string, filename?: string): LanguageModelV4FilePart | null {
  const inline = /^data:([^;,]+)?(?:;[^,]*)?,/i.exec(address);
  if (inline !== null) return fileOf(address.slice(inline[0].length), inline[1] ?? mediaType, filename);
  const url = URL.parse(address);
  return url === null
    ? null
    : { type: "file", mediaType, data: { type: "url", url }, ...(filename ? { filename } : {}) };
}

export function fileOf(data: string, mediaType: string, filename?: string): LanguageModelV4FilePart {
  return { type: "file", mediaType, data: { type: "data", data }, ...(filename ? { filename } : {}) };
}

/** The input of a call, which some dialects write as text. Others accept objects only, but a model may have written something else. */
export function inputOf(given: unknown): JsonObject {
  if (given === undefined || given === null) return {};
  if (typeof given === "string" && NO_INPUT.test(given)) return {};
  const read = typeof given === "string" ? (parseJson(given) ?? given) : given;
  return objectOf(read) ?? { input: read };
}

const NO_INPUT = /^\s*(?:null\s*)?$/;

/** Adds parts to a result. */
export function withParts(
  output: LanguageModelV4ToolResultPart["output"],
  parts: readonly UserPart[],
): LanguageModelV4ToolResultPart["output"] {
  if (parts.length === 0) return output;
  const isText = output.type === "text" || output.type === "error-text";
  const said = isText ? [textPart(output.value)] : output.type === "content" ? output.value : [];
  return { type: "content", value: [...said, ...parts] };
}

/** A result as text, or as the parts it has. */
export function outputOf(
  given: unknown,
  isError: boolean,
  partOf: (part: JsonObject) => UserPart | null,
): LanguageModelV4ToolResultPart["output"] {
  if (!Array.isArray(given)) {
    const value =
      typeof given === "string" ? given : given === undefined || given === null ? "" : JSON.stringify(given);
    return { type: isError ? "error-text" : "text", value };
  }
  const parts = given.flatMap((part) => partOf(objectOf(part) ?? {}) ?? []);
  if (parts.every((part) => part.type === "text")) {
    return { type: isError ? "error-text" : "text", value: parts.map(({ text }) => text).join("\n") };
  }
  return { type: "content", value: parts };
}
