// Errors that agents act on reach them in the form that they know: a conversation that is too long, a prompt that a filter refuses, and a
// limit that lasts.

import { describe, expect, it } from "vitest";
import type { Protocol } from "../../src/provider/wire/protocol.ts";
import { ask, DIALECTS } from "./dialect-clients.ts";
import { stubWorld } from "./stub-upstream.ts";

/** As the vendor of each dialect writes them. */
const TOO_LONG: Readonly<Record<Protocol, object>> = {
  "openai-chat": {
    error: {
      message:
        "This model's maximum context length is 128000 tokens. However, your messages resulted in 140000 tokens.",
      ...{ type: "invalid_request_error", param: "messages", code: "context_length_exceeded" },
    },
  },
  "openai-responses": {
    error: {
      message: "Your input exceeds the context window of this model. Please adjust your input and try again.",
      ...{ type: "invalid_request_error", param: "input", code: "context_length_exceeded" },
    },
  },
  "anthropic-messages": {
    type: "error",
    error: { type: "invalid_request_error", message: "prompt is too long: 210000 tokens > 200000 maximum" },
  },
  "google-generate": {
    error: {
      code: 400,
      message: "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).",
      status: "INVALID_ARGUMENT",
    },
  },
};

/** How agents recognise it. */
const KNOWN_BY: Readonly<Record<Protocol, RegExp>> = {
  "openai-chat": /"code":\s?"context_length_exceeded"/,
  "openai-responses": /"code":\s?"context_length_exceeded"/,
  "anthropic-messages": /"invalid_request_error".*prompt is too long/,
  "google-generate": /"INVALID_ARGUMENT"/,
};

const file =
  (dialect: Protocol) =>
  (base: string): string =>
    `
version: 1
targets: { us: { dialect: ${dialect}, base_url: "${base}/us" } }
routes: { team: { chain: [us/any-model] } }
`;

describe.each(DIALECTS)("a client that speaks %s", (client) => {
  it.each(DIALECTS)("recognises a conversation that is too long for a target that speaks %s", async (target) => {
    const world = await stubWorld((_request, response) => {
      response.writeHead(400, { "content-type": "application/json" }).end(JSON.stringify(TOO_LONG[target]));
    }, file(target));
    const heard = await world.run(ask(world.url, client));
    expect([heard.status, heard.headers.get("x-faultline-code")]).toEqual([400, "ContextOverflow"]);
    expect(heard.headers.get("x-should-retry")).toBe("false");
    expect(heard.raw).toMatch(KNOWN_BY[client]);
    if (client === target) expect(JSON.parse(heard.raw)).toEqual(TOO_LONG[target]);
  });

  it.each([
    { seconds: 600, tries: 1 },
    { seconds: 2, tries: 3 },
  ])("is not kept waiting by a target that asks to come back in $seconds seconds", async ({ seconds, tries }) => {
    const world = await stubWorld((_request, response) => {
      const headers = { "content-type": "application/json", "retry-after": String(seconds) };
      response.writeHead(429, headers).end(`{"error":{"message":"Rate limit reached","code":"rate_limit_exceeded"}}`);
    }, file("openai-chat"));
    const startedAt = world.now();
    const heard = await world.run(ask(world.url, client));
    expect([heard.status, heard.headers.get("x-faultline-code")]).toEqual([429, "RateLimited"]);
    expect(Number(heard.headers.get("retry-after"))).toBeGreaterThanOrEqual(seconds);
    expect(world.asked.length).toBeGreaterThanOrEqual(tries);
    // By the clock of the test.
    expect(world.now() - startedAt).toBeLessThan(61_000);
  });
});
