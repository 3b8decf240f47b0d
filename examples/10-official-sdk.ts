// The official SDKs on top of Faultline: give them its `fetch` and turn off their own retries.

import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import { classify, createFaultline } from "faultline";
import { startChaos } from "faultline/testing";

const chaos = await startChaos();
const fl = createFaultline();
const openai = new OpenAI({
  baseURL: chaos.openaiUrl,
  apiKey: "none",
  maxRetries: 0,
  fetch: fl.fetch({ provider: "openai" }),
});
const anthropic = new Anthropic({
  baseURL: chaos.anthropicUrl,
  apiKey: "none",
  maxRetries: 0,
  fetch: fl.fetch({ provider: "anthropic" }),
});

// A server error, then an answer: the SDK sees only the answer.
chaos.script(["server-error"]);
const { output_text } = await openai.responses.create({ model: "gpt-5", input: "Good morning" });
console.log(output_text.slice(0, 22), chaos.received().length);
// You said: Good morning 2

// An error in the first event of a stream with status 200 is retried too.
chaos.script(["error-first-event"]);
const stream = anthropic.messages.stream({
  model: "claude-opus-4-5",
  max_tokens: 200,
  messages: [{ role: "user", content: "Good evening" }],
});
console.log((await stream.finalText()).slice(0, 22), chaos.received().length);
// You said: Good evening 4

// An error that a retry cannot fix reaches the SDK as the provider sent it, so the SDK throws its own error.
chaos.script(["unauthorized"]);
try {
  await openai.responses.create({ model: "gpt-5", input: "?" });
} catch (error) {
  console.log(error instanceof OpenAI.AuthenticationError, classify({ surface: "http", error }).code);
  // true AuthFailed
}

await chaos.close();
await fl.close();
