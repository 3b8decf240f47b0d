// The headers that come with OpenAI's answers.

import { idOf, type Stamp } from "../wire.ts";

type Headers = Readonly<Record<string, string>>;

export function openAiHeaders(stamp: Stamp): Headers {
  return {
    ...openAiErrorHeaders(stamp),
    "x-ratelimit-limit-requests": "10000",
    "x-ratelimit-limit-tokens": "2000000",
    "x-ratelimit-remaining-requests": "9999",
    "x-ratelimit-remaining-tokens": "1999000",
    "x-ratelimit-reset-requests": "6ms",
    "x-ratelimit-reset-tokens": "30ms",
  };
}

export function openAiErrorHeaders(stamp: Stamp): Headers {
  return {
    "x-request-id": idOf("req_", stamp),
    "openai-organization": "org-chaos",
    "openai-processing-ms": "42",
    "openai-version": "2020-10-01",
  };
}
