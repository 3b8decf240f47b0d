// The OpenAI Agents SDK: its client gets a protected fetch, and its tools call protected functions.

import { Agent, run, setDefaultOpenAIClient, setTracingDisabled, tool as agentTool } from "@openai/agents";
import OpenAI from "openai";
import { createFaultline } from "faultline";
import { startChaos } from "faultline/testing";
import { z } from "zod";

const chaos = await startChaos({
  scenario: { rules: [{ when: { request: 2 }, call: { tool: "weather", input: { city: "Lisbon" } } }] },
});
const fl = createFaultline();
setTracingDisabled(true);
setDefaultOpenAIClient(
  new OpenAI({ baseURL: chaos.openaiUrl, apiKey: "none", maxRetries: 0, fetch: fl.fetch({ provider: "openai" }) }),
);

let asked = 0;
const weather = agentTool({
  name: "weather",
  description: "The weather in a city",
  parameters: z.object({ city: z.string() }),
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

const agent = new Agent({ name: "guide", instructions: "You know the weather.", model: "gpt-5", tools: [weather] });
// The first request fails, the second one calls the tool, whose first attempt fails.
chaos.script(["server-error"]);
const { finalOutput } = await run(agent, "What is the weather in Lisbon?");
console.log(finalOutput?.includes("sunny in Lisbon"), asked);
// true 2
const statuses = chaos.received().map(({ status }) => status);
console.log(statuses.join(" "), fl.metrics()["weather"]?.retry_count);
// 500 200 200 1

await chaos.close();
await fl.close();
