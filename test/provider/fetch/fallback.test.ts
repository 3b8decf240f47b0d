// `fl.fetch` with fallbacks under the official SDKs: every protocol, whole and streamed, another server, key or model.

import Anthropic from "@anthropic-ai/sdk";
import { GoogleGenAI } from "@google/genai";
import OpenAI from "openai";
import { describe, expect, it, onTestFinished } from "vitest";
import { type Chaos, startChaos } from "../../../src/chaos/start-chaos.ts";
import {
  createFaultline,
  createMemoryJournal,
  type Faultline,
  type FaultlineFetchOptions,
  type FetchFallback,
} from "../../../src/index.ts";
import { thrownBy } from "../../support/thrown.ts";

const KEY = "sk-first-key-0123456789abcdef";
const OTHER_KEY = "sk-other-key-0123456789abcdef";

interface Wire {
  readonly provider: string;
  readonly baseOf: (chaos: Chaos) => string;
  readonly ask: (baseURL: string, fetching: typeof fetch, streaming: boolean) => Promise<string>;
}

async function textOf(
  parts: AsyncIterable<unknown>,
  read: (part: never) => string | null | undefined,
): Promise<string> {
  let text = "";
  for await (const part of parts) text += read(part as never) ?? "";
  return text;
}

const messages = [{ role: "user" as const, content: "hi" }];
const headers = { "x-team-secret": "tell-nobody-else" };

const WIRES: Readonly<Record<string, Wire>> = {
  "openai chat": {
    provider: "openai",
    baseOf: ({ openaiUrl }) => openaiUrl,
    ask: async (baseURL, fetching, stream) => {
      const openai = new OpenAI({ apiKey: KEY, maxRetries: 0, baseURL, fetch: fetching, defaultHeaders: headers });
      if (!stream)
        return (await openai.chat.completions.create({ model: "gpt-5", messages })).choices[0]?.message.content ?? "";
      return textOf(
        await openai.chat.completions.create({ model: "gpt-5", messages, stream: true }),
        ({ choices }: OpenAI.ChatCompletionChunk) => choices[0]?.delta.content,
      );
    },
  },
  "openai responses": {
    provider: "openai",
    baseOf: ({ openaiUrl }) => openaiUrl,
    ask: async (baseURL, fetching, stream) => {
      const openai = new OpenAI({ apiKey: KEY, maxRetries: 0, baseURL, fetch: fetching, defaultHeaders: headers });
      if (!stream) return (await openai.responses.create({ model: "gpt-5", input: "hi" })).output_text;
      return textOf(
        await openai.responses.create({ model: "gpt-5", input: "hi", stream: true }),
        (event: OpenAI.Responses.ResponseStreamEvent) =>
          event.type === "response.output_text.delta" ? event.delta : "",
      );
    },
  },
  "anthropic": {
    provider: "anthropic",
    baseOf: ({ anthropicUrl }) => anthropicUrl,
    ask: async (baseURL, fetching, stream) => {
      const anthropic = new Anthropic({
        apiKey: KEY,
        maxRetries: 0,
        baseURL,
        fetch: fetching,
        defaultHeaders: headers,
      });
      const request = { model: "claude-sonnet-4-5", max_tokens: 200, messages };
      if (stream) return anthropic.messages.stream(request).finalText();
      const [first] = (await anthropic.messages.create(request)).content;
      return first?.type === "text" ? first.text : "";
    },
  },
  "google": {
    provider: "google",
    baseOf: ({ googleUrl }) => googleUrl,
    ask: async (baseURL, fetching, stream) => {
      const httpOptions = { baseUrl: baseURL.replace(/\/v1beta$/, ""), fetch: fetching, headers };
      const { models } = new GoogleGenAI({ apiKey: KEY, httpOptions });
      const request = { model: "gemini-2.5-flash", contents: "hi" };
      if (!stream) return (await models.generateContent(request)).text ?? "";
      return textOf(await models.generateContentStream(request), ({ text }: { text?: string }) => text);
    },
  },
};

const GRID = Object.entries(WIRES).flatMap(([name, wire]) =>
  [false, true].map((streaming) => ({ name: `${name}, ${streaming ? "streamed" : "whole"}`, wire, streaming })),
);

interface World {
  readonly fl: Faultline;
  readonly first: Chaos;
  readonly second: Chaos;
}

async function world(): Promise<World> {
  const [first, second] = await Promise.all([startChaos(), startChaos()]);
  onTestFinished(() => Promise.all([first.close(), second.close()]).then(() => undefined));
  return { fl: createFaultline(), first, second };
}

const HASTY = { maxAttempts: 1 };
const fetchOf = (
  { fl }: World,
  { provider }: Wire,
  fallback: readonly FetchFallback[],
  more: Partial<FaultlineFetchOptions> = {},
) => fl.fetch({ provider, fallback, retryBeforeFallback: HASTY, ...more });

