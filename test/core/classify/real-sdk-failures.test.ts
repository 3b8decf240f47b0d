// Proves that `classify` names the right fault for what the real SDKs throw: openai, @anthropic-ai/sdk, @google/genai and
// ai, with retries off, against a real server that answers with an error, answers half, resets, hangs or is not there.

import { describe, expect, it } from "vitest";
import { classify } from "../../../src/core/classify/classify.ts";
import type { FaultCode } from "../../../src/core/fault/catalogue.ts";
import type { Fault } from "../../../src/core/fault/fault.ts";
import {
  closedUrl,
  cutBody,
  neverAnswer,
  reply,
  resetBeforeHeaders,
  streamOf,
  withServer,
} from "../../support/failing-server.ts";
import { SDK_CLIENTS, type SdkClient } from "../../support/sdk-clients.ts";
import { thrownBy } from "../../support/thrown.ts";

const OBSERVED_AT = Date.UTC(2026, 10, 15, 12);
const CLIENTS = Object.values(SDK_CLIENTS);

function classifyThrown({ provider }: SdkClient, error: unknown, aborted?: boolean): Fault {
  return classify({ surface: "node", provider, error, aborted, observedAt: OBSERVED_AT });
}

function expectFault(fault: Fault, code: FaultCode): void {
  expect(fault).toMatchObject({ code });
  expect(fault.evidence.rule).not.toBe("none");
}

describe.each(CLIENTS)("an error answer, thrown by $sdk", (client) => {
  it.each(client.errors)("$name is $means", async ({ status, body, headers, means, retryAfterMs }) => {
    const error = await withServer(reply(status, body, headers), ({ url }) => thrownBy(client.call(url)));
    const fault = classifyThrown(client, error);
    expectFault(fault, means);
    expect(fault.context).toMatchObject({ status });
    if (retryAfterMs !== undefined) expect(fault).toMatchObject({ retryAfterMs, resetAt: OBSERVED_AT + retryAfterMs });
  });
});

describe.each(CLIENTS)("a connection that fails under $sdk", (client) => {
  it("refused is NetworkDisconnect", async () => {
    const error = await thrownBy(client.call(await closedUrl()));
    expectFault(classifyThrown(client, error), "NetworkDisconnect");
  });

  it.each([
    { name: "reset before headers", answer: resetBeforeHeaders },
    { name: "a body cut midway", answer: cutBody },
  ])("$name is NetworkDisconnect", async ({ answer }) => {
    const error = await withServer(answer, ({ url }) => thrownBy(client.call(url)));
    expectFault(classifyThrown(client, error), "NetworkDisconnect");
  });
});

describe("a server that never answers", () => {
  // @google/genai throws the same AbortError for its own timeout and for the caller's abort, so only an adapter that
  // knows its caller did not abort can tell: it says so.
  it.each([
    { client: SDK_CLIENTS.openAi, aborted: undefined },
    { client: SDK_CLIENTS.anthropic, aborted: undefined },
    { client: SDK_CLIENTS.aiSdk, aborted: undefined },
    { client: SDK_CLIENTS.openAi, aborted: false },
    { client: SDK_CLIENTS.anthropic, aborted: false },
    { client: SDK_CLIENTS.aiSdk, aborted: false },
    { client: SDK_CLIENTS.google, aborted: false },
  ])("the timeout of $client.sdk with aborted: $aborted is NetworkTimeout", async ({ client, aborted }) => {
    const error = await withServer(neverAnswer, ({ url }) => thrownBy(client.call(url, { timeoutMs: 50 })));
    expectFault(classifyThrown(client, error, aborted), "NetworkTimeout");
  });

  it.each(CLIENTS.flatMap((client) => [true, undefined].map((aborted) => ({ client, aborted }))))(
    "the caller's abort of $client.sdk with aborted: $aborted is TurnCancelled",
    async ({ client, aborted }) => {
      const caller = new AbortController();
      const error = await withServer(neverAnswer, async ({ url, requested }) => {
        const thrown = thrownBy(client.call(url, { signal: caller.signal }));
        await requested;
        caller.abort();
        return thrown;
      });
      expectFault(classifyThrown(client, error, aborted), "TurnCancelled");
    },
  );
});

const CHAT_DELTA = data({
  id: "c-1",
  object: "chat.completion.chunk",
  choices: [{ index: 0, delta: { content: "par" } }],
});
const MESSAGE_START = `event: message_start\n${data({
  type: "message_start",
  message: {
    id: "msg_1",
    type: "message",
    role: "assistant",
    content: [],
    usage: { input_tokens: 1, output_tokens: 1 },
  },
})}`;
const CANDIDATE = data({ candidates: [{ content: { role: "model", parts: [{ text: "par" }] }, index: 0 }] });

function data(value: object): string {
  return `data: ${JSON.stringify(value)}`;
}

function anthropicError(type: string, message: string): string {
  return `event: error\n${data({ type: "error", error: { type, message } })}`;
}

interface BrokenStream {
  readonly client: SdkClient;
  readonly name: string;
  readonly events: readonly string[];
  readonly means: FaultCode;
}

// prettier-ignore
const BROKEN_STREAMS: readonly BrokenStream[] = [
  { client: SDK_CLIENTS.openAi, name: "server_error", events: [CHAT_DELTA, data({ error: { message: "The server had an error while processing your request", type: "server_error", param: null, code: null } })], means: "Provider5xx" },
  { client: SDK_CLIENTS.openAi, name: "a code 502", events: [CHAT_DELTA, data({ error: { code: 502, message: "Provider disconnected unexpectedly" } })], means: "Provider5xx" },
  { client: SDK_CLIENTS.openAi, name: "rate_limit_exceeded", events: [CHAT_DELTA, data({ error: { message: "Rate limit reached", type: "tokens", param: null, code: "rate_limit_exceeded" } })], means: "RateLimited" },
  { client: SDK_CLIENTS.openAi, name: "insufficient_quota", events: [CHAT_DELTA, data({ error: { message: "You exceeded your current quota, please check your plan and billing details.", type: "insufficient_quota", param: null, code: "insufficient_quota" } })], means: "QuotaExhausted" },
  { client: SDK_CLIENTS.anthropic, name: "overloaded_error", events: [MESSAGE_START, anthropicError("overloaded_error", "Overloaded")], means: "Overloaded" },
  { client: SDK_CLIENTS.anthropic, name: "api_error", events: [MESSAGE_START, anthropicError("api_error", "Internal server error")], means: "Provider5xx" },
  { client: SDK_CLIENTS.anthropic, name: "rate_limit_error", events: [MESSAGE_START, anthropicError("rate_limit_error", "This request would exceed your organization's rate limit of 50 requests per minute.")], means: "RateLimited" },
  { client: SDK_CLIENTS.google, name: "UNAVAILABLE", events: [CANDIDATE, data({ error: { code: 503, message: "The model is overloaded. Please try again later.", status: "UNAVAILABLE" } })], means: "Overloaded" },
];

describe("an error event inside a stream that began well", () => {
  it.each(BROKEN_STREAMS)("$client.sdk: $name is $means", async ({ client, events, means }) => {
    const read = client.stream;
    if (read === undefined) throw new Error(`${client.sdk} has no stream here`);
    const error = await withServer(streamOf(events), ({ url }) => thrownBy(read(url)));
    expectFault(classifyThrown(client, error), means);
  });
});
