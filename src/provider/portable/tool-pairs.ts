// Every tool call needs its result right after the message that made it, and every result needs a call. An interrupted turn breaks
// this, and from then on every vendor rejects every request with that history.

import type { LanguageModelV4CallOptions } from "@ai-sdk/provider";
import { removeParts, withParts } from "./pass.ts";
import type { Message, Part, Pass, ToolCall, ToolMessage, ToolResult } from "./pass.ts";
import type { PortableFacts } from "./target-facts.ts";

/** The result of a call whose outcome is unknown. The model must not assume that nothing happened. */
export const OUTCOME_UNKNOWN = "outcome unknown: the call was interrupted";

/** Moves a result that came after other messages to its call: the real result is better than "unknown". */
export function moveLateResults(options: LanguageModelV4CallOptions, pass: Pass): LanguageModelV4CallOptions {
  const taken = new Set<Part>();
  const answered = answerCalls(options, pass, (call, at) => {
    const late = lateResult(options.prompt, call.toolCallId, at, taken);
    if (late === null) return null;
    taken.add(late);
    pass.note(pass.whereOf(late));
    return pass.replace(late, { ...late });
  });
  const quiet: Pass = { ...pass, note: () => undefined };
  return taken.size === 0 ? options : removeParts(answered, quiet, (part) => taken.has(part));
}

export function answerOrphanCalls(options: LanguageModelV4CallOptions, pass: Pass): LanguageModelV4CallOptions {
  return answerCalls(options, pass, (call) => {
    pass.note(pass.whereOf(call));
    return {
      type: "tool-result",
      toolCallId: call.toolCallId,
      toolName: call.toolName,
      output: { type: "error-text", value: OUTCOME_UNKNOWN },
    };
  });
}

export function removeOrphanResults(options: LanguageModelV4CallOptions, pass: Pass): LanguageModelV4CallOptions {
  const gone = new Set<Part>();
  /** Calls whose result may come at any later time. */
  const anytime = new Set<string>();
  let open = new Set<string>();
  for (const message of options.prompt) {
    if (message.role === "user") open = new Set();
    if (message.role === "assistant") open = new Set(clientCalls(message, pass).map((call) => call.toolCallId));
    if (message.role === "system" || message.role === "user") continue;
    for (const part of message.content) {
      if (part.type === "tool-call" && !isAnsweredHere(part, pass.to)) anytime.add(part.toolCallId);
      if (part.type !== "tool-result") continue;
      if (!open.delete(part.toolCallId) && !anytime.has(part.toolCallId)) gone.add(part);
    }
  }
  return gone.size === 0 ? options : removeParts(options, pass, (part) => gone.has(part));
}

/** Adds the results from `answer` after each message with open calls: to its tool message, or to a new one. */
function answerCalls(
  options: LanguageModelV4CallOptions,
  pass: Pass,
  answer: (call: ToolCall, at: number) => ToolResult | null,
): LanguageModelV4CallOptions {
  const prompt: Message[] = [];
  let due: ToolResult[] = [];
  let answered = 0;
  const settle = (): void => {
    if (due.length === 0) return;
    // Right after the assistant's message, even if a system message follows it.
    const behind = prompt.findLastIndex((message) => message.role === "assistant") + 1;
    prompt.splice(behind, 0, { role: "tool", content: due });
    due = [];
  };
  options.prompt.forEach((message, at) => {
    if (message.role === "assistant" || message.role === "user") settle();
    if (message.role === "tool" && due.length > 0) {
      prompt.push(pass.replace(message, withParts(message, [...message.content, ...due])));
      due = [];
      return;
    }
    prompt.push(message);
    if (message.role !== "assistant") return;
    due = openCalls(options.prompt, message, at, pass).flatMap((call) => answer(call, at) ?? []);
    answered += due.length;
  });
  settle();
  return answered > 0 ? { ...options, prompt } : options;
}

/** The calls of a message without a result in it or in the tool messages after it; each id once. */
function openCalls(
  prompt: readonly Message[],
  message: Extract<Message, { role: "assistant" }>,
  at: number,
  pass: Pass,
): readonly ToolCall[] {
  const calls = clientCalls(message, pass);
  if (calls.length === 0) return [];
  const answers = new Set(resultsIn(message).map((result) => result.toolCallId));
  for (let behind = at + 1; behind < prompt.length; behind++) {
    const next = prompt[behind];
    if (next === undefined || next.role === "user" || next.role === "assistant") break;
    for (const result of resultsIn(next)) answers.add(result.toolCallId);
  }
  const open = new Map(calls.map((call) => [call.toolCallId, call]));
  return [...open.values()].filter((call) => !answers.has(call.toolCallId));
}

/** Finds a later result of a call, unless it belongs to a later call with the same id. */
function lateResult(prompt: readonly Message[], id: string, at: number, taken: ReadonlySet<Part>): ToolResult | null {
  for (const message of prompt.slice(at + 1)) {
    if (
      message.role === "assistant" &&
      message.content.some((part) => part.type === "tool-call" && part.toolCallId === id)
    )
      return null;
    if (message.role !== "tool") continue;
    const late = resultsIn(message).find((result) => result.toolCallId === id && !taken.has(result));
    if (late !== undefined) return late;
  }
  return null;
}

function clientCalls(message: Extract<Message, { role: "assistant" }>, pass: Pass): readonly ToolCall[] {
  return message.content.filter((part) => part.type === "tool-call" && isAnsweredHere(part, pass.to)) as ToolCall[];
}

/** A vendor may return the result of a call that it ran itself at any time; an asynchronous call may take several turns. */
export function isAnsweredHere(call: ToolCall, to: PortableFacts): boolean {
  const { providerOptions } = call;
  const isAsync =
    providerOptions !== undefined && to.namespaces.some((name) => providerOptions[name]?.["async"] === true);
  return call.providerExecuted !== true && !isAsync;
}

function resultsIn(message: Message | ToolMessage): readonly ToolResult[] {
  if (message.role !== "tool" && message.role !== "assistant") return [];
  const parts: readonly Part[] = message.content;
  return parts.filter((part) => part.type === "tool-result");
}
