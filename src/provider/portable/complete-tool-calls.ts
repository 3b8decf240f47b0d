// Applies the rules about tool calls and results to AI SDK messages. `generateText` rejects a broken history before it calls a model,
// so the rules of a chain never see it.

import type { LanguageModelV4CallOptions } from "@ai-sdk/provider";
import type { Message, Part, Pass } from "./pass.ts";
import { answerOrphanCalls, moveLateResults, removeOrphanResults } from "./tools.ts";

/** The fields of a message that `completeToolCalls` needs. The AI SDK's `ModelMessage` has them. */
export interface AnyMessage {
  readonly role: "system" | "user" | "assistant" | "tool";
  readonly content: string | readonly object[];
}

/**
 * Completes the tool calls of a conversation, so that `generateText` and `streamText` accept it after a crash or an abort.
 *
 * - A call without a result gets one that tells the model: the outcome is unknown.
 * - A result that came after other messages moves to its call.
 * - A result without a call is removed.
 *
 * Calls that the provider runs itself, and calls that the last message approves or denies, stay as they are. Messages that need no
 * change are returned as the same objects. Calling it again changes nothing.
 *
 * @example
 * ```ts
 * import { generateText } from "ai";
 * import { completeToolCalls } from "faultline";
 *
 * const { text } = await generateText({ model, messages: completeToolCalls(messages) });
 * ```
 */
export function completeToolCalls<M extends AnyMessage>(messages: readonly M[]): M[] {
  const originals = new Map<object, object>();
  const decided = decidedCalls(messages);
  let options: LanguageModelV4CallOptions = {
    prompt: messages.map((message) => asRulesSee(message, decided, originals)),
  };
  for (const rule of [moveLateResults, answerOrphanCalls, removeOrphanResults]) options = rule(options, PASS);
  return options.prompt.map((message) => restored(message, originals) as unknown as M);
}

/** Needs no vendor facts, because every vendor rejects these histories. */
const PASS: Pass = {
  to: { namespaces: [] as readonly string[] } as Pass["to"],
  from: null,
  note: () => undefined,
  toolNames: new Map(),
  tellAfter: Infinity,
  whereOf: () => "",
  replace: (_before, next) => next,
};

interface LoosePart {
  readonly type?: unknown;
  readonly toolCallId?: unknown;
  readonly approvalId?: unknown;
}

/** Calls that the last message approves or denies. The AI SDK adds their results. */
function decidedCalls(messages: readonly AnyMessage[]): ReadonlySet<unknown> {
  const last = messages.at(-1);
  if (last?.role !== "tool") return new Set();
  const approvals = new Set(
    partsOf(last).flatMap((part) => (part.type === "tool-approval-response" ? [part.approvalId] : [])),
  );
  const requests = messages.flatMap(partsOf).filter(({ type }) => type === "tool-approval-request");
  return new Set(requests.flatMap((part) => (approvals.has(part.approvalId) ? [part.toolCallId] : [])));
}

function partsOf({ content }: AnyMessage): readonly LoosePart[] {
  return typeof content === "string" ? [] : content;
}

/** Converts a message for the rules: text becomes a list of parts, and decided calls are marked as run by the provider. */
function asRulesSee(message: AnyMessage, decided: ReadonlySet<unknown>, originals: Map<object, object>): Message {
  if (message.role === "system") return message as Message;
  const keep = <T extends object>(seen: T, original: object): T => {
    originals.set(seen, original);
    return seen;
  };
  if (typeof message.content === "string") {
    return keep({ ...message, content: [{ type: "text", text: message.content }] }, message) as Message;
  }
  const content = partsOf(message).map((part) =>
    part.type === "tool-call" && decided.has(part.toolCallId) ? keep({ ...part, providerExecuted: true }, part) : part,
  );
  return keep({ ...message, content }, message) as unknown as Message;
}

function restored(message: Message, originals: ReadonlyMap<object, object>): object {
  const original = originals.get(message);
  if (original !== undefined || message.role === "system") return original ?? message;
  const parts: readonly Part[] = message.content;
  return { ...message, content: parts.map((part) => originals.get(part) ?? part) };
}
