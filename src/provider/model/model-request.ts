// One request to a chain of models: the AI SDK's call options, the sink of a stream, the state shared between attempts, and what a walk
// over the request finds that a target must be able to do.

import type {
  LanguageModelV4CallOptions,
  LanguageModelV4GenerateResult,
  LanguageModelV4Message,
} from "@ai-sdk/provider";
import type { ChainRequest } from "../../runtime/tool/tool.ts";
import { isFailure, repeatsIn } from "../portable/repeated-calls.ts";
import type { Portable } from "../portable/rules.ts";
import type { StreamSink } from "./stream-sink.ts";
import type { ContentTally } from "./tally.ts";
import { type Capability, filesAt } from "../model-facts/capability.ts";
import type { ModelFacts } from "../model-facts/facts-for.ts";
import { isForeignThought } from "../portable/provider-options.ts";
import { isAnsweredHere } from "../portable/tools.ts";

export interface RequestMemory {
  /** The text of the last unusable answer, which goes into the next prompt. */
  lastAnswer: string;
  /** The full answer, including the parts that a journal does not record. */
  result: LanguageModelV4GenerateResult | null;
  /** The content streamed so far, across attempts that continue each other; null before the first. */
  tally: ContentTally | null;
}

const NO_NAMES: ReadonlyMap<string, string> = new Map();
const NO_REPEATS = { toolName: "", count: 0 };

export class ModelRequest implements ChainRequest {
  readonly options: LanguageModelV4CallOptions;
  /** null when the answer is not streamed. */
  readonly sink: StreamSink | null;
  /** Shared by all forms of this request; never recorded. */
  readonly memory: RequestMemory;
  /** The caller's options, before they were adapted to a target. */
  readonly given: LanguageModelV4CallOptions;
  /** The tool names that are sent, mapped to the caller's own names. */
  readonly toolNames: ReadonlyMap<string, string>;
  private walked: RequestWalk | null = null;

  constructor(
    options: LanguageModelV4CallOptions,
    sink: StreamSink | null,
    memory: RequestMemory = { lastAnswer: "", result: null, tally: null },
    given: LanguageModelV4CallOptions = options,
    toolNames: ReadonlyMap<string, string> = NO_NAMES,
  ) {
    this.options = options;
    this.sink = sink;
    this.memory = memory;
    this.given = given;
    this.toolNames = toolNames;
  }

  /** The facts found in one walk over the request. */
  get walk(): RequestWalk {
    return (this.walked ??= walkRequest(this.options));
  }

  /** How often the last tool call has failed in a row with the same arguments. With at most one failure there is nothing to count. */
  get repeats(): ReturnType<typeof repeatsIn> {
    return this.walk.mostFailures > 1 ? repeatsIn(this.options.prompt) : NO_REPEATS;
  }

  /** An estimate of its tokens, including the part of the answer that it continues. */
  tokens(continuedCharacters = 0): number {
    return estimateTokens(this.walk, continuedCharacters);
  }

  get isStreaming(): boolean {
    return this.sink !== null;
  }

  get isContinuation(): boolean {
    return this.sink !== null && this.sink.continuable !== null;
  }

  get hedging(): NonNullable<ChainRequest["hedging"]> {
    const mayRepeat = (this.options.tools ?? []).every(({ type }) => type === "function");
    return { isStream: this.isStreaming, mayRepeat };
  }

  /** The same request with other options. */
  with(options: LanguageModelV4CallOptions): ModelRequest {
    return options === this.options ? this : new ModelRequest(options, this.sink, this.memory);
  }

  /** The same request, adapted to its target. */
  fitted({ options, toolNames }: Portable): ModelRequest {
    return options === this.options ? this : new ModelRequest(options, this.sink, this.memory, this.options, toolNames);
  }

  /**
   * The options to send. When a broken stream is continued, they include the text that the caller has seen, without the white space at
   * its end. Some targets would strip it and some would not; this way every target writes it again.
   */
  get sent(): LanguageModelV4CallOptions {
    const text = this.sink?.continuable?.trimEnd() ?? "";
    if (text === "") return this.options;
    return {
      ...this.options,
      prompt: [...this.options.prompt, { role: "assistant", content: [{ type: "text", text }] }],
    };
  }

  /** Restores the changes that an earlier process made to this request. */
  revived(kept: unknown): ModelRequest {
    const { asked } = kept as { readonly asked: LanguageModelV4CallOptions };
    return this.with({ ...this.options, ...asked });
  }

  /** The form that journals and digests get: without headers, which contain keys, and without the state of this process. */
  toJSON(): unknown {
    return { streaming: this.isStreaming, asked: { ...this.options, headers: undefined, abortSignal: undefined } };
  }
}

// One walk over a request finds everything a chain needs to know: the capabilities it requires, its size, and whether a target accepts
// it unchanged, which is almost always the case. The walk runs once, on first use. It copies nothing and calls few functions, because a
// request is new to the processor's cache, where each extra function costs more than its work. Sizes are estimated from lengths, because
// only the vendor's tokenizer knows the exact number.

