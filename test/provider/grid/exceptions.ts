// Cells that differ from the tables, each with its reason: a fact about a package or a protocol, or a decision of ours. An
// exception that no longer makes a difference is an error.

import type { FaultCode } from "../../../src/core/index.ts";
import type { Place } from "./expected.ts";
import type { Price } from "./observe.ts";

export interface Exception {
  readonly faults: readonly string[];
  /** Default: all packages. */
  readonly columns?: readonly string[];
  readonly through?: "model" | "fetch";
  readonly mode?: "whole" | "stream";
  /** null: it is not seen as a failure. */
  readonly code?: FaultCode | null;
  readonly price?: Price;
  /** Whether the caller has seen part of the answer when it fails. */
  readonly isOut?: boolean;
  readonly why: string;
}

// prettier-ignore
export const EXCEPTIONS: readonly Exception[] = [
  { faults: ["truncated"], through: "model", code: null,
    why: "A truncated text is still an answer, and its stop reason says that it was cut. Truncated JSON and truncated tool calls are failures." },
  { faults: ["unknown-tool"], code: null,
    why: "The caller knows which tools exist; the AI SDK passes such a call to `repairToolCall`." },
  { faults: ["wrong-content-type"], code: null,
    why: "The bytes are right. The AI SDK ignores the content type; for vendor SDKs that check it, `fl.fetch` corrects it." },

  { faults: ["content-filtered-output", "refusal", "truncated", "truncated-tool-call"], through: "fetch", code: null,
    why: "A stop reason is part of the answer. `fl.fetch` passes answers on, and the SDK reports it to its caller." },
  { faults: ["content-filter"], columns: ["@google/genai"], code: null,
    why: "Google refuses a prompt with a 200, which is an answer with a reason in it. `fl.fetch` passes answers on." },
  { faults: ["schema-invalid", "invalid-json-output", "invalid-tool-call"], through: "fetch", code: null,
    why: "`fl.fetch` does not check a model's answer against the request: the SDK's caller does." },
  { faults: ["empty-output"], columns: ["openai chat"], mode: "stream", price: "estimated",
    why: "A usage without a stop reason may be incomplete." },
  { faults: ["empty-output"], columns: ["@google/genai"], mode: "stream", code: "NetworkDisconnect", price: "estimated",
    why: "An empty stream has no stop reason and looks like one that was cut; a usage without a stop reason may be incomplete." },

  { faults: ["empty-output"], columns: ["@ai-sdk/openai chat", "@ai-sdk/openai-compatible", "@ai-sdk/google"], mode: "stream", code: "AnswerUnreadable", price: "estimated",
    why: "An empty stream has no stop reason and looks unreadable." },
  { faults: ["empty-output"], columns: ["@ai-sdk/openai chat", "@ai-sdk/openai-compatible"], mode: "whole", price: "estimated",
    why: "The SDK discards an answer without choices, and its usage with it." },
  { faults: ["error-in-body"], through: "model", mode: "stream", code: "AnswerUnreadable", price: "estimated",
    why: "The SDK ignores lines that are not events, so an empty stream is left." },
  { faults: ["odd-error-in-body"], through: "model", mode: "stream", price: "estimated",
    why: "The SDK ignores lines that are not events, so an empty stream is left." },
  { faults: ["error-in-body", "odd-error-in-body"], columns: ["@ai-sdk/google"], mode: "whole", code: "AnswerUnreadable", price: "estimated",
    why: "The SDK takes an error in a 200 for an answer without candidates." },
  { faults: ["empty-output"], columns: ["@ai-sdk/google"], mode: "whole", code: "AnswerUnreadable",
    why: "An empty answer has no stop reason and looks unreadable." },
  { faults: ["error-in-body", "odd-error-in-body", "error-first-event"], columns: ["@ai-sdk/openai-compatible"], price: "estimated",
    why: "The SDK's error has no status that says the request was refused, so the prompt counts as paid for." },
  { faults: ["error-in-body", "odd-error-in-body"], columns: ["@ai-sdk/openai chat", "@ai-sdk/openai responses", "@ai-sdk/anthropic"], mode: "whole", price: "estimated",
    why: "The SDK's error has no status that says the request was refused, so the prompt counts as paid for." },
  { faults: ["invalid-tool-call", "truncated-tool-call"], columns: ["@ai-sdk/google"], mode: "stream", isOut: false,
    why: "Google sends nothing of a malformed call, so it can be requested again unnoticed." },
  { faults: ["invalid-tool-call"], columns: ["@ai-sdk/anthropic"], mode: "whole", code: null,
    why: "Outside a stream Anthropic's arguments are an object: lost parts are invisible, and the AI SDK checks them against the tool's schema." },
  { faults: ["content-filter"], columns: ["@ai-sdk/google"], price: "reported",
    why: "Google refuses a prompt with a 200 that counts its tokens." },
];

/** The first match. */
export function exceptionFor({ row, column, streaming }: Place): Exception | null {
  const fits = EXCEPTIONS.find(
    ({ faults, columns, through, mode }) =>
      faults.includes(row.id) &&
      (columns?.includes(column.name) ?? true) &&
      (through === undefined || through === column.through) &&
      (mode === undefined || (mode === "stream") === streaming),
  );
  return fits ?? null;
}
