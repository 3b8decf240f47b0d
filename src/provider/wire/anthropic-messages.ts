// Anthropic's messages API: typed events, and blocks that open and close. A stop reason followed by `message_stop` proves the end.
// Usage comes with the first event, so even a truncated stream reports its input tokens.

import { countOf, type JsonObject, listOf, objectOf, textOf } from "../../core/json-fields.ts";
import { isFilled } from "./json-value.ts";
import type { WireTally } from "./tally.ts";
import type { WireProtocol } from "./wire-protocol.ts";
import type { WireUsage } from "./wire-state.ts";

export const ANTHROPIC_MESSAGES: WireProtocol = {
  endMark: "message_stop",
  lastEvents: new Set(["message_stop"]),
  takesUnendedEvent: false,
  readEvent,
  readBody,
};

function readEvent(event: JsonObject, tally: WireTally): boolean {
  const read = EVENTS.get(textOf(event["type"]));
  read?.(event, tally);
  return read !== undefined;
}

type Read = (event: JsonObject, tally: WireTally) => void;

const EVENTS: ReadonlyMap<string, Read> = new Map<string, Read>([
  ["ping", () => undefined],
  ["message_start", (event, tally) => readUsage(objectOf(event["message"]), tally)],
  ["content_block_start", (event, tally) => readBlock(objectOf(event["content_block"]) ?? {}, tally)],
  ["content_block_delta", (event, tally) => readDelta(objectOf(event["delta"]) ?? {}, tally)],
  ["content_block_stop", (_event, tally) => tally.advance()],
  ["message_delta", readMessageDelta],
  ["message_stop", (_event, tally) => tally.state.stopReason !== null && tally.complete()],
]);

function readMessageDelta(event: JsonObject, tally: WireTally): void {
  readUsage(event, tally);
  const reason = textOf(objectOf(event["delta"])?.["stop_reason"]);
  if (reason !== "") tally.stopped(0, reason);
}

/** Reads a block when it opens, or in a whole answer. In a stream, text and thinking blocks open empty. */
function readBlock(block: JsonObject, tally: WireTally): void {
  const read = BLOCKS.get(textOf(block["type"]));
  if (read === undefined) tally.output();
  else read(block, tally);
}

const BLOCKS: ReadonlyMap<string, Read> = new Map<string, Read>([
  ["text", (block, tally) => tally.text(0, textOf(block["text"]))],
  ["thinking", (block, tally) => tally.reasoning(textOf(block["thinking"]))],
  ["redacted_thinking", (block, tally) => tally.reasoning(isFilled(block["data"]))],
  ["tool_use", (block, tally) => tally.toolCall(isFilled(block["input"]) ? block["input"] : "")],
]);

function readDelta(delta: JsonObject, tally: WireTally): void {
  const read = DELTAS.get(textOf(delta["type"]));
  if (read === undefined) tally.output();
  else read(delta, tally);
}

/** A delta not listed counts as output that the caller has seen. */
const DELTAS: ReadonlyMap<string, Read> = new Map<string, Read>([
  ["text_delta", (delta, tally) => tally.text(0, textOf(delta["text"]))],
  ["thinking_delta", (delta, tally) => tally.reasoning(textOf(delta["thinking"]))],
  ["signature_delta", (delta, tally) => tally.reasoning(isFilled(delta["signature"]))],
  // The call was counted when its block opened.
  ["input_json_delta", (delta, tally) => isFilled(delta["partial_json"]) && tally.output(delta["partial_json"])],
  ["citations_delta", (_delta, tally) => tally.advance()],
]);

function readBody(message: JsonObject, tally: WireTally): boolean {
  if (message["type"] !== "message" && !Array.isArray(message["content"])) return false;
  readUsage(message, tally);
  for (const block of listOf(message["content"])) readBlock(objectOf(block) ?? {}, tally);
  const reason = textOf(message["stop_reason"]);
  if (reason !== "") tally.stopped(0, reason);
  return true;
}

function readUsage(holder: JsonObject | null, tally: WireTally): void {
  const usage = objectOf(holder?.["usage"]);
  if (usage !== null) tally.used(anthropicUsage(usage, tally.state.usage));
}

/** Counts only grow within a message, and a later event may omit counts from an earlier one. */
function anthropicUsage(usage: JsonObject, before: WireUsage | null): WireUsage {
  const cachedInputTokens = Math.max(countOf(usage["cache_read_input_tokens"]), before?.cachedInputTokens ?? 0);
  const cacheWriteTokens = Math.max(countOf(usage["cache_creation_input_tokens"]), before?.cacheWriteTokens ?? 0);
  const hourly = countOf(objectOf(usage["cache_creation"])?.["ephemeral_1h_input_tokens"]);
  const tier = usage["speed"] === "fast" ? "fast" : textOf(usage["service_tier"]);
  const uncachedBefore = before === null ? 0 : before.inputTokens - before.cachedInputTokens - before.cacheWriteTokens;
  const uncached = Math.max(countOf(usage["input_tokens"]), uncachedBefore);
  const thinking = countOf(objectOf(usage["output_tokens_details"])?.["thinking_tokens"]);
  return {
    inputTokens: uncached + cachedInputTokens + cacheWriteTokens,
    cachedInputTokens,
    cacheWriteTokens,
    hourCacheWriteTokens: Math.max(hourly, before?.hourCacheWriteTokens ?? 0),
    outputTokens: Math.max(countOf(usage["output_tokens"]), before?.outputTokens ?? 0),
    reasoningTokens: Math.max(thinking, before?.reasoningTokens ?? 0),
    serviceTier: tier || (before?.serviceTier ?? null),
  };
}
