// OpenAI's responses API: typed events around one response object. `response.completed` and `response.incomplete` end a stream properly;
// `response.failed` and `error` end it with a failure, inside a 200.

import { type JsonObject, listOf, objectOf, textOf } from "../../core/json-fields.ts";
import { isFilled } from "./json-value.ts";
import { openaiUsage } from "./openai-chat.ts";
import type { WireTally } from "./tally.ts";
import type { WireProtocol } from "./wire-protocol.ts";

export const OPENAI_RESPONSES: WireProtocol = {
  endMark: "response.completed",
  lastEvents: new Set(["response.completed", "response.incomplete", "response.failed", "response.cancelled"]),
  takesUnendedEvent: true,
  readEvent,
  readBody,
};

function readEvent(event: JsonObject, tally: WireTally): boolean {
  const type = textOf(event["type"]);
  if (!type.startsWith("response.")) return KEEP_ALIVES.has(type);
  const read = EVENTS.get(type);
  if (read !== undefined) read(event, tally);
  else if (type.endsWith(".delta")) {
    // An unknown delta is still output that the caller has seen.
    if (isFilled(event["delta"])) tally.output(event["delta"]);
  } else tally.advance();
  return true;
}

const KEEP_ALIVES: ReadonlySet<string> = new Set(["keepalive", "ping"]);

type Read = (event: JsonObject, tally: WireTally) => void;

const asToolCall: Read = (event, tally) => isFilled(event["delta"]) && tally.toolCall(event["delta"]);
const asReasoning: Read = (event, tally) => tally.reasoning(textOf(event["delta"]));
const asRefusal: Read = (event, tally) => isFilled(event["delta"] ?? event["refusal"]) && tally.refusal();
const asEnd: Read = (event, tally) => readEnd(objectOf(event["response"]) ?? {}, tally);
/** The server has started, which is not content. Proxies repeat these events to keep a connection open. */
const asNothing: Read = () => undefined;

/** Events that mean more than "something moved". */
const EVENTS: ReadonlyMap<string, Read> = new Map<string, Read>([
  ["response.created", asNothing],
  ["response.queued", asNothing],
  ["response.in_progress", asNothing],
  ["response.output_text.delta", (event, tally) => tally.text(0, textOf(event["delta"]))],
  ["response.reasoning_text.delta", asReasoning],
  ["response.reasoning_summary_text.delta", asReasoning],
  ["response.refusal.delta", asRefusal],
  ["response.refusal.done", asRefusal],
  ["response.function_call_arguments.delta", asToolCall],
  ["response.custom_tool_call_input.delta", asToolCall],
  ["response.shell_call_command.delta", asToolCall],
  ["response.image_generation_call.partial_image", (_event, tally) => tally.output()],
  ["response.output_item.added", (event, tally) => readNewItem(objectOf(event["item"]) ?? {}, tally)],
  ["response.completed", asEnd],
  ["response.incomplete", asEnd],
  ["response.failed", asEnd],
  ["response.cancelled", asEnd],
]);

/** Calls that the caller has to run. The provider runs other calls itself. */
const CALLS_OF_THE_CALLER: ReadonlySet<string> = new Set([
  "function_call",
  "custom_tool_call",
  "computer_call",
  "local_shell_call",
  "shell_call",
  "apply_patch_call",
  "mcp_approval_request",
]);
/** Items that are empty when they are added. */
const SHELLS: ReadonlySet<string> = new Set(["message", "reasoning", ""]);

function readNewItem(item: JsonObject, tally: WireTally): void {
  const type = textOf(item["type"]);
  if (SHELLS.has(type)) tally.advance();
  else if (CALLS_OF_THE_CALLER.has(type)) tally.toolCall(item["arguments"] ?? item["input"]);
  else tally.output();
}

function readEnd(response: JsonObject, tally: WireTally): void {
  // Servers that send no deltas send everything at the end.
  if (!tally.state.sawContent) readOutput(response["output"], tally);
  readStatus(response, tally);
}

function readBody(response: JsonObject, tally: WireTally): boolean {
  if (response["object"] !== "response" && !Array.isArray(response["output"])) return false;
  readOutput(response["output"], tally);
  readStatus(response, tally);
  return true;
}

function readStatus(response: JsonObject, tally: WireTally): void {
  const usage = objectOf(response["usage"]);
  if (usage !== null) tally.used(openaiUsage(usage, response));
  const status = textOf(response["status"]);
  const meaning = STATUSES.get(status);
  if (meaning === "failed") return readFailure(response, tally);
  if (meaning === "deferred") tally.deferred();
  const reason = textOf(objectOf(response["incomplete_details"])?.["reason"]);
  tally.stopped(0, reason !== "" ? reason : status !== "" ? status : "completed");
  tally.complete();
}

/** A status not listed counts as `completed`. */
const STATUSES: ReadonlyMap<string, "failed" | "deferred"> = new Map([
  ["failed", "failed"],
  ["cancelled", "failed"],
  ["queued", "deferred"],
  ["in_progress", "deferred"],
]);

function readFailure(response: JsonObject, tally: WireTally): void {
  const error = response["error"];
  // An unexplained failure is a server error.
  if (!isFilled(error))
    tally.saidError({ stopReason: "error", message: `the response has the status ${textOf(response["status"])}` });
  else tally.saidError({ status: 200, body: { error, error_type: response["error_type"] } });
}

function readOutput(output: unknown, tally: WireTally): void {
  for (const entry of listOf(output)) {
    const item = objectOf(entry) ?? {};
    const type = textOf(item["type"]);
    if (type === "reasoning") tally.reasoning(isFilled(item["summary"]) || isFilled(item["content"]) ? item : "");
    else if (type === "message") readParts(item["content"], tally);
    else readNewItem(item, tally);
  }
}

function readParts(parts: unknown, tally: WireTally): void {
  for (const entry of listOf(parts)) {
    const part = objectOf(entry) ?? {};
    if (part["type"] === "output_text") tally.text(0, textOf(part["text"]));
    else if (part["type"] === "refusal") tally.refusal();
    else tally.output();
  }
}
