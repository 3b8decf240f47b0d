// LangChain.js: give its models a protected fetch and turn off its own retries.

import { ChatAnthropic } from "@langchain/anthropic";
import { ChatOpenAI } from "@langchain/openai";
import { createFaultline } from "faultline";
import { startChaos } from "faultline/testing";

const chaos = await startChaos();
const fl = createFaultline();
const model = new ChatOpenAI({
  model: "gpt-5",
  apiKey: "none",
  maxRetries: 0,
  configuration: {
    baseURL: chaos.openaiUrl,
    fetch: fl.fetch({ provider: "openai", fallback: [{ model: "gpt-5-mini" }] }),
  },
});

// The first model is overloaded twice. LangChain sees only the answer, which came from the second one.
chaos.script(["overloaded", "overloaded"]);
const answer = await model.invoke("Where is Lisbon?");
const asked = chaos.received().map(({ model: name, status }) => `${name} ${status}`);
console.log(answer.text.slice(0, 26), asked.join(", "));
// You said: Where is Lisbon? gpt-5 529, gpt-5 529, gpt-5-mini 200

// An error in the first event of a stream is repeated unnoticed.
chaos.reset();
chaos.script(["error-first-event"]);
let text = "";
for await (const chunk of await model.stream("And Porto?")) text += chunk.text;
console.log(text.slice(0, 20), chaos.received().length);
// You said: And Porto? 2

const claude = new ChatAnthropic({
  model: "claude-sonnet-4-5",
  apiKey: "none",
  maxRetries: 0,
  anthropicApiUrl: chaos.anthropicUrl,
  clientOptions: { fetch: fl.fetch({ provider: "anthropic" }) },
});
chaos.reset();
chaos.script(["overloaded"]);
console.log((await claude.invoke("And Faro?")).text.slice(0, 19), chaos.received().length);
// You said: And Faro? 2

await chaos.close();
await fl.close();