type Part = Exclude<LanguageModelV4Message["content"], string>[number];
type ToolCall = Extract<Part, { type: "tool-call" }>;
type FileLike = Pick<Extract<Part, { type: "file" }>, "data" | "mediaType">;
type ToolOutput = Extract<Part, { type: "tool-result" }>["output"];

export interface RequestWalk {
  characters: number;
  /** Estimated tokens of files that are not text. */
  fileTokens: number;
  usesTools: boolean;
  readonly files: FileLike[];
  /** Names of the tools that are offered or called. */
  readonly toolNames: string[];
  readonly calls: ToolCall[];
  readonly thoughts: Part[];
  /** Call ids are unique, each call has its result right after its message, each result has its call, and all part types are known. */
  isOrderly: boolean;
  /** The longest run of failed tool results. */
  mostFailures: number;
}

/** Calls that have no result yet. Several may have the same id. */
class OpenCalls {
  #counts: Map<string, number> | null = null;
  size = 0;

  add(id: string): void {
    this.#counts ??= new Map();
    this.#counts.set(id, (this.#counts.get(id) ?? 0) + 1);
    this.size += 1;
  }

  /** False when no call of this id is open. */
  answer(id: string): boolean {
    const left = this.#counts?.get(id) ?? 0;
    if (left === 0) return false;
    this.#counts?.set(id, left - 1);
    this.size -= 1;
    return true;
  }
}

export function walkRequest({ prompt, tools, responseFormat }: LanguageModelV4CallOptions): RequestWalk {
  const walk: RequestWalk = {
    characters: responseFormat?.type === "json" ? charactersInSchema(responseFormat.schema) : 0,
    fileTokens: 0,
    usesTools: tools !== undefined && tools.length > 0,
    files: [],
    toolNames: [],
    calls: [],
    thoughts: [],
    isOrderly: true,
    mostFailures: 0,
  };
  for (let at = 0, tool; (tool = tools?.[at]) !== undefined; at++) {
    if (tool.type === "function") walk.toolNames.push(tool.name);
    walk.characters += charactersInTool(tool);
  }
  const open = new OpenCalls();
  /** Ids of all calls; null before the first. */
  let ids: Set<string> | null = null;
  let failures = 0;
  for (let at = 0, message; (message = prompt[at]) !== undefined; at++) {
    if (message.role === "system") {
      walk.characters += message.content.length;
      continue;
    }
    if (open.size > 0 && message.role !== "tool") walk.isOrderly = false;
    const parts: readonly Part[] = message.content;
    for (let each = 0, part; (part = parts[each]) !== undefined; each++) {
      switch (part.type) {
        case "text":
          walk.characters += part.text.length;
          break;
        case "file":
          addFile(walk, part);
          break;
        case "reasoning":
          walk.thoughts.push(part);
          walk.characters += part.text.length;
          break;
        case "tool-call":
          walk.usesTools = true;
          ids ??= new Set();
          if (ids.has(part.toolCallId)) walk.isOrderly = false;
          ids.add(part.toolCallId);
          open.add(part.toolCallId);
          walk.calls.push(part);
          walk.toolNames.push(part.toolName);
          walk.characters += part.toolName.length + charactersIn(part.input);
          break;
        case "tool-result": {
          walk.usesTools = true;
          if (message.role !== "tool" || !open.answer(part.toolCallId)) walk.isOrderly = false;
          walk.toolNames.push(part.toolName);
          failures = isFailure(part.output) ? failures + 1 : 0;
          if (failures > walk.mostFailures) walk.mostFailures = failures;
          addOutput(walk, part.output);
          break;
        }
        default:
          walk.isOrderly = false;
      }
    }
  }
  if (open.size > 0) walk.isOrderly = false;
  return walk;
}

/** Tools can return files, too. */
function addOutput(walk: RequestWalk, output: ToolOutput): void {
  if (output.type !== "content") {
    walk.characters += charactersIn("value" in output ? output.value : output.reason);
    return;
  }
  for (const item of output.value) {
    if (item.type === "text") walk.characters += item.text.length;
    else if (item.type === "file") addFile(walk, item);
  }
}

function addFile(walk: RequestWalk, file: FileLike): void {
  walk.files.push(file);
  if (file.data.type === "text") walk.characters += file.data.text.length;
  else walk.fileTokens += mediaOf(file.mediaType).tokensAtLeast;
}

export interface ModelNeeds {
  readonly needs: readonly string[];
  /** A lower bound: the request does not fit into a smaller context window. */
  readonly inputTokensAtLeast: number;
}

/** A schema for the answer is not a requirement, because an SDK can make any model answer in JSON. */
export function needsOf({ usesTools, files, ...size }: RequestWalk, streaming: boolean): ModelNeeds {
  const needs: string[] = [];
  if (streaming) needs.push("streaming");
  if (usesTools) needs.push("tools");
  if (files.length > 0) needs.push(...new Set(files.flatMap(needsOfFile)));
  return { needs, inputTokensAtLeast: Math.floor(tokensIn(size, LONG_TOKEN_CHARACTERS)) };
}

