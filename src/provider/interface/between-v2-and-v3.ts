// The interfaces of AI SDK 5 (v2) and AI SDK 6 (v3): how a model of one looks as a model of the other.

import type {
  LanguageModelV2CallOptions,
  LanguageModelV2CallWarning,
  LanguageModelV2FinishReason,
  LanguageModelV2Message,
  LanguageModelV2ToolResultOutput,
  LanguageModelV2Usage,
  LanguageModelV3CallOptions,
  LanguageModelV3FinishReason,
  LanguageModelV3Message,
  LanguageModelV3ToolResultOutput,
  LanguageModelV3Usage,
  SharedV3Warning,
} from "@ai-sdk/provider";

/** How a model with one interface looks as a model of `version`. */
export interface Step {
  readonly version: string;
  /** What the caller asks, in the words of the model. */
  readonly request: (options: never) => object;
  /** A part of the answer, in the words of the caller; null for a part that the caller's interface does not have. */
  readonly part: (part: { readonly type: string }) => object | null;
  readonly finishReason: (reason: never) => unknown;
  readonly usage: (usage: never) => unknown;
  readonly warning: (warning: never) => unknown;
}

export const V2_AS_V3: Step = {
  version: "v3",
  request: requestForV2,
  part: (part) => part,
  finishReason: (reason: LanguageModelV2FinishReason): LanguageModelV3FinishReason => ({
    unified: reason === "unknown" ? "other" : reason,
    raw: undefined,
  }),
  usage: (usage: LanguageModelV2Usage): LanguageModelV3Usage => ({
    inputTokens: {
      total: usage.inputTokens,
      noCache: undefined,
      cacheRead: usage.cachedInputTokens,
      cacheWrite: undefined,
    },
    outputTokens: { total: usage.outputTokens, text: undefined, reasoning: usage.reasoningTokens },
  }),
  warning: (warning: LanguageModelV2CallWarning): SharedV3Warning => {
    if (warning.type === "other") return warning;
    const feature = warning.type === "unsupported-setting" ? String(warning.setting) : `tool ${warning.tool.name}`;
    const { details } = warning;
    return { type: "unsupported", feature, ...(details === undefined ? {} : { details }) };
  },
};

export const V3_AS_V2: Step = {
  version: "v2",
  request: requestForV3,
  // Approvals came with v3.
  part: (part) => (part.type === "tool-approval-request" ? null : part),
  finishReason: ({ unified }: LanguageModelV3FinishReason): LanguageModelV2FinishReason => unified,
  usage: ({ inputTokens, outputTokens }: LanguageModelV3Usage): LanguageModelV2Usage => ({
    inputTokens: inputTokens.total,
    outputTokens: outputTokens.total,
    totalTokens: sum(inputTokens.total, outputTokens.total),
    reasoningTokens: outputTokens.reasoning,
    cachedInputTokens: inputTokens.cacheRead,
  }),
  warning: (warning: SharedV3Warning): LanguageModelV2CallWarning =>
    warning.type === "other"
      ? warning
      : { type: "other", message: [warning.feature, warning.details].filter((text) => text !== undefined).join(": ") },
};

function sum(one: number | undefined, other: number | undefined): number | undefined {
  return one === undefined || other === undefined ? undefined : one + other;
}

function requestForV2(options: LanguageModelV3CallOptions): LanguageModelV2CallOptions {
  const tools = options.tools?.map((tool) => (tool.type === "provider" ? { ...tool, type: "provider-defined" } : tool));
  const prompt = options.prompt.map(messageForV2);
  return { ...options, prompt, ...(tools === undefined ? {} : { tools }) } as LanguageModelV2CallOptions;
}

function messageForV2(message: LanguageModelV3Message): LanguageModelV2Message {
  if (message.role === "system" || message.role === "user") return message as LanguageModelV2Message;
  const content = message.content.flatMap((part) => {
    if (part.type === "tool-approval-response") return [];
    return [part.type === "tool-result" ? { ...part, output: outputForV2(part.output) } : part];
  });
  return { ...message, content } as LanguageModelV2Message;
}

const DENIED = "the tool call was denied";

function outputForV2(output: LanguageModelV3ToolResultOutput): LanguageModelV2ToolResultOutput {
  if (output.type === "execution-denied") return { type: "error-text", value: output.reason ?? DENIED };
  if (output.type !== "content") return output;
  const value = output.value.map((part) => {
    if (part.type === "text") return { type: "text" as const, text: part.text };
    if (part.type === "file-data" || part.type === "image-data")
      return { type: "media" as const, data: part.data, mediaType: part.mediaType };
    const { url, fileId } = { url: undefined, fileId: undefined, ...part };
    return { type: "text" as const, text: url ?? JSON.stringify(fileId ?? {}) };
  });
  return { type: "content", value };
}

function requestForV3(options: LanguageModelV2CallOptions): LanguageModelV3CallOptions {
  const tools = options.tools?.map((tool) => (tool.type === "provider-defined" ? { ...tool, type: "provider" } : tool));
  const prompt = options.prompt.map(messageForV3);
  return { ...options, prompt, ...(tools === undefined ? {} : { tools }) } as LanguageModelV3CallOptions;
}

function messageForV3(message: LanguageModelV2Message): LanguageModelV3Message {
  if (message.role === "system" || message.role === "user") return message;
  const content = message.content.map((part) =>
    part.type === "tool-result" ? { ...part, output: outputForV3(part.output) } : part,
  );
  return { ...message, content } as LanguageModelV3Message;
}

function outputForV3(output: LanguageModelV2ToolResultOutput): LanguageModelV3ToolResultOutput {
  if (output.type !== "content") return output;
  const value = output.value.map((part) => (part.type === "media" ? { ...part, type: "file-data" as const } : part));
  return { type: "content", value };
}
