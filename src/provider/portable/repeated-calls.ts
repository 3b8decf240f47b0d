// A model that makes the same failing call again and again: the same tool, the same arguments, failure after failure, with nothing
// else in between. The conversation itself says so, wherever the tool ran: in a program, behind an MCP server or in a workflow.

import type {
  JSONObject,
  LanguageModelV4CallOptions,
  LanguageModelV4Prompt,
  LanguageModelV4ToolResultOutput,
} from "@ai-sdk/provider";
import { isFaultCode, traitsOf } from "../../core/fault/catalogue.ts";
import { mapMessages, mapParts, type Part, type Pass, type ToolResult } from "./pass.ts";

export interface RepeatLimits {
  /** After so many failures in a row the model is told, once. */
  readonly tellAfter: number;
  /** After so many it is not asked any more. */
  readonly stopAfter: number;
}

export const DEFAULT_REPEAT_LIMITS: RepeatLimits = { tellAfter: 3, stopAfter: 12 };

/** How often the last call has failed in a row, unchanged; 0 when it did not fail. */
export function repeatsIn(prompt: LanguageModelV4Prompt): { readonly toolName: string; readonly count: number } {
  return failuresIn(prompt).at(-1) ?? { toolName: "", count: 0 };
}

/** The result that makes the number full says so. It stays there as the conversation grows, so the model is told once. */
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

/** What the model is told. */
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

/** Each call of a conversation, with how often it has failed in a row by then. What a person says begins a new row. */
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
  /** The first since a person spoke. */
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
        open.set(part.toolCallId, [...(open.get(part.toolCallId) ?? []), call]);
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

/** Whether a tool failed, as AI SDK tools and Faultline's own tell a model. */
export function isFailure(output: LanguageModelV4ToolResultOutput): boolean {
  switch (output.type) {
    case "error-text":
    case "error-json":
    case "execution-denied":
      return true;
    case "text": {
      const [, family, code] = FAULT_TEXT.exec(output.value) ?? [];
      return isFault(family, code);
    }
    case "json":
      return isFaultView(output.value) || isFaultView(onlyError(output.value));
    default:
      return false;
  }
}

function isFaultView(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  const { class: family, code } = value as { readonly class?: unknown; readonly code?: unknown };
  return isFault(family, code);
}

/** `{ error }` and nothing else: what has a value beside it is not lost. */
function onlyError(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return null;
  const [entry, ...others] = Object.entries(value);
  return entry?.[0] === "error" && others.length === 0 ? entry[1] : null;
}

function isFault(family: unknown, code: unknown): boolean {
  return isFaultCode(code) && traitsOf(code).class === family;
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

/** Models write the same arguments in another order. */
function canonical(input: unknown): string {
  return JSON.stringify({ input }, (_key, inner: unknown) =>
    typeof inner === "object" && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );
}