/** Estimates the tokens of a request plus `addedCharacters`: text by its length, images and other files by a small flat number. */
export function estimateTokens({ characters, fileTokens }: RequestWalk, addedCharacters = 0): number {
  return Math.ceil(tokensIn({ characters: characters + addedCharacters, fileTokens }, TYPICAL_TOKEN_CHARACTERS));
}

/**
 * Whether the target accepts a request unchanged: it has the capabilities, its context window is large enough, it accepts the tool
 * names and ids, no reasoning comes from another vendor, and no call fails repeatedly. Unclear cases return false and are left to
 * the portability rules.
 */
export function passesThrough(walk: RequestWalk, isStreaming: boolean, facts: ModelFacts): boolean {
  const { calls, thoughts, toolNames, files } = walk;
  const { capabilities, toolCallIds, contextWindowTokens } = facts;
  if (!walk.isOrderly || walk.mostFailures > 1) return false;
  if (isStreaming && !capabilities.includes("streaming")) return false;
  if (walk.usesTools && !capabilities.includes("tools")) return false;
  if (tokensIn(walk, LONG_TOKEN_CHARACTERS) > contextWindowTokens) return false;
  for (let at = 0, name; (name = toolNames[at]) !== undefined; at++) if (!facts.toolNames.test(name)) return false;
  for (let at = 0, call; (call = calls[at]) !== undefined; at++) {
    if (!isAnsweredHere(call, facts) || toolCallIds?.test(call.toolCallId) === false) return false;
  }
  for (let at = 0, part; (part = thoughts[at]) !== undefined; at++) if (isForeignThought(part, facts)) return false;
  return files.every((file) => needsOfFile(file).every((need) => capabilities.includes(need)));
}

/** English prose and code have about four characters per token … */
const TYPICAL_TOKEN_CHARACTERS = 4;
/** … and hardly any text has more than six. */
const LONG_TOKEN_CHARACTERS = 6;

function tokensIn(
  { characters, fileTokens }: Pick<RequestWalk, "characters" | "fileTokens">,
  perToken: number,
): number {
  return characters / perToken + fileTokens;
}

/** By the first part of the media type; any other type is a document. */
const MEDIA: Readonly<Record<string, { readonly capability: Capability; readonly tokensAtLeast: number }>> = {
  image: { capability: "vision", tokensAtLeast: 85 }, // OpenAI's low detail
  audio: { capability: "audio", tokensAtLeast: 32 }, //  Gemini, one second
  video: { capability: "video", tokensAtLeast: 66 }, //  Gemini, one second at low resolution
};
const DOCUMENT = { capability: "files", tokensAtLeast: 258 } as const; // Gemini, one page

function mediaOf(mediaType: string): { readonly capability: Capability; readonly tokensAtLeast: number } {
  const top = mediaType.split("/")[0]?.toLowerCase() ?? "";
  return Object.hasOwn(MEDIA, top) ? (MEDIA[top] ?? DOCUMENT) : DOCUMENT;
}

function needsOfFile({ data, mediaType }: FileLike): readonly string[] {
  const { capability } = mediaOf(mediaType);
  const keeper = soleKeeper(data);
  return keeper === null ? [capability] : [capability, filesAt(keeper)];
}

/** The only vendor that stores the file; null if the file is in the request, or stored at several vendors. */
function soleKeeper(data: FileLike["data"]): string | null {
  if (data.type !== "reference") return null;
  const keepers = Object.keys(data.reference);
  return keepers.length === 1 ? (keepers[0] ?? null) : null;
}

type OfferedTool = NonNullable<LanguageModelV4CallOptions["tools"]>[number];

function charactersInTool(tool: OfferedTool): number {
  if (tool.type !== "function") return charactersIn(tool);
  return tool.name.length + (tool.description?.length ?? 0) + charactersInSchema(tool.inputSchema);
}

/** Schemas are large, and programs send the same ones repeatedly. */
const COUNTED = new WeakMap<object, number>();

function charactersInSchema(schema: unknown): number {
  if (typeof schema !== "object" || schema === null) return charactersIn(schema);
  const known = COUNTED.get(schema);
  if (known !== undefined) return known;
  const characters = charactersIn(schema);
  COUNTED.set(schema, characters);
  return characters;
}

/** Counts the text in any value. It uses an explicit list instead of recursion, so depth and cycles do no harm. */
function charactersIn(value: unknown): number {
  if (typeof value === "string") return value.length;
  if (value === undefined) return 0;
  let characters = 0;
  // Nested objects. Most values are flat and never need this set.
  let inner: Set<object> | null = null;
  let holder: object | undefined = typeof value === "object" && value !== null ? value : [value];
  const open = [holder];
  while ((holder = open.pop()) !== undefined) {
    const isList = Array.isArray(holder);
    for (const key of Object.keys(holder)) {
      if (!isList) characters += key.length;
      const next = (holder as Readonly<Record<string, unknown>>)[key];
      if (typeof next === "string") characters += next.length;
      else if (typeof next === "number" || typeof next === "boolean") characters += 1;
      else if (typeof next === "object" && next !== null) {
        inner ??= new Set([value as object]);
        if (inner.has(next)) continue;
        inner.add(next);
        open.push(next);
      }
    }
  }
  return characters;
}
