// A key of unknown shape stays secret when the provider repeats it in an error, in a chain and through `fetch`.

import { createServer } from "node:http";
import { createOpenAI } from "@ai-sdk/openai";
import { generateText } from "ai";
import { describe, expect, it, onTestFinished } from "vitest";
import { createFaultline, type Faultline } from "../../../src/index.ts";

const KEY = "plainwordskeynobodyknows";

async function repeatingProvider(): Promise<string> {
  const server = createServer((request, response) => {
    const key = (request.headers.authorization ?? "").replace("Bearer ", "");
    response.writeHead(400, { "content-type": "application/json" });
    response.end(JSON.stringify({ error: { message: `no such thing for ${key}`, type: "invalid_request_error" } }));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no port");
  return `http://127.0.0.1:${address.port}/v1`;
}

type Ask = (fl: Faultline, baseURL: string, session: Awaited<ReturnType<Faultline["session"]>>) => Promise<unknown>;

const WAYS: Readonly<Record<string, Ask>> = {
  "fl.model": (fl, baseURL, within) => {
    const openai = createOpenAI({ baseURL, apiKey: KEY });
    return generateText({ model: fl.model([openai("gpt-5")], { within }), prompt: "hi", maxRetries: 0 });
  },
  "fl.fetch": async (fl, baseURL, within) => {
    const send = fl.fetch({ provider: "openai", within });
    const headers = { "authorization": `Bearer ${KEY}`, "content-type": "application/json" };
    const body = JSON.stringify({ model: "gpt-5", messages: [{ role: "user", content: "hi" }] });
    await send(`${baseURL}/chat/completions`, { method: "POST", headers, body });
  },
};

describe.each(Object.entries(WAYS))("%s", (_name, ask) => {
  it("records a refusal without the key", async () => {
    const fl = createFaultline();
    const session = await fl.session("refused");
    await Promise.allSettled([ask(fl, await repeatingProvider(), session)]);
    const entries = JSON.stringify(await session.entries());
    expect(entries).toContain("no such thing for");
    expect(entries).not.toContain(KEY);
  });
});

it("does not remove a placeholder from every message", async () => {
  const fl = createFaultline();
  const session = await fl.session("local");
  fl.model([createOpenAI({ baseURL: "http://127.0.0.1:9/v1", apiKey: "ollama" })("llama")]);
  expect(session.redactor.text("ollama is not running")).toBe("ollama is not running");
});
