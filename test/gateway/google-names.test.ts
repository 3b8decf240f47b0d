// Model names in the paths of Google's dialect: with a target, and in any script.

import { GoogleGenAI } from "@google/genai";
import { expect, it } from "vitest";
import { ANSWER, PROMPT } from "./dialect-clients.ts";
import { gatewayWorld } from "./gateway-world.ts";
import type { Urls } from "./open-world.ts";

const file = ({ of }: Urls): string => `
version: 1
targets:
  goog: { dialect: google-generate, base_url: "${of("google-generate")}" }
  chat: { dialect: openai-chat, base_url: "${of("openai-chat")}" }
routes:
  模型: { chain: [goog/a-model] }
  "llama3:8b": { chain: [chat/a-model] }
`;

const ASKED = [
  { model: "goog/a-model", target: "goog/a-model" },
  { model: "goog/m", target: "goog/m" },
  { model: "goog%2Fa-model", target: "goog/a-model" },
  { model: "chat/org/a-model", target: "chat/org/a-model" },
  { model: "%E6%A8%A1%E5%9E%8B", target: "goog/a-model" },
  { model: "llama3%3A8b", target: "chat/a-model" },
  { model: "llama3:8b", target: "chat/a-model" },
  { model: "goog/ft:a-model:org::id", target: "goog/ft:a-model:org::id" },
];
const METHODS = ["generateContent", "streamGenerateContent?alt=sse"];

it.each(ASKED.flatMap((row) => METHODS.map((method) => ({ ...row, method }))))(
  "/v1beta/models/$model:$method reaches $target",
  async ({ model, target, method }) => {
    const world = await gatewayWorld({ file });
    const body = JSON.stringify({ contents: [{ role: "user", parts: [{ text: PROMPT }] }] });
    const asking = async (): Promise<readonly [number, string | null, string]> => {
      const answer = await fetch(`${world.url}/v1beta/models/${model}:${method}`, { method: "POST", body });
      return [answer.status, answer.headers.get("x-faultline-target"), await answer.text()];
    };
    const [status, answered] = await world.run(asking());
    expect([status, answered]).toEqual([200, target]);
  },
);

it.each(["goog/a-model", "模型"])("Google's SDK reaches %s, also to count tokens", async (model) => {
  const world = await gatewayWorld({ file });
  const { models } = new GoogleGenAI({ apiKey: "any", httpOptions: { baseUrl: world.url } });
  const answer = await world.run(models.generateContent({ model, contents: PROMPT }));
  expect(answer.text).toBe(ANSWER);
  const counted = await world.run(models.countTokens({ model, contents: PROMPT }));
  expect(counted.totalTokens).toBeGreaterThan(0);
});

it.each(["/v1/models/llama3:8b", "/v1/models/llama3%3A8b", "/v1beta/models/llama3:8b"])(
  "GET %s names a model, colon and all",
  async (path) => {
    const world = await gatewayWorld({ file });
    const answer = await world.run(fetch(`${world.url}${path}`).then(async (got) => [got.status, await got.text()]));
    expect(answer).toEqual([200, expect.stringContaining("llama3:8b")]);
  },
);

it.each(METHODS.concat("countTokens"))("a path without a model is a call that names no model: %s", async (method) => {
  const world = await gatewayWorld({ file });
  const asking = fetch(`${world.url}/v1beta/models/:${method}`, { method: "POST", body: "{}" });
  const answer = await world.run(asking.then(async (got) => [got.status, await got.text()]));
  expect(answer).toEqual([400, expect.stringContaining("names no model")]);
});

it("a name that is not encoded properly is a name that no route has", async () => {
  const world = await gatewayWorld({ file });
  const asking = fetch(`${world.url}/v1beta/models/%E6%A8:generateContent`, { method: "POST", body: "{}" });
  expect((await world.run(asking)).status).toBe(404);
});
