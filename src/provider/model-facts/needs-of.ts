// What a request asks of a target: capabilities, and how large it is at the least. Sizes are estimates from lengths, because
// only the vendor's own tokenizer knows; they are good enough to pass over a target that is far too small.

import type { LanguageModelV4CallOptions, LanguageModelV4Message } from "@ai-sdk/provider";
import { filesAt, type Capability } from "./capability.ts";

export interface ModelNeeds {
  readonly needs: readonly string[];
  /** A low estimate: a window smaller than this cannot hold the request. */
  readonly inputTokensAtLeast: number;
}

/** A schema for the answer is no need: an SDK can make any model answer in JSON, so that is no reason to pass one over. */
export function needsOf(options: LanguageModelV4CallOptions, streaming: boolean): ModelNeeds {
  const needs: string[] = [];
  const { usesTools, files, ...size } = measure(options);
  if (streaming) needs.push("streaming");
  if (usesTools) needs.push("tools");
  if (files.length > 0) needs.push(...new Set(files.flatMap(needsOfFile)));
  return { needs, inputTokensAtLeast: Math.floor(tokensIn(size, LONG_TOKEN_CHARACTERS)) };
}

/** About how many tokens a request has: text by its length, images and other files by a small flat number. */
export function estimateTokens(options: LanguageModelV4CallOptions): number {
  return Math.ceil(tokensIn(measure(options), TYPICAL_TOKEN_CHARACTERS));
}

/** English prose and code have about four characters to a token … */
const TYPICAL_TOKEN_CHARACTERS = 4;
/** … and hardly any text has more than six. */
export const LONG_TOKEN_CHARACTERS = 6;

/** By what a media type begins with; anything else is a document. */
const MEDIA: Readonly<Record<string, { readonly capability: Capability; readonly tokensAtLeast: number }>> = {
  image: { capability: "vision", tokensAtLeast: 85 }, // OpenAI's low detail
  audio: { capability: "audio", tokensAtLeast: 32 }, //  Gemini, one second
  video: { capability: "video", tokensAtLeast: 66 }, //  Gemini, one second at low resolution
};
const DOCUMENT = { capability: "files", tokensAtLeast: 258 } as const; // Gemini, one page

type Part = Exclude<LanguageModelV4Message["content"], string>[number];
type FilePart = Extract<Part, { type: "file" }>;
export type FileLike = Pick<FilePart, "data" | "mediaType">;

type Output = Extract<Part, { type: "tool-result" }>["output"];

function mediaOf(mediaType: string): { readonly capability: Capability; readonly tokensAtLeast: number } {
  const top = mediaType.split("/")[0]?.toLowerCase() ?? "";
  return Object.hasOwn(MEDIA, top) ? (MEDIA[top] ?? DOCUMENT) : DOCUMENT;
}

export function needsOfFile({ data, mediaType }: FileLike): readonly string[] {
  const { capability } = mediaOf(mediaType);
  const keeper = soleKeeper(data);
  return keeper === null ? [capability] : [capability, filesAt(keeper)];
}

/** The one vendor that keeps a file; null when it is in the request, or kept at several. */
function soleKeeper(data: FileLike["data"]): string | null {
  if (data.type !== "reference") return null;
  const keepers = Object.keys(data.reference);
  return keepers.length === 1 ? (keepers[0] ?? null) : null;
}

interface Measured {
  characters: number;
  /** Of files that are not text. */
  fileTokens: number;
  usesTools: boolean;
  files: FileLike[];
}

function tokensIn({ characters, fileTokens }: Pick<Measured, "characters" | "fileTokens">, perToken: number): number {
  return characters / perToken + fileTokens;
}

/** One walk, by index: every call takes it, and most programs make too few for it ever to be compiled. */
function measure({ prompt, tools = [], responseFormat }: LanguageModelV4CallOptions): Measured {
  const measured: Measured = { characters: 0, fileTokens: 0, usesTools: tools.length > 0, files: [] };
  if (responseFormat?.type === "json") measured.characters += charactersInSchema(responseFormat.schema);
  for (let at = 0, tool; (tool = tools[at]) !== undefined; at++) measured.characters += charactersInTool(tool);
  for (let at = 0, message; (message = prompt[at]) !== undefined; at++) {
    if (message.role === "system") measured.characters += message.content.length;
    else measureParts(measured, message.content);
  }
  return measured;
}

function measureParts(measured: Measured, parts: readonly Part[]): void {
  for (let at = 0, part; (part = parts[at]) !== undefined; at++) {
    switch (part.type) {
      case "text":
      case "reasoning":
        measured.characters += part.text.length;
        break;
      case "tool-call":
        measured.usesTools = true;
        measured.characters += part.toolName.length + charactersIn(part.input);
        break;
      case "tool-result":
        measured.usesTools = true;
        measureOutput(measured, part.output);
        break;
      case "file":
        measureFile(measured, part);
        break;
      default:
    }
  }
}

/** Tools hand files over too. */
function measureOutput(measured: Measured, output: Output): void {
  if (output.type !== "content") {
    measured.characters += charactersIn("value" in output ? output.value : output.reason);
    return;
  }
  for (const item of output.value) {
    if (item.type === "text") measured.characters += item.text.length;
    else if (item.type === "file") measureFile(measured, item);
  }
}

function measureFile(measured: Measured, file: FileLike): void {
  measured.files.push(file);
  if (file.data.type === "text") measured.characters += file.data.text.length;
  else measured.fileTokens += mediaOf(file.mediaType).tokensAtLeast;
}

/** What a file takes of a window at the least, in characters. */
export function charactersInFile({ data, mediaType }: FileLike): number {
  return data.type === "text" ? data.text.length : mediaOf(mediaType).tokensAtLeast * LONG_TOKEN_CHARACTERS;
}

type Tool = NonNullable<LanguageModelV4CallOptions["tools"]>[number];

export function charactersInTool(tool: Tool): number {
  if (tool.type !== "function") return charactersIn(tool);
  return tool.name.length + (tool.description?.length ?? 0) + charactersInSchema(tool.inputSchema);
}

/** Schemas are large, and programs send the same ones again and again. */
const COUNTED = new WeakMap<object, number>();

export function charactersInSchema(schema: unknown): number {
  if (typeof schema !== "object" || schema === null) return charactersIn(schema);
  const known = COUNTED.get(schema);
  if (known !== undefined) return known;
  const characters = charactersIn(schema);
  COUNTED.set(schema, characters);
  return characters;
}

/** The text in a value of any shape. Counted with a list of our own, so that neither depth nor a ring in it can hurt. */
export function charactersIn(value: unknown): number {
  if (typeof value === "string") return value.length;
  if (value === undefined) return 0;
  if (typeof value === "string") return value.length;
  let characters = 0;
  // Most values are flat: those that are not have their inner ones listed here.
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
