// Mastra: a chain of models is a model of its agent, and its tools call protected functions.

import { createAnthropic } from "@ai-sdk/anthropic";
import { createOpenAI } from "@ai-sdk/openai";
import { Agent } from "@mastra/core/agent";
import { createTool } from "@mastra/core/tools";
import { createFaultline } from "faultline";
import { startChaos } from "faultline/testing";
import { z } from "zod";

const chaos = await startChaos({
  scenario: {
    rules: [
      { when: { model: "gpt-5" }, fault: "overloaded" },
      { when: { model: "claude-*", request: 1 }, call: { tool: "weather", input: { city: "Lisbon" } } },
    ],
  },
});
const openai = createOpenAI({ baseURL: chaos.openaiUrl, apiKey: "none" });
const anthropic = createAnthropic({ baseURL: `${chaos.anthropicUrl}/v1`, apiKey: "none" });
const fl = createFaultline();

let asked = 0;
const weather = createTool({
  id: "weather",
  description: "The weather in a city",
  inputSchema: z.object({ city: z.string() }),
  execute: ({ city }) =>
    fl.call(
      () => {
        asked += 1;
        if (asked === 1) throw Object.assign(new Error("connect ECONNREFUSED"), { code: "ECONNREFUSED" });
        return `sunny in ${city}`;
      },
      { id: "weather", idempotent: true },
    ),
});

const agent = new Agent({
  id: "guide",
  name: "guide",
  instructions: "You know the weather.",
  model: fl.model([openai("gpt-5"), anthropic("claude-sonnet-4-5")]),
  tools: { weather },
  maxRetries: 0,
});
const { text } = await agent.generate("What is the weather in Lisbon?");
console.log(text.includes("sunny in Lisbon"), asked);
// true 2
console.log(fl.metrics()["weather"]?.retry_count);
// 1

await chaos.close();
await fl.close();
