// Detects a model that repeats a failing call: the same tool with the same arguments, failure after failure, with nothing else in
// between. It reads the conversation, so it works wherever the tool ran: in a program, behind an MCP server or in a workflow.

import type {
  JSONObject,
  LanguageModelV4CallOptions,
  LanguageModelV4Prompt,
  LanguageModelV4ToolResultOutput,
} from "@ai-sdk/provider";
import { isFaultCode, traitsOf } from "../../core/fault/catalogue.ts";
import { mapMessages, mapParts, type Part, type Pass, type ToolResult } from "./pass.ts";

export interface RepeatLimits {
  /** The number of failures in a row after which the model gets a note, once. */
  readonly tellAfter: number;
  /** The number of failures in a row after which the model is not called again. */
  readonly stopAfter: number;
}

export const DEFAULT_REPEAT_LIMITS: RepeatLimits = { tellAfter: 3, stopAfter: 12 };

/** How often the last call has failed in a row with the same arguments; 0 if it did not fail. */
export function repeatsIn(prompt: LanguageModelV4Prompt): { readonly toolName: string; readonly count: number } {
  return failuresIn(prompt).at(-1) ?? { toolName: "", count: 0 };
}

/** Adds the note to the result that reaches the limit. It stays there as the conversation grows, so the model gets it once. */
export function tellRepeats(options: LanguageModelV4CallOptions, pass: Pass): LanguageModelV4CallOptions {
  const due = new Map<Part, number>();
  for (const { count, result } of failuresIn(options.prompt, false)) {
    if (count === pass.tellAfter && result !== null) due.set(result, count);
  }
  if (due.size === 0) return options;
  return mapMessages(options, (message) =>
    mapParts(message, pass, (part) => {
      const count = due.get(part);
      if (count === undefined || part.type !== "tool-result") return part;
      const output = withNote(part.output, noteAbout(count));
      if (output === part.output) return part;
      pass.note(pass.whereOf(part));
      return pass.replace(part, { ...part, output });
    }),
  );
}

/** The note for the model. */
export function noteAbout(count: number): string {
  return `This call has failed ${count} times with the same arguments. Do not repeat it: try something else, or say what is missing.`;
}

interface Failure {
  readonly toolName: string;
  readonly key: string;
  readonly count: number;
  readonly result: ToolResult | null;
}

const NO_FAILURE: Failure = { toolName: "", key: "", count: 0, result: null };

/** The calls of a conversation, each with the length of its run of failures so far. A user message resets the count. */
function failuresIn(prompt: LanguageModelV4Prompt, isLastTurn = true): readonly Failure[] {
  const calls = callsIn(prompt, isLastTurn);
  const failures: Failure[] = [];
  let before = NO_FAILURE;
  for (const { toolName, input, result, isFirst } of calls) {
    if (isFirst) before = NO_FAILURE;
    const hasFailed = result !== null && isFailure(result.output);
    const key = hasFailed ? `${toolName} ${canonical(input)}` : "";
    const count = !hasFailed ? 0 : key === before.key ? before.count + 1 : 1;
    before = { toolName, key, count, result };
    failures.push(before);
  }
  return failures;
}

interface Made {
  readonly toolName: string;
  readonly input: unknown;
  result: ToolResult | null;
  /** The first call since the last user message. */
  readonly isFirst: boolean;
}

function callsIn(prompt: LanguageModelV4Prompt, isLastTurn: boolean): readonly Made[] {
  let calls: Made[] = [];
  let isFirst = true;
  const open = new Map<string, Made[]>();
  for (const message of prompt) {
    if (message.role === "user") {
      isFirst = true;
      if (isLastTurn) calls = [];
    }
    if (message.role !== "assistant" && message.role !== "tool") continue;
    for (const part of message.content) {
      if (part.type === "tool-call") {
        const call: Made = { toolName: part.toolName, input: part.input, result: null, isFirst };
        isFirst = false;
        calls.push(call);
        const others = open.get(part.toolCallId);
        if (others === undefined) open.set(part.toolCallId, [call]);
        else others.push(call);
      }
      if (part.type !== "tool-result") continue;
      const call = open.get(part.toolCallId)?.shift();
      if (call !== undefined) call.result = part;
    }
  }
  return calls;
}

/** A fault as `modelText` writes it: `ToolTransient/ToolUnavailable: …`. */
const FAULT_TEXT = /^([A-Z]\w+)\/([A-Z]\w+): /;

/** Whether a tool result reports a failure, in the form of AI SDK tools or Faultline's own. */
export function isFailure(output: LanguageModelV4ToolResultOutput): boolean {
  switch (output.type) {
    case "error-text":
    case "error-json":
    case "execution-denied":
      return true;
    case "text": {
      const [, faultClass, code] = FAULT_TEXT.exec(output.value) ?? [];
      return isFault(faultClass, code);
    }
    case "json":
      return isFaultView(output.value) || isFaultView(onlyError(output.value));
    default:
      return false;
  }
}

function isFaultView(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  const { class: faultClass, code } = value as { readonly class?: unknown; readonly code?: unknown };
  return isFault(faultClass, code);
}

/** The error of an object that is exactly `{ error }`. With another value beside it, the result counts as a success. */
function onlyError(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return null;
  const [entry, ...others] = Object.entries(value);
  return entry?.[0] === "error" && others.length === 0 ? entry[1] : null;
}

function isFault(faultClass: unknown, code: unknown): boolean {
  return isFaultCode(code) && traitsOf(code).class === faultClass;
}

function withNote(output: LanguageModelV4ToolResultOutput, note: string): LanguageModelV4ToolResultOutput {
  switch (output.type) {
    case "error-text":
    case "text":
      return output.value.endsWith(note) ? output : { ...output, value: `${output.value}\n${note}` };
    case "error-json":
    case "json": {
      const { value } = output;
      const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
      const fields: JSONObject = isObject ? (value as JSONObject) : { error: value };
      return fields["note"] === note ? output : { ...output, value: { ...fields, note } };
    }
    case "execution-denied":
      return output.reason?.endsWith(note) === true
        ? output
        : { ...output, reason: output.reason === undefined ? note : `${output.reason}\n${note}` };
    default:
      return output;
  }
}

/** Sorts keys: models may write the same arguments in another order. */
function canonical(input: unknown): string {
  return JSON.stringify({ input }, (_key, inner: unknown) =>
    typeof inner === "object" && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );
}
