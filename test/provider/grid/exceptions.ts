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
    why: "Half a sentence is an answer, and its stop reason says that it was cut. Half a JSON and half a tool call are failures." },
  { faults: ["unknown-tool"], code: null,
    why: "Which tools there are is the caller's business; the AI SDK hands such a call to `repairToolCall`." },
  { faults: ["wrong-content-type"], code: null,
    why: "The bytes are right. The AI SDK does not look at their type; where a vendor's SDK would, `fl.fetch` has put it right." },

  { faults: ["content-filtered-output", "refusal", "truncated", "truncated-tool-call"], through: "fetch", code: null,
    why: "A stop reason is a part of the answer. `fl.fetch` passes answers on, and the SDK tells its caller." },
  { faults: ["content-filter"], columns: ["@google/genai"], code: null,
    why: "Google refuses a prompt with a 200, which is an answer with a reason in it. `fl.fetch` passes answers on." },
  { faults: ["schema-invalid", "invalid-json-output", "invalid-tool-call"], through: "fetch", code: null,
    why: "`fl.fetch` does not hold what a model says against what was asked: the SDK's caller does." },
  { faults: ["empty-output"], columns: ["openai chat"], mode: "stream", price: "estimated",
    why: "A usage that comes without a stop reason is not taken for all there was." },
  { faults: ["empty-output"], columns: ["@google/genai"], mode: "stream", code: "NetworkDisconnect", price: "estimated",
    why: "A stream without a word has no stop reason either, and looks like one that was cut; a usage without a stop reason is not taken for all there was." },

  { faults: ["empty-output"], columns: ["@ai-sdk/openai chat", "@ai-sdk/openai-compatible", "@ai-sdk/google"], mode: "stream", code: "AnswerUnreadable", price: "estimated",
    why: "A stream without a word has no stop reason either, and looks like one in which nothing could be read." },
  { faults: ["empty-output"], columns: ["@ai-sdk/openai chat", "@ai-sdk/openai-compatible"], mode: "whole", price: "estimated",
    why: "The SDK throws an answer without choices away, and its usage with it." },
  { faults: ["error-in-body"], through: "model", mode: "stream", code: "AnswerUnreadable", price: "estimated",
    why: "The SDK passes over what is no event, so that all that is left is a stream without an answer." },
  { faults: ["odd-error-in-body"], through: "model", mode: "stream", price: "estimated",
    why: "The SDK passes over what is no event, so that all that is left is a stream without an answer." },
  { faults: ["error-in-body", "odd-error-in-body"], columns: ["@ai-sdk/google"], mode: "whole", code: "AnswerUnreadable", price: "estimated",
    why: "The SDK takes an error in a 200 for an answer without candidates." },
  { faults: ["empty-output"], columns: ["@ai-sdk/google"], mode: "whole", code: "AnswerUnreadable",
    why: "An answer without a word has no stop reason either, and looks like one in which nothing could be read." },
  { faults: ["error-in-body", "odd-error-in-body", "error-first-event"], columns: ["@ai-sdk/openai-compatible"], price: "estimated",
    why: "The SDK's error has no status that says the request was refused, so the prompt counts as paid for." },
  { faults: ["error-in-body", "odd-error-in-body"], columns: ["@ai-sdk/openai chat", "@ai-sdk/openai responses", "@ai-sdk/anthropic"], mode: "whole", price: "estimated",
    why: "The SDK's error has no status that says the request was refused, so the prompt counts as paid for." },
  { faults: ["invalid-tool-call", "truncated-tool-call"], columns: ["@ai-sdk/google"], mode: "stream", isOut: false,
    why: "Google sends nothing of a call that is malformed, so that it can be asked for again unseen." },
  { faults: ["invalid-tool-call"], columns: ["@ai-sdk/anthropic"], mode: "whole", code: null,
    why: "Outside a stream Anthropic's arguments are an object: what was lost cannot be seen, and the AI SDK holds it against the tool's schema." },
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
