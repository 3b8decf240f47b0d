// Chat completions as OpenAI and the many compatible servers send them: chunks of choices, each with a delta. The finish reason
// proves the end. `[DONE]` proves nothing, because vLLM also sends it after an error.

import { countOf, type JsonObject, listOf, objectOf, textOf } from "../../core/json-fields.ts";
import { isFilled } from "./json-value.ts";
import type { WireTally } from "./tally.ts";
import type { WireProtocol } from "./wire-protocol.ts";
import type { WireUsage } from "./wire-state.ts";

export const OPENAI_CHAT: WireProtocol = {
  endMark: "finish_reason",
  lastEvents: new Set(),
  takesUnendedEvent: true,
  readEvent: readChunk,
  readBody: readChunk,
};

function readChunk(chunk: JsonObject, tally: WireTally): boolean {
  const choices = chunk["choices"];
  for (const item of listOf(choices)) {
    const choice = objectOf(item);
    if (choice !== null) readChoice(choice, tally);
  }
  tally.completeIfAllStopped();
  const groq = objectOf(chunk["x_groq"]);
  if (isFilled(groq?.["error"])) tally.saidError({ status: 200, body: { error: groq?.["error"] } });
  const usage = objectOf(chunk["usage"]) ?? objectOf(groq?.["usage"]);
  if (usage !== null) tally.used(openaiUsage(usage, chunk));
  return Array.isArray(choices) || usage !== null || groq !== null;
}

function readChoice(choice: JsonObject, tally: WireTally): void {
  const index = countOf(choice["index"]);
  tally.began(index);
  // OpenRouter puts the error of a failed generation next to its partial text.
  if (isFilled(choice["error"])) tally.saidError({ status: 200, body: { error: choice["error"] } });
  const message = objectOf(choice["delta"]) ?? objectOf(choice["message"]);
  if (message !== null) readMessage(message, index, tally);
  const reason = textOf(choice["finish_reason"]);
  if (reason !== "") tally.stopped(index, reason);
}

type ReadField = (value: unknown, index: number, tally: WireTally) => void;

const asReasoning: ReadField = (value, _index, tally) => tally.reasoning(value);
const asOutput: ReadField = (_value, _index, tally) => tally.output();

/** The fields of a delta that are output. Others (role, name, annotations) are not, and empty fields are skipped. */
const MESSAGE_FIELDS: ReadonlyMap<string, ReadField> = new Map([
  ["content", readContent],
  ["reasoning_content", asReasoning], // DeepSeek, vLLM
  ["reasoning", asReasoning], // OpenRouter, Groq
  ["reasoning_details", asReasoning], // OpenRouter
  ["tool_calls", readToolCalls],
  ["function_call", (value, _index, tally) => tally.toolCall(objectOf(value)?.["arguments"])],
  ["refusal", (_value, _index, tally) => tally.refusal()],
  ["audio", asOutput],
  ["images", asOutput], // OpenRouter
]);

function readMessage(message: JsonObject, index: number, tally: WireTally): void {
  for (const key in message) {
    const value = message[key];
    const read = MESSAGE_FIELDS.get(key);
    if (read !== undefined && isFilled(value)) read(value, index, tally);
  }
}

/** Text, or a list of parts as Mistral sends them. */
function readContent(content: unknown, index: number, tally: WireTally): void {
  if (typeof content === "string") return tally.text(index, content);
  for (const item of listOf(content)) {
    const part = objectOf(item);
    if (part === null) continue;
    const type = part["type"];
    if (type === "text") tally.text(index, textOf(part["text"]));
    else if (type === "thinking") tally.reasoning(part["thinking"]);
    else tally.output();
  }
}

/** Some servers announce calls with only their index. */
function readToolCalls(calls: unknown, _index: number, tally: WireTally): void {
  for (const item of listOf(calls)) {
    const call = objectOf(item);
    if (call === null) continue;
    const { id, function: own, custom } = call;
    const piece = objectOf(own)?.["arguments"] ?? objectOf(custom)?.["input"];
    if (isFilled(id) || isFilled(own) || isFilled(custom)) tally.toolCall(piece);
  }
}

// OpenAI's usage in the formats of chat completions, of the responses API and of compatible servers.

/** `holder` is the object around the usage, which contains the tier. */
export function openaiUsage(usage: JsonObject, holder: JsonObject): WireUsage {
  const inputs = objectOf(usage["prompt_tokens_details"]) ?? objectOf(usage["input_tokens_details"]) ?? {};
  const outputs = objectOf(usage["completion_tokens_details"]) ?? objectOf(usage["output_tokens_details"]) ?? {};
  const inputTokens = countOf(usage["prompt_tokens"] ?? usage["input_tokens"]);
  const outputTokens = countOf(usage["completion_tokens"] ?? usage["output_tokens"]);
  const reasoningTokens = countOf(outputs["reasoning_tokens"]);
  // xAI counts reasoning apart from the completion. Only the total shows this.
  const isBeside = countOf(usage["total_tokens"]) === inputTokens + outputTokens + reasoningTokens;
  return {
    inputTokens,
    cachedInputTokens: countOf(inputs["cached_tokens"] ?? usage["prompt_cache_hit_tokens"]),
    cacheWriteTokens: countOf(inputs["cache_write_tokens"]),
    hourCacheWriteTokens: 0,
    outputTokens: isBeside ? outputTokens + reasoningTokens : outputTokens,
    reasoningTokens,
    serviceTier: textOf(holder["service_tier"]) || null,
  };
}
