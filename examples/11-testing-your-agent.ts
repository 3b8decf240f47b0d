// Test your own agent against a provider that fails on demand: deterministic and on loopback.

import { createOpenAI } from "@ai-sdk/openai";
import { generateText, tool } from "ai";
import { z } from "zod";
import { classify } from "faultline";
import { startChaos } from "faultline/testing";

const chaos = await startChaos({
  scenario: `
rules:
  - when: { model: gpt-5, request: 1 }
    call: { tool: weather, input: { city: Lisbon } }
  - when: { model: gpt-5, request: 2 }
    fault: rate-limit
`,
});
const model = createOpenAI({ baseURL: chaos.openaiUrl, apiKey: "none" })("gpt-5");

const weather = tool({
  description: "The weather in a city",
  inputSchema: z.object({ city: z.string() }),
  execute: ({ city }) => `sunny in ${city}`,
});
try {
  await generateText({
    model,
    tools: { weather },
    maxRetries: 0,
    stopWhen: ({ steps }) => steps.length === 3,
    prompt: "What is the weather in Lisbon?",
  });
} catch (error) {
  console.log(classify({ surface: "http", error }).code);
  // RateLimited
}
const [first, second] = chaos.received();
console.log(first?.status, first?.fault, second?.status, second?.fault);
// 200 null 429 rate-limit

// The scenario has no rule for the third request, so it gets a good answer.
const { text } = await generateText({ model, maxRetries: 0, prompt: "And now?" });
console.log(text.slice(0, 18));
// You said: And now?

await chaos.close();
