// The writers of answers, by dialect.

import type { Protocol } from "../../provider/wire/protocol.ts";
import type { DialectWriter } from "./answer-writing.ts";
import { ANTHROPIC_WRITER } from "./write-anthropic.ts";
import { GOOGLE_WRITER } from "./write-google.ts";
import { OPENAI_CHAT_WRITER } from "./write-openai-chat.ts";
import { OPENAI_RESPONSES_WRITER } from "./write-openai-responses.ts";

export const WRITERS: Readonly<Record<Protocol, DialectWriter>> = {
  "openai-chat": OPENAI_CHAT_WRITER,
  "openai-responses": OPENAI_RESPONSES_WRITER,
  "anthropic-messages": ANTHROPIC_WRITER,
  "google-generate": GOOGLE_WRITER,
};
