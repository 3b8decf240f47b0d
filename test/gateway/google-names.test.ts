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

it("a name that is not encoded properly is a name that no route has", async () => {
  const world = await gatewayWorld({ file });
  const asking = fetch(`${world.url}/v1beta/models/%E6%A8:generateContent`, { method: "POST", body: "{}" });
  expect((await world.run(asking)).status).toBe(404);
});
