// Proves that answers have the fields that the vendors' own SDKs say they have: no more and no fewer. The lists are checked against
// the types of the SDKs, so that a new field there is noticed here.

import type Anthropic from "@anthropic-ai/sdk";
import type OpenAI from "openai";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Chaos, startChaos } from "../../src/chaos/start-chaos.ts";
import type { ProtocolId } from "../../src/chaos/wire.ts";
import { ask, type Question } from "./asking.ts";

type Json = Readonly<Record<string, unknown>>;
/** Every field that must be there. */
type Fields<T> = Readonly<Record<{ [K in keyof T]-?: object extends Pick<T, K> ? never : K }[keyof T], true>>;

const MESSAGE: Fields<Omit<Anthropic.Message, "_request_id">> = {
  id: true,
  type: true,
  role: true,
  model: true,
  container: true,
  content: true,
  diagnostics: true,
  stop_details: true,
  stop_reason: true,
  stop_sequence: true,
  usage: true,
};
const USAGE: Fields<Anthropic.Usage> = {
  cache_creation: true,
  cache_creation_input_tokens: true,
  cache_read_input_tokens: true,
  inference_geo: true,
  input_tokens: true,
  output_tokens: true,
  output_tokens_details: true,
  server_tool_use: true,
  service_tier: true,
  speed: true,
};
const DELTA: Fields<Anthropic.RawMessageDeltaEvent["delta"]> = {
  container: true,
  stop_details: true,
  stop_reason: true,
  stop_sequence: true,
};
const DELTA_USAGE: Fields<Anthropic.MessageDeltaUsage> = {
  cache_creation_input_tokens: true,
  cache_read_input_tokens: true,
  input_tokens: true,
  output_tokens: true,
  output_tokens_details: true,
  server_tool_use: true,
};
const TEXT: Fields<Anthropic.TextBlock> = { type: true, text: true, citations: true };
const TOOL: Fields<Anthropic.ToolUseBlock> = { type: true, id: true, name: true, input: true, caller: true };
const INPUT_DETAILS: Fields<OpenAI.Responses.ResponseUsage["input_tokens_details"]> = {
  cached_tokens: true,
  cache_write_tokens: true,
};

let chaos: Chaos;
beforeAll(async () => void (chaos = await startChaos()));
afterAll(() => chaos.close());

const CALLING = { tools: [{ name: "weather", input_schema: {} }], tool_choice: { type: "any" } };

async function whole(protocol: ProtocolId, question: Question = {}): Promise<Json> {
  return JSON.parse((await ask(chaos, protocol, question)).text) as Json;
}

/** The events of a stream, by their type; the first of each. */
async function events(question: Question = {}): Promise<ReadonlyMap<unknown, Json>> {
  const { text } = await ask(chaos, "anthropic", { streaming: true, ...question });
  const datas = [...text.matchAll(/^data: (.*)$/gm)].map(([, data = ""]) => JSON.parse(data) as Json);
  return new Map(datas.toReversed().map((data) => [data["type"], data]));
}

function names(value: unknown): readonly string[] {
  return Object.keys(value as object).sort();
}

describe("Anthropic's", () => {
  it("messages have every field, with null where there is nothing to tell", async () => {
    const message = await whole("anthropic");
    expect(names(message)).toEqual(names(MESSAGE));
    expect(message).toMatchObject({ stop_details: null, container: null });
    expect(names(message["usage"])).toEqual(names(USAGE));
    expect((message["content"] as Json[]).map(names)).toEqual([names(TEXT)]);
    expect(((await whole("anthropic", { body: CALLING }))["content"] as Json[]).map(names)).toEqual([names(TOOL)]);
  });

  it("streams have the same fields, and counts alone at their end", async () => {
    const said = await events();
    const begun = said.get("message_start")?.["message"] as Json;
    expect(names(begun)).toEqual(names(MESSAGE));
    expect(names(begun["usage"])).toEqual(names(USAGE));
    expect(names(said.get("content_block_start")?.["content_block"])).toEqual(names(TEXT));
    expect(names(said.get("message_delta")?.["delta"])).toEqual(names(DELTA));
    expect(names(said.get("message_delta")?.["usage"])).toEqual(names(DELTA_USAGE));
    const called = await events({ body: CALLING });
    expect(names(called.get("content_block_start")?.["content_block"])).toEqual(names(TOOL));
  });
});

describe("OpenAI's", () => {
  it("responses tell what was written to a cache, too", async () => {
    const { usage } = await whole("openai-responses");
    expect(names((usage as Json)["input_tokens_details"])).toEqual(names(INPUT_DETAILS));
  });

  it("two protocols call a prompt that is too long by their own words", async () => {
    expect(await whole("openai-chat", { model: "context-overflow" })).toMatchObject({
      error: { message: expect.stringMatching(/maximum context length is/) as string, param: "messages" },
    });
    expect(await whole("openai-responses", { model: "context-overflow" })).toMatchObject({
      error: { message: expect.stringMatching(/exceeds the context window/) as string, param: "input" },
    });
  });
});

describe("a proxy's page", () => {
  it.each(["cloudflare-522", "bad-gateway", "html-page"])("%s has no header of the vendor", async (model) => {
    for (const protocol of ["openai-chat", "anthropic", "google"] as const) {
      const { headers } = await ask(chaos, protocol, { model });
      const own = [...headers.keys()].filter((name) =>
        /request-id|ratelimit|openai|anthropic|server-timing/.test(name),
      );
      expect(own).toEqual([]);
    }
  });

  it("of Cloudflare has the id by which its support finds it", async () => {
    expect((await ask(chaos, "openai-chat", { model: "cloudflare-520" })).headers.get("cf-ray")).toMatch(/-[A-Z]{3}$/);
  });
});

describe("JSON that ends too early", () => {
  it("is not a tool call at Google", async () => {
    const tools = [{ functionDeclarations: [{ name: "weather", parametersJsonSchema: { type: "object" } }] }];
    const body = { tools, toolConfig: { functionCallingConfig: { mode: "ANY" } } };
    const answer = await whole("google", { model: "invalid-json-output", body });
    expect(answer).toMatchObject({ candidates: [{ finishReason: "MALFORMED_FUNCTION_CALL" }] });
    expect(JSON.stringify(answer)).not.toContain('functionCall"');
  });
});

describe("a broken schema", () => {
  const schema = { type: "object", properties: { city: { type: "string" } }, required: ["city"] };
  const tools = [
    { name: "search", input_schema: schema },
    { name: "weather", input_schema: schema },
  ];

  it.each([
    ["the tool it was told to call", [{ fault: "schema-invalid", call: { tool: "weather" } }], "weather"],
    ["the first tool there is, when nothing else has a schema", ["schema-invalid"], "search"],
  ] as const)("is that of %s", async (_which, steps, name) => {
    chaos.script(steps);
    const { content } = await whole("anthropic", { body: { tools } });
    expect(content).toMatchObject([{ type: "tool_use", name, input: {} }]);
    expect(content).not.toHaveProperty("0.input.city");
  });
});
