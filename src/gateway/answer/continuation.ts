// What a client has of a stream that broke, if another target can continue it: text and nothing else, with its block still open.
// Read from the very lines that the client was sent, so no character is lost and none comes twice. Pure.

import { countOf, isMap, type JsonObject, listOf, objectOf, textOf } from "../../core/json-fields.ts";
import { parseJson } from "../../core/try-read.ts";
import type { Protocol } from "../../provider/wire/protocol.ts";

export interface Continuation {
  readonly text: string;
  /** The answer's id, as the client has it; empty where the dialect has none. */
  readonly id: string;
  /** The id of the open item. Responses only. */
  readonly item: string;
  /** The number of the next event. Responses only. */
  readonly number: number;
}

type Sent = { -readonly [Field in keyof Continuation]: Continuation[Field] };

/** Takes an event in; false when what the client has by now cannot be continued. */
type Reader = (event: JsonObject, sent: Sent) => boolean;

export function continuationOf(dialect: Protocol, lines: string): Continuation | null {
  const sent: Sent = { text: "", id: "", item: "", number: 0 };
  const read = READERS[dialect];
  for (const line of lines.split(/\r\n|\n|\r/)) {
    if (!line.startsWith("data:")) continue;
    const event = objectOf(parseJson(line.slice("data:".length)));
    if (event === null || !read(event, sent)) return null;
  }
  return sent.text === "" ? null : sent;
}

const READERS: Readonly<Record<Protocol, Reader>> = {
  "openai-chat": (event, sent) => {
    const choices = listOf(event["choices"]);
    const choice = objectOf(choices[0]) ?? {};
    if (choices.length > 1 || countOf(choice["index"]) > 0 || isSet(choice["finish_reason"])) return false;
    const { content, role: _role, ...others } = objectOf(choice["delta"]) ?? {};
    sent.id ||= textOf(event["id"]);
    sent.text += textOf(content);
    return Object.values(others).every((other) => !isSet(other));
  },
  "openai-responses": (event, sent) => {
    sent.number = countOf(event["sequence_number"]) + 1;
    const item = objectOf(event["item"]);
    switch (event["type"]) {
      case "response.created":
      case "response.in_progress":
        sent.id ||= textOf(objectOf(event["response"])?.["id"]);
        return true;
      case "response.output_item.added": {
        const isFirst = sent.item === "" && countOf(event["output_index"]) === 0 && item?.["type"] === "message";
        sent.item = textOf(item?.["id"]);
        return isFirst;
      }
      case "response.content_part.added":
        return countOf(event["content_index"]) === 0 && objectOf(event["part"])?.["type"] === "output_text";
      case "response.output_text.delta":
        sent.text += textOf(event["delta"]);
        return true;
      default:
        return false;
    }
  },
  "anthropic-messages": (event, sent) => {
    const { type } = event;
    if (type === "ping") return true;
    if (type === "message_start") {
      sent.id = textOf(objectOf(event["message"])?.["id"]);
      return true;
    }
    if (countOf(event["index"]) !== 0) return false;
    const block = objectOf(event["content_block"]);
    const delta = objectOf(event["delta"]);
    sent.text += textOf(block?.["text"]) + textOf(delta?.["text"]);
    return block?.["type"] === "text" || (type === "content_block_delta" && delta?.["type"] === "text_delta");
  },
  "google-generate": (event, sent) => {
    const candidates = listOf(event["candidates"]);
    const candidate = objectOf(candidates[0]) ?? {};
    if (candidates.length > 1 || isSet(candidate["finishReason"]) || isSet(event["promptFeedback"])) return false;
    const parts = listOf(objectOf(candidate["content"])?.["parts"]);
    sent.id ||= textOf(event["responseId"]);
    for (const part of parts) sent.text += textOf(objectOf(part)?.["text"]);
    return parts.every((part) => isMap(part) && Object.keys(part).every((field) => field === "text"));
  },
};

/** Some targets write every field, with nothing in most of them. */
function isSet(value: unknown): boolean {
  return value !== undefined && value !== null && value !== "" && !(Array.isArray(value) && value.length === 0);
}
