// The samples in docs/CHAOS.md work.

import { createOpenAI } from "@ai-sdk/openai";
import { generateText } from "ai";
import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { parseScenario } from "../../src/chaos/scenario.ts";
import { startChaos } from "../../src/testing/index.ts";

const page = readFileSync(new URL("../../docs/CHAOS.md", import.meta.url), "utf8");

it("the scenario in the documentation is valid", () => {
  const yaml = /```yaml\n([^]*?)```/.exec(page)?.[1] ?? "";
  const { scenario, diagnostics } = parseScenario(yaml, "docs/CHAOS.md");
  expect(diagnostics).toEqual([]);
  expect(scenario?.rules).toHaveLength(5);
});

it("the test of the page passes", async () => {
  const chaos = await startChaos();
  const model = createOpenAI({ baseURL: chaos.openaiUrl, apiKey: "any" })("overloaded");
  await expect(generateText({ model, prompt: "hello", maxRetries: 0 })).rejects.toThrow(/overloaded/);
  await chaos.close();
});
