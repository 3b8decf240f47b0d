// Every protocol by its id.

import type { ChaosProtocol, ProtocolId } from "../wire.ts";
import { anthropic } from "./anthropic.ts";
import { google } from "./google.ts";
import { openAiChat } from "./openai-chat.ts";
import { openAiResponses } from "./openai-responses.ts";

export const PROTOCOL_OF: Readonly<Record<ProtocolId, ChaosProtocol>> = {
  "openai-chat": openAiChat,
  "openai-responses": openAiResponses,
  anthropic,
  google,
};
