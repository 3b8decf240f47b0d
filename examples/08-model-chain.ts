// A chain of models that the AI SDK uses as one model.
// The provider here is the chaos server, so you need no key and no network. With real providers only the two `create…` lines
// change.

import { createAnthropic } from "@ai-sdk/anthropic";
import { createOpenAI } from "@ai-sdk/openai";
import { generateText, streamText } from "ai";
import { createFaultline, isFaultError, noticeOf } from "faultline";
import { startChaos } from "faultline/testing";

const chaos = await startChaos();
const openai = createOpenAI({ baseURL: chaos.openaiUrl, apiKey: "none" });
const anthropic = createAnthropic({ baseURL: `${chaos.anthropicUrl}/v1`, apiKey: "none" });

const fl = createFaultline();
fl.subscribe((entry) => {
  const notice = noticeOf(entry);
  if (notice?.kind === "switch") console.log(`${notice.from} → ${notice.to}: ${notice.why}`);
  // openai/gpt-5 → anthropic/claude-sonnet-5: Overloaded
});

const model = fl.model([openai("gpt-5"), anthropic("claude-sonnet-5")]);

// The first model is overloaded twice. The second one answers, and the caller does not notice.
chaos.script(["overloaded", "overloaded"]);
const { text, finalStep } = await generateText({ model, prompt: "Where is Lisbon?" });
console.log(text.slice(0, 26), finalStep.providerMetadata?.["faultline"]?.["target"]);
// You said: Where is Lisbon? anthropic/claude-sonnet-5

// A stream that breaks after its first words ends with a typed error, never as if it were complete.
chaos.script(["cut-stream"]);
const answer = streamText({ model, prompt: "Tell me more.", onError: () => undefined });
const parts: string[] = [];
for await (const part of answer.stream) {
  if (part.type === "text-delta") parts.push(part.text);
  if (part.type === "error" && isFaultError(part.error)) console.log(parts.length > 0, part.error.fault.code);
  // true NetworkDisconnect
}
console.log(await answer.finishReason);
// error

// Every attempt is priced: reported, estimated, or counted as unpriced.
const { microcents, estimatedMicrocents, unpricedAttempts } = fl.spending;
console.log(microcents > estimatedMicrocents, estimatedMicrocents > 0, unpricedAttempts);
// true true 0

await chaos.close();
await fl.close();
