// Faults in the model's output: a perfect 200 with the wrong content.

import { brokenSampleOf } from "../sample.ts";
import { callOf, calling, inJson, sampleInput, toolSchema } from "../good-model.ts";
import type { ChaosRequest, Reply, Stop, ChaosToolCall } from "../wire.ts";
import { type FaultRow, row } from "./fault-row.ts";
import { goodPlan } from "./plans.ts";

const REFUSAL = "I'm sorry, but I can't help with that.";
const SALAD =
  "the the of lantern seven and and violet because because underneath twelve twelve harbour of of of green ladder perhaps the the";

const saying = (change: (reply: Reply, asked: ChaosRequest) => Reply): FaultRow["plan"] => {
  return (scene) => goodPlan(scene, change(scene.reply, scene.asked));
};

// prettier-ignore
export const CONTENTS = [
  row("content-filtered-output", "ContentFiltered", {
    about: "A filter stops the answer halfway: a 200 whose stop reason says so.",
    afterOutput: true, plan: saying((reply) => ({ ...halved(reply), stop: "filtered" })) }),
  row("refusal", "ContentFiltered", {
    about: "The model declines: a 200 that says so in the vendor's way.",
    seenIn: { "openai-chat": "answer", "openai-responses": "content", "anthropic": "answer", "google": "answer" },
    afterOutput: true, plan: saying(() => ({ text: REFUSAL, calls: [], stop: "refusal", isEmpty: false })) }),
  row("truncated", "OutputTruncated", {
    about: "The token limit cuts the answer: a 200 whose stop reason says so.",
    afterOutput: true, plan: saying((reply) => ({ ...halved(reply), stop: "length" })) }),
  row("truncated-tool-call", { "openai-chat": "OutputTruncated", "openai-responses": "OutputTruncated", "anthropic": "OutputTruncated", "google": "SchemaInvalid" }, {
    about: "The token limit cuts the arguments of a tool call; Google sends MALFORMED_FUNCTION_CALL instead.",
    afterOutput: true, plan: (scene) => goodPlan(scene, cutCall(scene.reply, scene.asked, scene.asked.protocol === "google" ? "malformed-call" : "length")) }),
  row("invalid-tool-call", "SchemaInvalid", {
    about: "A tool call whose arguments are not JSON, with a normal stop reason; outside a stream Anthropic's are empty.",
    seenIn: { "openai-chat": "content", "openai-responses": "content", "anthropic": "content", "google": "answer" },
    afterOutput: true, plan: saying((reply, asked) => cutCall(reply, asked, "malformed-call")) }),
  row("unknown-tool", "SchemaInvalid", {
    about: "A call to a tool that was not offered.",
    seenIn: "content", afterOutput: true, plan: saying(() => calling([callOf("no_such_tool", { reason: "made up" })])) }),
  row("schema-invalid", "SchemaInvalid", {
    about: "Valid JSON that does not fit the requested schema, in the answer or in a tool call: a required field is missing.",
    seenIn: "content", afterOutput: true, plan: saying(breakingSchema) }),
  row("invalid-json-output", "SchemaInvalid", {
    about: "The model's JSON ends too early, with a normal stop reason.",
    seenIn: "content", afterOutput: true, plan: saying((reply) => ({ ...halved(reply), stop: reply.calls.length > 0 ? "malformed-call" : reply.stop })) }),
  row("word-salad", null, {
    about: "The model's text makes no sense, in a valid envelope.",
    seenIn: "content", afterOutput: true, plan: saying(() => ({ text: SALAD, calls: [], stop: "end", isEmpty: false })) }),
  row("empty-output", "EmptyOutput", {
    about: "A 200 with an empty answer: no choice, no output, no candidate, no block.",
    seenIn: { "openai-chat": "answer", "openai-responses": "answer", "anthropic": "content", "google": "answer" },
    plan: saying(() => ({ text: "", calls: [], stop: "end", isEmpty: true })) }),
] as const;

/** The calls that the model would make, else the requested JSON, else a call of the first tool. */
function breakingSchema({ calls }: Reply, asked: ChaosRequest): Reply {
  const offered = asked.schema === null ? asked.tools.slice(0, 1) : [];
  const tools = calls.length > 0 ? calls.map(({ tool }) => tool) : offered.map(({ name }) => name);
  if (tools.length === 0) return inJson(asked, brokenSampleOf(asked.schema ?? {}));
  return calling(tools.map((tool) => callOf(tool, brokenSampleOf(toolSchema(tool, asked)))));
}

function halved(reply: Reply): Reply {
  return { ...reply, text: half(reply.text), calls: reply.calls.map(cut) };
}

function cutCall(reply: Reply, asked: ChaosRequest, stop: Stop): Reply {
  const [first] = asked.tools;
  const tool = first?.name ?? "get_weather";
  const made = callOf(tool, first === undefined ? { city: "Paris" } : sampleInput(tool, asked));
  const calls = reply.calls.length > 0 ? reply.calls : [made];
  return { text: "", calls: calls.map(cut), stop, isEmpty: false };
}

function cut(call: ChaosToolCall): ChaosToolCall {
  return { ...call, text: half(call.text) };
}

/** Never the whole text, not even of two characters. */
function half(text: string): string {
  return text.slice(0, Math.floor(text.length / 2));
}
