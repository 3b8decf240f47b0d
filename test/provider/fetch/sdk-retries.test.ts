// Faultline retries, and the SDK on top of it does not, whatever failed. The SDKs have their default settings, with retries on.

import Anthropic from "@anthropic-ai/sdk";
import { GoogleGenAI } from "@google/genai";
import OpenAI from "openai";
import { describe, expect, it } from "vitest";
import { DEFAULT_POLICY, withRows } from "../../../src/core/index.ts";
import { classify, createFaultline } from "../../../src/index.ts";
import { neverAnswer, reply, resetBeforeHeaders, withServer } from "../../support/failing-server.ts";
import { thrownBy } from "../../support/thrown.ts";

type Fetch = typeof fetch;
const MESSAGES = [{ role: "user" as const, content: "hi" }];

// prettier-ignore
const SDKS: readonly { readonly sdk: string; readonly provider: string; readonly call: (url: string, fetch: Fetch, stream: boolean) => Promise<unknown> }[] = [
  { sdk: "openai",            provider: "openai",    call: (baseURL, fetch, stream) => new OpenAI({ baseURL, apiKey: "k", fetch }).chat.completions.create({ model: "gpt-5", messages: MESSAGES, stream }) },
  { sdk: "openai responses",  provider: "openai",    call: (baseURL, fetch, stream) => new OpenAI({ baseURL, apiKey: "k", fetch }).responses.create({ model: "gpt-5", input: "hi", stream }) },
  { sdk: "@anthropic-ai/sdk", provider: "anthropic", call: (baseURL, fetch, stream) => new Anthropic({ baseURL, apiKey: "k", fetch }).messages.create({ model: "claude-sonnet-4-5", max_tokens: 9, messages: MESSAGES, stream }) },
  { sdk: "@google/genai",     provider: "google",    call: (baseUrl, fetch, stream) => {
      const { models } = new GoogleGenAI({ apiKey: "k", httpOptions: { baseUrl, fetch } });
      const asked = { model: "gemini-2.5-flash", contents: "hi" };
      return stream ? models.generateContentStream(asked) : models.generateContent(asked);
    } },
];

const FAILURES = {
  refused: { server: null, code: "NetworkDisconnect" },
  reset: { server: resetBeforeHeaders, code: "NetworkDisconnect" },
  silent: { server: neverAnswer, code: "NetworkTimeout" },
  broken: { server: reply(500, '{"error":{"message":"internal error","type":"server_error"}}'), code: "Provider5xx" },
} as const;

const ATTEMPTS = 3;
const BACKOFF = { kind: "fixed", initialMs: 1, maxMs: 1, multiplier: 1 } as const;
const POLICY = withRows(DEFAULT_POLICY, [
  {
    match: {},
    retry: { maxAttempts: ATTEMPTS, backoff: BACKOFF, jitter: 0, maxWaitMs: 1_000, maxTotalWaitMs: 1_000 },
    then: ["surface", "fail"],
    origin: { layer: "file", at: "test" },
  },
]);

describe.each(SDKS)("$sdk on fl.fetch", ({ provider, call }) => {
  for (const stream of [false, true]) {
    it.each(Object.entries(FAILURES))(
      `a server that is %s is asked as often as the policy says (stream: ${stream})`,
      async (_name, { server, code }) => {
        let sent = 0;
        const fl = createFaultline({ policy: POLICY });
        const counting: Fetch = (input, init) => {
          sent += 1;
          return fetch(input, init);
        };
        const timeouts = { headersMs: 40, firstTokenMs: 40 };
        const protectedFetch = fl.fetch({ provider, fetch: counting, ...(server === neverAnswer ? { timeouts } : {}) });
        const ask = async (url: string): Promise<unknown> => thrownBy(call(url, protectedFetch, stream));
        let url = "";
        const thrown =
          server === null
            ? await withServer(neverAnswer, (gone) => Promise.resolve((url = gone.url))).then(() => ask(url))
            : await withServer(server, (here) => ask(here.url));
        expect(thrown).toBeInstanceOf(Error);
        expect(classify({ surface: "node", error: thrown }).code).toBe(code);
        expect(sent).toBe(ATTEMPTS);
      },
    );
  }
});
