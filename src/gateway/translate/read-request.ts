// The readers of requests, by dialect.

import type { Protocol } from "../../provider/wire/protocol.ts";
import type { JsonObject } from "../../core/json-fields.ts";
import { readAnthropic } from "./read-anthropic.ts";
import { readGoogle } from "./read-google.ts";
import { readOpenaiChat } from "./read-openai-chat.ts";
import { readOpenaiResponses } from "./read-openai-responses.ts";
import type { ReadRequest } from "./request-reading.ts";

const READERS: Readonly<Record<Protocol, (body: JsonObject) => ReadRequest>> = {
  "openai-chat": readOpenaiChat,
  "openai-responses": readOpenaiResponses,
  "anthropic-messages": readAnthropic,
  "google-generate": readGoogle,
};

export function readRequest(dialect: Protocol, body: JsonObject): ReadRequest {
  return READERS[dialect](body);
}
