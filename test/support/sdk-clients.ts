// The real SDKs behind one small interface, retries off: a call to a base URL that is expected to fail.

import Anthropic from "@anthropic-ai/sdk";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { GoogleGenAI } from "@google/genai";
import { generateText } from "ai";
import OpenAI from "openai";
import { ANTHROPIC_ERRORS, GOOGLE_ERRORS, OPENAI_ERRORS, type VendorError } from "./vendor-errors.ts";

export interface CallOptions {
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
}

export interface SdkClient {
  readonly sdk: string;
  readonly provider: string;
  readonly errors: readonly VendorError[];
  readonly call: (url: string, options?: CallOptions) => Promise<unknown>;
  /** Reads a stream to its end. */
  readonly stream?: (url: string) => Promise<unknown>;
}

const API_KEY = "test-key";
const PROMPT = "hello";
const MESSAGES = [{ role: "user" as const, content: PROMPT }];

const openAi: SdkClient = {
  sdk: "openai",
  provider: "openai",
  errors: OPENAI_ERRORS,
  call: (url, options) =>
    openAiAt(url).chat.completions.create({ model: "gpt-4o", messages: MESSAGES }, requestOptions(options)),
  stream: async (url) =>
    drain(await openAiAt(url).chat.completions.create({ model: "gpt-4o", messages: MESSAGES, stream: true })),
};

const anthropic: SdkClient = {
  sdk: "@anthropic-ai/sdk",
  provider: "anthropic",
  errors: ANTHROPIC_ERRORS,
  call: (url, options) =>
    anthropicAt(url).messages.create(
      { model: "claude-x", max_tokens: 64, messages: MESSAGES },
      requestOptions(options),
    ),
  stream: async (url) =>
    drain(
      await anthropicAt(url).messages.create({ model: "claude-x", max_tokens: 64, messages: MESSAGES, stream: true }),
    ),
};

const google: SdkClient = {
  sdk: "@google/genai",
  provider: "google",
  errors: GOOGLE_ERRORS,
  call: (url, { timeoutMs, signal } = {}) =>
    googleAt(url).models.generateContent({
      model: "gemini-2.5-flash",
      contents: PROMPT,
      config: {
        ...(timeoutMs === undefined ? {} : { httpOptions: { timeout: timeoutMs } }),
        ...(signal === undefined ? {} : { abortSignal: signal }),
      },
    }),
  stream: async (url) =>
    drain(await googleAt(url).models.generateContentStream({ model: "gemini-2.5-flash", contents: PROMPT })),
};

const aiSdk: SdkClient = {
  sdk: "ai",
  provider: "openai-compatible",
  errors: OPENAI_ERRORS,
  call: (url, { timeoutMs, signal } = {}) =>
    generateText({
      model: createOpenAICompatible({ name: "local", baseURL: `${url}/v1`, apiKey: API_KEY })("gpt-4o"),
      prompt: PROMPT,
      maxRetries: 0,
      ...(timeoutMs === undefined ? {} : { timeout: timeoutMs }),
      ...(signal === undefined ? {} : { abortSignal: signal }),
    }),
};

export const SDK_CLIENTS = { openAi, anthropic, google, aiSdk } as const;

function openAiAt(url: string): OpenAI {
  return new OpenAI({ apiKey: API_KEY, baseURL: `${url}/v1`, maxRetries: 0 });
}

function anthropicAt(url: string): Anthropic {
  return new Anthropic({ apiKey: API_KEY, baseURL: url, maxRetries: 0 });
}

/** Retries only when asked to, so there is nothing to turn off. */
function googleAt(url: string): GoogleGenAI {
  return new GoogleGenAI({ apiKey: API_KEY, httpOptions: { baseUrl: url } });
}

function requestOptions({ timeoutMs, signal }: CallOptions = {}): { timeout?: number; signal?: AbortSignal } {
  return {
    ...(timeoutMs === undefined ? {} : { timeout: timeoutMs }),
    ...(signal === undefined ? {} : { signal }),
  };
}

async function drain(stream: AsyncIterable<unknown>): Promise<unknown[]> {
  const chunks: unknown[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return chunks;
}
