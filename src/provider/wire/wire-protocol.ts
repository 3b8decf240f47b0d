// The interface of a wire protocol, and the shapes of an error inside a 200 that all protocols share.

import type { JsonObject } from "../../core/json-fields.ts";
import type { WireTally } from "./tally.ts";

export interface WireProtocol {
  /** The mark that proves a proper end, as shown in messages. */
  readonly endMark: string;
  /** Event types that are always the last, so the end is known before the connection closes. */
  readonly lastEvents: ReadonlySet<string>;
  /** Whether the official SDK accepts a last event without its blank line. Other SDKs drop it. */
  readonly takesUnendedEvent: boolean;
  /** Reads one event of a stream. Returns false if the protocol does not know it. */
  readonly readEvent: (event: JsonObject, tally: WireTally) => boolean;
  /** Reads a whole answer. Returns false if it does not have the protocol's shape. */
  readonly readBody: (body: JsonObject, tally: WireTally) => boolean;
}

/**
 * The error inside an event or a body, without the answer around it: a model's text is not evidence, and the finish reason `error`
 * would hide the code next to it. Null if there is none.
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
