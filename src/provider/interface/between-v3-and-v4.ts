// The interfaces of AI SDK 6 (v3) and AI SDK 7 (v4): how a model of one looks as a model of the other. v4 wraps the data of files, and
// knows parts that v3 does not have.

import type {
  LanguageModelV3CallOptions,
  LanguageModelV3Content,
  LanguageModelV3DataContent,
  LanguageModelV3FinishReason,
  LanguageModelV3Message,
  LanguageModelV3ToolResultOutput,
  LanguageModelV4CallOptions,
  LanguageModelV4Content,
  LanguageModelV4FinishReason,
  LanguageModelV4Message,
  LanguageModelV4ToolResultOutput,
  SharedV3Warning,
  SharedV4FileData,
  SharedV4Warning,
} from "@ai-sdk/provider";
import type { Step } from "./between-v2-and-v3.ts";

const same = (given: never): never => given;

export const V3_AS_V4: Step = {
  version: "v4",
  request: requestForV3,
  part: (part) => (isFile<LanguageModelV3Content>(part) ? { ...part, data: { type: "data", data: part.data } } : part),
  finishReason: same,
  usage: same,
  warning: same,
};

/** What only v4 has. A caller with an older interface would not know what to do with it. */
const NEW_PARTS = ["custom", "reasoning-file", "ping"];

export const V4_AS_V3: Step = {
  version: "v3",
  request: requestForV4,
  part: (part) => {
    if (NEW_PARTS.includes(part.type)) return null;
    if (!isFile<LanguageModelV4Content>(part)) return part;
    // v3 gives the bytes of a file, and these are elsewhere.
    return part.data.type === "url" ? null : { ...part, data: part.data.data };
  },
  finishReason: ({ unified, raw }: LanguageModelV4FinishReason): LanguageModelV3FinishReason => ({
    unified: unified === "interrupted" ? "other" : unified,
    raw,
  }),
  usage: same,
  warning: (warning: SharedV4Warning): SharedV3Warning =>
    warning.type === "deprecated" ? { type: "other", message: `${warning.setting}: ${warning.message}` } : warning,
};

function isFile<Content extends { readonly type: string }>(part: {
  readonly type: string;
}): part is Extract<Content, { type: "file" }> {
  return part.type === "file";
}

/** v3 has no `reasoning`; models ignore what they do not know. */
function requestForV3(options: LanguageModelV4CallOptions): LanguageModelV3CallOptions {
  return { ...options, prompt: options.prompt.map(messageForV3) };
}

function messageForV3(message: LanguageModelV4Message): LanguageModelV3Message {
  if (message.role === "system") return message;
  const content = message.content.flatMap((part): readonly object[] => {
    if (NEW_PARTS.includes(part.type)) return [];
    if (part.type === "file") return [{ ...part, data: dataForV3(part.data) }];
    return [part.type === "tool-result" ? { ...part, output: outputForV3(part.output) } : part];
  });
  return { ...message, content } as LanguageModelV3Message;
}

function dataForV3(data: SharedV4FileData): LanguageModelV3DataContent {
  if (data.type === "data") return data.data;
  if (data.type === "url") return data.url;
  return new TextEncoder().encode(data.type === "text" ? data.text : JSON.stringify(data.reference));
}

/** v3 may name a file by an id alone. v4 names its provider as well, and chains look for a target of that provider. */
const BARE_ID: unique symbol = Symbol("id of a file");

interface BareReference {
  readonly [BARE_ID]?: string;
}

function outputForV3(output: LanguageModelV4ToolResultOutput): LanguageModelV3ToolResultOutput {
  if (output.type !== "content") return output;
  const value = output.value.map((part) => {
    if (part.type !== "file") return part;
    const { data, mediaType, filename, providerOptions } = part;
    const about = providerOptions === undefined ? {} : { providerOptions };
    if (data.type === "url") return { type: "file-url" as const, url: String(data.url), ...about };
    if (data.type === "reference") {
      const fileId = (data.reference as BareReference)[BARE_ID] ?? data.reference;
      return { type: "file-id" as const, fileId, ...about };
    }
    if (data.type === "text") return { type: "text" as const, text: data.text, ...about };
    const named = filename === undefined ? {} : { filename };
    return { type: "file-data" as const, data: base64Of(data.data), mediaType, ...named, ...about };
  });
  return { ...output, value };
}

function base64Of(data: string | Uint8Array): string {
  return typeof data === "string" ? data : Buffer.from(data).toString("base64");
}

function requestForV4(options: LanguageModelV3CallOptions): LanguageModelV4CallOptions {
  return { ...options, prompt: options.prompt.map(messageForV4) };
}

function messageForV4(message: LanguageModelV3Message): LanguageModelV4Message {
  if (message.role === "system") return message;
  const content = message.content.map((part): object => {
    if (part.type === "file") return { ...part, data: dataForV4(part.data) };
    return part.type === "tool-result" ? { ...part, output: outputForV4(part.output) } : part;
  });
  return { ...message, content } as LanguageModelV4Message;
}

function dataForV4(data: LanguageModelV3DataContent): SharedV4FileData {
  return data instanceof URL ? { type: "url", url: data } : { type: "data", data };
}

function outputForV4(output: LanguageModelV3ToolResultOutput): LanguageModelV4ToolResultOutput {
  if (output.type !== "content") return output;
  const value = output.value.map((part) => {
    if (part.type === "text" || part.type === "custom") return part;
    const { providerOptions } = part;
    const about = providerOptions === undefined ? {} : { providerOptions };
    return { type: "file" as const, ...fileForV4(part), ...about };
  });
  return { ...output, value };
}

type V3File = Exclude<
  Extract<LanguageModelV3ToolResultOutput, { type: "content" }>["value"][number],
  { type: "text" | "custom" }
>;

function fileForV4(part: V3File): { mediaType: string; data: SharedV4FileData; filename?: string } {
  if ("data" in part) {
    const { data, mediaType } = part;
    const named = part.type === "file-data" && part.filename !== undefined ? { filename: part.filename } : {};
    return { mediaType, data: { type: "data", data }, ...named };
  }
  const mediaType = part.type.startsWith("image") ? "image/*" : "application/octet-stream";
  if ("url" in part) return { mediaType, data: { type: "url", url: new URL(part.url) } };
  const reference = typeof part.fileId === "string" ? bareReference(part.fileId) : part.fileId;
  return { mediaType, data: { type: "reference", reference } };
}

function bareReference(id: string): Record<string, string> {
  const reference: BareReference = { [BARE_ID]: id };
  return reference as Record<string, string>;
}
