// An error by its id, in the words of the vendor whose protocol is spoken.

import { PROTOCOL_OF } from "../protocols/index.ts";
import type { ErrorAnswer, ChaosProtocol } from "../wire.ts";
import { ANTHROPIC_ERRORS } from "./anthropic.ts";
import type { ErrorFacts, ErrorId, ErrorTable } from "./error-ids.ts";
import { GOOGLE_ERRORS } from "./google.ts";
import { OPENAI_ERRORS } from "./openai.ts";

const TABLES: Readonly<Record<ChaosProtocol["vendor"], ErrorTable>> = {
  openai: OPENAI_ERRORS,
  anthropic: ANTHROPIC_ERRORS,
  google: GOOGLE_ERRORS,
};

export function vendorError(id: ErrorId, facts: ErrorFacts): ErrorAnswer {
  return TABLES[PROTOCOL_OF[facts.protocol].vendor][id](facts);
}
