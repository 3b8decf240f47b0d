// What a protocol brings to the reader of its bytes, and how an error looks that any of them may carry inside a 200.

import type { JsonObject } from "../../core/json-fields.ts";
import type { WireTally } from "./tally.ts";

export interface WireProtocol {
  /** What proves a proper end, in words for a message. */
  readonly endMark: string;
  /** Types of events after which none follows, so that the end is known before the connection closes. */
  readonly lastEvents: ReadonlySet<string>;
  /** The official SDK hands out a last event that no blank line ends, so what it says counts. Others drop it. */
  readonly takesUnendedEvent: boolean;
  /** Takes in one event of a stream. False: this is nothing the protocol knows. */
  readonly readEvent: (event: JsonObject, tally: WireTally) => boolean;
  /** Takes in a whole answer. False: this is not the protocol's shape. */
  readonly readBody: (body: JsonObject, tally: WireTally) => boolean;
}

/**
 * The error an event or a body carries, without the answer around it: a model's words are no evidence, and the finish reason `error`
 * would hide the code beside it. Null when there is none.
 */
export function errorIn(holder: JsonObject): JsonObject | null {
  const isError = Boolean(holder["error"]) || holder["type"] === "error" || holder["object"] === "error";
  return isError ? errorFields(holder) : null;
}

export function errorFields(holder: JsonObject): JsonObject {
  const kept: Record<string, unknown> = {};
  for (const field of ERROR_FIELDS) if (holder[field] !== undefined) kept[field] = holder[field];
  return kept;
}

// prettier-ignore
const ERROR_FIELDS = ["error", "type", "object", "code", "status", "statusCode", "message", "detail", "param", "error_type", "request_id"];
