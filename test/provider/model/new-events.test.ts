// The library skips events of types that its version of the AI SDK does not know, as the gateway does (test/gateway/new-events.test.ts).

import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { createAnthropic } from "@ai-sdk/anthropic";
import { createOpenAI } from "@ai-sdk/openai";
import { streamText } from "ai";
import { expect, it, onTestFinished } from "vitest";
import { createFaultline } from "../../../src/index.ts";
import { SSE, streamOf } from "../../gateway/stub-upstream.ts";

const PIECES = ["One ", "way: ", "north 🧭."];
const NEWS = `data: ${JSON.stringify({ type: "vendor_news", words: "more" })}\n\n`;

it.each(["anthropic-messages", "openai-chat", "openai-responses"] as const)(
  "a stream of %s with an event of a new type arrives whole, at the first request",
  async (dialect) => {
    let requests = 0;
    const server = createServer((request, response) => {
      requests += 1;
      request.resume();
      const [first = "", ...rest] = streamOf(dialect, PIECES).split(/(?<=\n\n)/);
      response.writeHead(200, SSE).end([first, NEWS, ...rest].join(""));
    });
    onTestFinished(() => void server.close());
    await once(server.listen(0, "127.0.0.1"), "listening");
    const settings = { baseURL: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`, apiKey: "key" };
    const openai = createOpenAI(settings);
    const models = {
      "anthropic-messages": createAnthropic(settings)("m"),
      "openai-chat": openai.chat("m"),
      "openai-responses": openai.responses("m"),
    };
    const fl = createFaultline();
    onTestFinished(() => fl.close());
    const { text } = streamText({ model: fl.model([models[dialect]]), prompt: "Which way?" });
    expect(await text).toBe(PIECES.join(""));
    expect(requests).toBe(1);
  },
);
