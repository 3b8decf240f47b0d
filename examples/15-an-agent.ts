// An agent with two protected tools and two models. Everything fails once, and the agent still answers.

import { createAnthropic } from "@ai-sdk/anthropic";
import { createOpenAI } from "@ai-sdk/openai";
import { generateText, isStepCount, tool as aiTool } from "ai";
import { createFaultline, tool } from "faultline";
import { startChaos } from "faultline/testing";
import { z } from "zod";

// The provider runs on this machine. Its model calls both tools and then answers with their results.
const chaos = await startChaos({
  scenario: {
    rules: [
      { when: { model: "gpt-5" }, fault: "overloaded" },
      { when: { model: "claude-*" }, calls: [{ tool: "weather", input: { city: "Lisbon" } }, { tool: "book" }] },
    ],
  },
});
const openai = createOpenAI({ baseURL: chaos.openaiUrl, apiKey: "none" });
const anthropic = createAnthropic({ baseURL: `${chaos.anthropicUrl}/v1`, apiKey: "none" });

const fl = createFaultline();
const model = fl.model([openai("gpt-5"), anthropic("claude-sonnet-5")]);

let asked = 0;
const weather = tool({
  id: "weather",
  description: "The weather in a city",
  input: z.object({ city: z.string() }),
  idempotent: true, // so a retry is safe
  run: ({ city }) => {
    asked += 1;
    if (asked === 1) throw Object.assign(new Error("read ECONNRESET"), { code: "ECONNRESET" });
    return `sunny in ${city}`;
  },
});

// A tool made with the AI SDK gets the same protection.
const book = aiTool({
  description: "Books a flight",
  inputSchema: z.object({ flight: z.string() }),
  execute: (): Promise<string> => new Promise(() => undefined), // hangs
});

const { text, finalStep } = await generateText({
  model,
  prompt: "Is the weather in Lisbon good? Then book a flight.",
  stopWhen: isStepCount(4),
  tools: fl.aiTools({ weather, book }, { settings: { book: { timeoutMs: 50 } } }),
});
console.log(text);
// The tool said: sunny in Lisbon; FaultError: ToolTransient/ExecutionTimeout: The tool ran out of time and may have done its work; check whether it did before you repeat the call.
console.log(finalStep.providerMetadata?.["faultline"]?.["target"]);
// anthropic/claude-sonnet-5
console.log(fl.metrics()["weather"]?.retry_count, fl.metrics()["book"]?.timeout_count);
// 1 1

await chaos.close();
await fl.close();