describe.each(GRID)("$name", ({ wire, streaming }) => {
  it("an overloaded server is replaced, and the other one gets neither key nor headers of the first", async () => {
    const here = await world();
    here.first.script(["overloaded"]);
    const sent: Headers[] = [];
    const spy: typeof fetch = (input, init) => {
      sent.push(new Headers(init?.headers));
      return fetch(input, init);
    };
    const fallback = { baseURL: wire.baseOf(here.second), apiKey: OTHER_KEY, headers: { "x-tenant": "b" } };
    const fetching = fetchOf(here, wire, [fallback], { fetch: spy });
    expect(await wire.ask(wire.baseOf(here.first), fetching, streaming)).toMatch(/^You said: hi/);
    expect([here.first.received().length, here.second.received().length]).toEqual([1, 1]);
    expect(here.second.received()[0]).toMatchObject({ status: 200, streaming, complaint: null });
    const [, other] = sent.map((all) => JSON.stringify([...all]));
    expect(other).toContain(OTHER_KEY);
    expect(other).toContain("x-tenant");
    expect(other).not.toContain(KEY);
    expect(other).not.toContain("tell-nobody-else");
  });

  it("a used-up quota moves on to another key, a missing model to another model, at the same address", async () => {
    const here = await world();
    const base = wire.baseOf(here.first);
    here.first.script(["quota", "ok", "not-found", "ok"]);
    expect(await wire.ask(base, fetchOf(here, wire, [{ apiKey: OTHER_KEY }]), streaming)).toMatch(/^You said: hi/);
    expect(await wire.ask(base, fetchOf(here, wire, [{ model: "other-model" }]), streaming)).toMatch(/^You said: hi/);
    const received = here.first.received();
    expect(received.map(({ status }) => status)).toEqual([expect.any(Number), 200, expect.any(Number), 200]);
    expect(received[0]?.key).not.toBe(received[1]?.key);
    expect(received[3]?.model).toBe("other-model");
    expect(received[2]?.key).toBe(received[3]?.key);
  });

  it("a mistake in the request stops the chain, and the SDK throws its own error", async () => {
    const here = await world();
    here.first.script(["bad-request"]);
    const fetching = fetchOf(here, wire, [{ baseURL: wire.baseOf(here.second) }]);
    expect(await thrownBy(wire.ask(wire.baseOf(here.first), fetching, streaming))).toMatchObject({ status: 400 });
    expect(here.second.received()).toEqual([]);
  });

  it("an open breaker is not asked again: the request goes to the fallback at once", async () => {
    const here = await world();
    const fallback = [{ baseURL: wire.baseOf(here.second) }];
    const fetching = fetchOf(here, wire, fallback);
    here.first.script(Array.from({ length: 9 }, () => "server-error"));
    for (let time = 0; time < 7; time++) await wire.ask(wire.baseOf(here.first), fetching, streaming);
    expect(here.second.received()).toHaveLength(7);
    expect(here.first.received()).toHaveLength(5);
  });

  it("a program that runs again gets the recorded answer", async () => {
    const here = await world();
    const journal = createMemoryJournal();
    here.first.script(["overloaded"]);
    const life = async () => {
      const fl = createFaultline({ journal });
      const session = await fl.session("s1");
      const fetching = fl.fetch({
        provider: wire.provider,
        fallback: [{ baseURL: wire.baseOf(here.second) }],
        retryBeforeFallback: HASTY,
        within: session,
      });
      return wire.ask(wire.baseOf(here.first), fetching, streaming);
    };
    expect(await life()).toBe(await life());
    expect([here.first.received().length, here.second.received().length]).toEqual([1, 1]);
  });
});

it.each(Object.entries(WIRES))(
  "%s: a stream that breaks after its first words does not start again elsewhere",
  async (_name, wire) => {
    const here = await world();
    here.first.script(["cut-stream"]);
    const fetching = fetchOf(here, wire, [{ baseURL: wire.baseOf(here.second) }]);
    await thrownBy(wire.ask(wire.baseOf(here.first), fetching, true));
    expect(here.second.received()).toEqual([]);
  },
);

it("by default a target is asked twice before the next one", async () => {
  const here = await world();
  here.first.script(["overloaded", "overloaded", "overloaded"]);
  const wire = WIRES["openai chat"];
  if (wire === undefined) throw new Error("there is no such wire");
  const fetching = here.fl.fetch({ provider: "openai", fallback: [{ baseURL: wire.baseOf(here.second) }] });
  expect(await wire.ask(wire.baseOf(here.first), fetching, false)).toMatch(/^You said: hi/);
  expect([here.first.received().length, here.second.received().length]).toEqual([2, 1]);
});

it.each([
  ["?key=first", ""],
  ["?key=first&alt=sse", "?alt=sse"],
  ["?alt=sse&key=first", "?alt=sse"],
])("another key replaces the one in the address: %s", async (query, expected) => {
  const asked: string[] = [];
  const fl = createFaultline();
  const ask = fl.fetch({
    provider: "google",
    fallback: [{ apiKey: OTHER_KEY }],
    retryBeforeFallback: { maxAttempts: 1 },
    fetch: (input) => {
      asked.push(new URL(input instanceof Request ? input.url : input).search);
      return Promise.resolve(Response.json({ error: { status: "PERMISSION_DENIED", code: 403 } }, { status: 403 }));
    },
  });
  await ask(`https://generativelanguage.googleapis.com/v1beta/models/g:generateContent${query}`, {
    method: "POST",
    body: '{"contents":[]}',
  });
  expect(asked).toEqual([query, expected]);
  await fl.close();
});

it("a key that cannot be sent is refused, and not shown", () => {
  const fl = createFaultline();
  const make = (): unknown => fl.fetch({ provider: "openai", fallback: [{ apiKey: "sk-secret\n" }] });
  expect(make).toThrow("fl.fetch: fallback[0].apiKey is a string; it must be a key without line breaks");
});

it("a fallback that changes nothing is refused: it would be a retry", () => {
  const fl = createFaultline();
  expect(() => fl.fetch({ provider: "openai", fallback: [{}] })).toThrow(
    "fl.fetch: fallback[0] is an object; it must be an object with a model, an apiKey, a baseURL or another of its fields",
  );
});
