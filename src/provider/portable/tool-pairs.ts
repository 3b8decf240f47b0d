// Every tool call is answered right behind the message that made it, and every answer has a call. A turn that was interrupted
// breaks this, and from then on every vendor refuses every request with that history.

import type { LanguageModelV4CallOptions } from "@ai-sdk/provider";
import { removeParts, withParts } from "./pass.ts";
import type { Message, Part, Pass, ToolCall, ToolMessage, ToolResult } from "./pass.ts";
import type { PortableFacts } from "./target-facts.ts";

/** What the model is told of a call that nobody knows the end of. It must not believe that nothing happened. */
export const OUTCOME_UNKNOWN = "outcome unknown: the call was interrupted";

/** A result that came after other messages is moved to its call: the truth is better than "unknown". */
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
  /** Calls whose result may come at any time later. */
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

/** Puts what `answer` gives behind each message with open calls: into its tool message, or a new one. */
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
    // Right behind the assistant's message, even if a system message follows it.
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

/** The calls of a message that neither it nor the tool messages behind it answer; each id once. */
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

/** A later result of a call, unless a later call with the same id has the better claim. */
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

/** A vendor answers what it ran itself when it likes; an asynchronous call may be answered turns later. */
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
