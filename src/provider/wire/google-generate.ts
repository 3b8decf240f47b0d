// Google's generateContent: every event of a stream is a whole response with the next parts. Only the finish reason proves the end. A
// blocked prompt has no candidates at all.

import { countOf, type JsonObject, listOf, objectOf, textOf } from "../../core/json-fields.ts";
import { isFilled } from "./json-value.ts";
import type { WireTally } from "./tally.ts";
import type { WireProtocol } from "./wire-protocol.ts";
import type { WireUsage } from "./wire-state.ts";

export const GOOGLE_GENERATE: WireProtocol = {
  endMark: "finishReason",
  lastEvents: new Set(),
  takesUnendedEvent: false,
  readEvent: readResponse,
  readBody: readResponse,
};

function readResponse(response: JsonObject, tally: WireTally): boolean {
  const candidates = response["candidates"];
  const usage = objectOf(response["usageMetadata"]);
  const feedback = objectOf(response["promptFeedback"]);
  if (usage !== null) tally.used(googleUsage(usage));
  for (const candidate of listOf(candidates)) readCandidate(objectOf(candidate) ?? {}, tally);
  tally.completeIfAllStopped();
  const blockReason = textOf(feedback?.["blockReason"]);
  if (blockReason !== "") {
    tally.blocked(blockReason);
    tally.complete();
  }
  return Array.isArray(candidates) || usage !== null || feedback !== null || typeof response["responseId"] === "string";
}

/** The enum's placeholder for "no reason". */
const NO_REASON = "FINISH_REASON_UNSPECIFIED";

function readCandidate(candidate: JsonObject, tally: WireTally): void {
  const index = countOf(candidate["index"]);
  tally.began(index);
  for (const entry of listOf(objectOf(candidate["content"])?.["parts"])) readPart(objectOf(entry) ?? {}, index, tally);
  const reason = textOf(candidate["finishReason"]);
  if (reason !== "" && reason !== NO_REASON) tally.stopped(index, reason);
}

function readPart(part: JsonObject, index: number, tally: WireTally): void {
  const text = textOf(part["text"]);
  if (text !== "") {
    if (part["thought"] === true) tally.reasoning(text);
    else tally.text(index, text);
  }
  if (isFilled(part["functionCall"])) tally.toolCall(part["functionCall"]);
  for (const field of OTHER_OUTPUT) if (isFilled(part[field])) tally.output();
}

const OTHER_OUTPUT = ["inlineData", "fileData", "executableCode", "codeExecutionResult", "toolCall", "toolResponse"];

/** Google counts thoughts apart from the answer, and tool input apart from the prompt. */
function googleUsage(usage: JsonObject): WireUsage {
  const reasoningTokens = countOf(usage["thoughtsTokenCount"]);
  return {
    inputTokens: countOf(usage["promptTokenCount"]) + countOf(usage["toolUsePromptTokenCount"]),
    cachedInputTokens: countOf(usage["cachedContentTokenCount"]),
    cacheWriteTokens: 0,
    hourCacheWriteTokens: 0,
    outputTokens: countOf(usage["candidatesTokenCount"]) + reasoningTokens,
    reasoningTokens,
    serviceTier: textOf(usage["serviceTier"]) || null,
  };
}
