// What a request asks of a target: capabilities, and how large it is at the least. Sizes are estimates from lengths, because
// only the vendor's own tokenizer knows; they are good enough to pass over a target that is far too small.

import type { LanguageModelV4CallOptions, LanguageModelV4Message } from "@ai-sdk/provider";
import { filesAt, type Capability } from "./capability.ts";

export interface RequestNeeds {
  readonly needs: readonly string[];
  /** A low estimate: a window smaller than this cannot hold the request. */
  readonly inputTokensAtLeast: number;
}

export function needsOf(options: LanguageModelV4CallOptions, streaming: boolean): RequestNeeds {
  const needs = new Set<string>();
  if (streaming) needs.add("streaming");
  if ((options.tools ?? []).length > 0) needs.add("tools");
  if (options.responseFormat?.type === "json" && options.responseFormat.schema !== undefined) needs.add("json-schema");
  for (const message of options.prompt) {
    for (const part of partsOf(message)) {
      if (part.type === "tool-call" || part.type === "tool-result") needs.add("tools");
      for (const file of filesIn(part)) {
        needs.add(capabilityFor(file.mediaType));
        const keeper = soleKeeper(file.data);
        if (keeper !== null) needs.add(filesAt(keeper));
      }
    }
  }
  return { needs: [...needs], inputTokensAtLeast: Math.floor(sizeOf(options, LONG_TOKEN_CHARACTERS)) };
}

/** About how many tokens a request has: text by its length, images and other files by a small flat number. */
export function estimateTokens(options: LanguageModelV4CallOptions): number {
  return Math.ceil(sizeOf(options, TYPICAL_TOKEN_CHARACTERS));
}

/** English prose and code have about four characters to a token … */
const TYPICAL_TOKEN_CHARACTERS = 4;
/** … and hardly any text has more than six. */
const LONG_TOKEN_CHARACTERS = 6;

/** By what a media type begins with; anything else is a document. */
const MEDIA: Readonly<Record<string, { readonly capability: Capability; readonly tokensAtLeast: number }>> = {
  image: { capability: "vision", tokensAtLeast: 85 }, // OpenAI's low detail
  audio: { capability: "audio", tokensAtLeast: 32 }, //  Gemini, one second
  video: { capability: "video", tokensAtLeast: 66 }, //  Gemini, one second at low resolution
};
const DOCUMENT = { capability: "files", tokensAtLeast: 258 } as const; // Gemini, one page

type Part = Exclude<LanguageModelV4Message["content"], string>[number];
type FilePart = Extract<Part, { type: "file" }>;
type FileLike = Pick<FilePart, "data" | "mediaType">;

const NONE: readonly never[] = [];

function partsOf(message: LanguageModelV4Message): readonly Part[] {
  return message.role === "system" ? NONE : message.content;
}

/** Tools hand files over too. */
function filesIn(part: Part): readonly FileLike[] {
  if (part.type === "file") return [part];
  if (part.type !== "tool-result" || part.output.type !== "content") return NONE;
  return part.output.value.filter((item) => item.type === "file");
}

function mediaOf(mediaType: string): { readonly capability: Capability; readonly tokensAtLeast: number } {
  const top = mediaType.split("/")[0]?.toLowerCase() ?? "";
  return Object.hasOwn(MEDIA, top) ? (MEDIA[top] ?? DOCUMENT) : DOCUMENT;
}

function capabilityFor(mediaType: string): Capability {
  return mediaOf(mediaType).capability;
}

/** The one vendor that keeps a file; null when it is in the request, or kept at several. */
function soleKeeper(data: FileLike["data"]): string | null {
  if (data.type !== "reference") return null;
  const keepers = Object.keys(data.reference);
  return keepers.length === 1 ? (keepers[0] ?? null) : null;
}

function sizeOf({ prompt, tools, responseFormat }: LanguageModelV4CallOptions, charactersPerToken: number): number {
  let characters = responseFormat?.type === "json" ? charactersInSchema(responseFormat.schema) : 0;
  for (const tool of tools ?? NONE) characters += charactersInTool(tool);
  let fileTokens = 0;
  for (const message of prompt) {
    if (message.role === "system") characters += message.content.length;
    for (const part of partsOf(message)) {
      characters += charactersOf(part);
      for (const file of filesIn(part)) fileTokens += tokensOfFile(file, charactersPerToken);
    }
  }
  return characters / charactersPerToken + fileTokens;
}

function charactersOf(part: Part): number {
  switch (part.type) {
    case "text":
    case "reasoning":
      return part.text.length;
    case "tool-call":
      return part.toolName.length + charactersIn(part.input);
    case "tool-result":
      return part.output.type === "content"
        ? part.output.value.reduce((sum, item) => sum + (item.type === "text" ? item.text.length : 0), 0)
        : charactersIn("value" in part.output ? part.output.value : part.output.reason);
    default:
      return 0;
  }
}

function tokensOfFile({ data, mediaType }: FileLike, charactersPerToken: number): number {
  return data.type === "text" ? data.text.length / charactersPerToken : mediaOf(mediaType).tokensAtLeast;
}

type Tool = NonNullable<LanguageModelV4CallOptions["tools"]>[number];

function charactersInTool(tool: Tool): number {
  if (tool.type !== "function") return charactersIn(tool);
  return tool.name.length + (tool.description?.length ?? 0) + charactersInSchema(tool.inputSchema);
}

/** Schemas are large, and programs send the same ones again and again. */
const COUNTED = new WeakMap<object, number>();

function charactersInSchema(schema: unknown): number {
  if (typeof schema !== "object" || schema === null) return charactersIn(schema);
  const characters = COUNTED.get(schema) ?? charactersIn(schema);
  COUNTED.set(schema, characters);
  return characters;
}

/** The text in a value of any shape. Counted with a list of our own, so that neither depth nor a ring in it can hurt. */
function charactersIn(value: unknown): number {
  if (value === undefined) return 0;
  if (typeof value === "string") return value.length;
  let characters = 0;
  const seen = new Set<object>();
  const open: unknown[] = [value];
  while (open.length > 0) {
    const next = open.pop();
    if (typeof next === "string") characters += next.length;
    else if (typeof next === "number" || typeof next === "boolean") characters += 1;
    else if (typeof next === "object" && next !== null && !seen.has(next)) {
      seen.add(next);
      const isList = Array.isArray(next);
      for (const key of Object.keys(next)) {
        if (!isList) characters += key.length;
        open.push((next as Readonly<Record<string, unknown>>)[key]);
      }
    }
  }
  return characters;
}
