// Model and agent calls in a trace, and how the trace continues on the other side: providers, CLIs and MCP servers hear which attempt
// asked them.

import { createAnthropic } from "@ai-sdk/anthropic";
import { createOpenAI } from "@ai-sdk/openai";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { InMemoryTransport } from "@modelcontextprotocol/sdk/inMemory.js";
import { CallToolRequestSchema, ListToolsRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { SpanKind } from "@opentelemetry/api";
import { generateText, streamText } from "ai";
import OpenAI from "openai";
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { type Chaos, startChaos } from "../../src/chaos/start-chaos.ts";
import type { ScenarioRule } from "../../src/chaos/scenario-schema.ts";
import { cli, createFaultline, type Faultline, hasValue, tool } from "../../src/index.ts";
import { connectMcp } from "../../src/mcp/index.ts";
import { recordSpans, type Spans } from "../support/spans.ts";

let spans: Spans;
beforeEach(() => void (spans = recordSpans()));
afterEach(() => spans.stop());

/** The attempts' spans as a `traceparent` names them. */
function attempts(): readonly string[] {
  return spans.named("faultline.attempt").map((span) => {
    const { traceId, spanId } = span.spanContext();
    return `00-${traceId}-${spanId}-01`;
  });
}

const GPT = "gpt-4o";
const CLAUDE = "claude-sonnet-4-5";

interface World {
  readonly chaos: Chaos;
  readonly fl: Faultline;
  readonly fetch: typeof globalThis.fetch;
  readonly traceparents: (string | null)[];
}

async function world(rules: readonly ScenarioRule[] = []): Promise<World> {
  const chaos = await startChaos({ scenario: { rules: [...rules] } });
  onTestFinished(() => chaos.close());
  const fl = createFaultline();
  onTestFinished(() => fl.close());
  const traceparents: (string | null)[] = [];
  return {
    chaos,
    fl,
    traceparents,
    fetch: (input, init) => {
      traceparents.push(new Headers(init?.headers).get("traceparent"));
      return globalThis.fetch(input, init);
    },
  };
}

describe.each(["whole", "streamed"] as const)("a %s answer", (how) => {
  it("of a chain: the call has the first model's name, each attempt and each request its own", async () => {
    const { chaos, fl, fetch, traceparents } = await world([{ when: { model: GPT }, fault: "unavailable" }]);
    const gpt = createOpenAI({ baseURL: chaos.openaiUrl, apiKey: "k", fetch }).chat(GPT);
    const claude = createAnthropic({ baseURL: `${chaos.anthropicUrl}/v1`, apiKey: "k", fetch })(CLAUDE);
    const model = fl.model([gpt, claude], { retryBeforeFallback: { maxAttempts: 1 } });
    const asked = { model, prompt: "a secret question", maxRetries: 0 };
    if (how === "whole") await generateText(asked);
    else await streamText(asked).text;
    expect(spans.lines()).toEqual([
      `chat ${GPT} done`,
      `  · faultline.switch openai/${GPT} anthropic/${CLAUDE} Overloaded`,
      "  faultline.attempt 1 ✗ Overloaded",
      "  faultline.attempt 1",
    ]);
    expect(traceparents).toEqual(attempts());
    const [call] = spans.named(`chat ${GPT}`);
    const tokens = {
      "gen_ai.usage.input_tokens": expect.any(Number) as number,
      "gen_ai.usage.output_tokens": expect.any(Number) as number,
    };
    expect(call).toMatchObject({ kind: SpanKind.CLIENT });
    expect(call?.attributes).toMatchObject({ "gen_ai.operation.name": "chat", "gen_ai.request.model": GPT, ...tokens });
    expect(spans.named("faultline.attempt").map(({ attributes }) => attributes)).toEqual([
      expect.objectContaining({ "gen_ai.provider.name": "openai", "gen_ai.request.model": GPT }),
      expect.objectContaining({ "gen_ai.provider.name": "anthropic", "gen_ai.request.model": CLAUDE, ...tokens }),
    ]);
    expect(JSON.stringify(spans.all().map(({ attributes, events }) => [attributes, events]))).not.toMatch(
      /secret|You said/,
    );
  });

  it("of fl.fetch: the request names its attempt, unless the caller names a span", async () => {
    const { chaos, fl, fetch, traceparents } = await world();
    const openai = new OpenAI({
      baseURL: chaos.openaiUrl,
      apiKey: "k",
      maxRetries: 0,
      fetch: fl.fetch({ provider: "openai", fetch }),
    });
    const own = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
    const messages = [{ role: "user" as const, content: "hi" }];
    for (const headers of [{}, { traceparent: own }]) {
      if (how === "whole") await openai.chat.completions.create({ model: GPT, messages }, { headers });
      else
        for await (const _chunk of await openai.chat.completions.create(
          { model: GPT, messages, stream: true },
          { headers },
        ));
    }
    expect(spans.lines()).toEqual([
      `chat ${GPT} done`,
      "  faultline.attempt 1",
      `chat ${GPT} done`,
      "  faultline.attempt 1",
    ]);
    expect(traceparents).toEqual([attempts()[0], own]);
  });
});

it("an instrumented fetch adds the headers itself, so they are not added twice", async () => {
  const { subscribe, unsubscribe } = process.getBuiltinModule("node:diagnostics_channel");
  const heard = (): void => undefined;
  subscribe("undici:request:create", heard);
  onTestFinished(() => void unsubscribe("undici:request:create", heard));
  const { chaos, fl, fetch, traceparents } = await world();
  await fl.fetch({ provider: "openai", fetch })(`${chaos.openaiUrl}/chat/completions`, {
    method: "POST",
    body: JSON.stringify({ model: GPT, messages: [{ role: "user", content: "hi" }] }),
  });
  expect(traceparents).toEqual([null]);
});

it("an agent CLI gets the trace in its environment", async () => {
  const fl = createFaultline();
  const prints = cli("generic", { command: process.execPath, args: () => ["-p", "process.env.TRACEPARENT"] });
  const outcome = await fl.agent([prints]).run("hi");
  expect(spans.lines()).toEqual([expect.stringMatching(/^invoke_agent .* done$/), "  faultline.attempt 1"]);
  expect([hasValue(outcome) && outcome.value.text.trim()]).toEqual(attempts());
  await fl.close();
});

it("an MCP server gets the trace in _meta", async () => {
  const metas: unknown[] = [];
  const transport = (): InMemoryTransport => {
    const { server } = new McpServer({ name: "s", version: "1" }, { capabilities: { tools: {} } });
    server.setRequestHandler(ListToolsRequestSchema, () => ({
      tools: [{ name: "t", inputSchema: { type: "object" } }],
    }));
    server.setRequestHandler(CallToolRequestSchema, ({ params }) => {
      metas.push(params._meta?.["traceparent"]);
      return { content: [] };
    });
    const [ours, theirs] = InMemoryTransport.createLinkedPair();
    void server.connect(theirs);
    return ours;
  };
  const fl = createFaultline();
  const mcp = await connectMcp(fl, { name: "s", transport });
  // Connecting is a protected call, too.
  expect(spans.lines()).toEqual(["execute_tool mcp:s done", "  faultline.attempt 1"]);
  spans.forget();
  await fl.protect(mcp.tool("t"), {});
  expect(spans.lines()).toEqual(["execute_tool s.t done", "  faultline.attempt 1"]);
  expect(metas).toEqual(attempts());
  await mcp.close();
  await fl.close();
});

it("nothing is handed out while no provider is registered", async () => {
  await spans.stop();
  const { chaos, fl, fetch, traceparents } = await world();
  const model = fl.model([createOpenAI({ baseURL: chaos.openaiUrl, apiKey: "k", fetch }).chat(GPT)]);
  await generateText({ model, prompt: "hi", maxRetries: 0 });
  const prints = cli("generic", { command: process.execPath, args: () => ["-p", "process.env.TRACEPARENT"] });
  const outcome = await fl.agent([prints]).run("hi");
  expect(hasValue(outcome) && outcome.value.text.trim()).toBe("undefined");
  expect(traceparents).toEqual([null]);
  await fl.protect(tool({ id: "t", run: () => 1 }), 1);
  expect(spans.all()).toEqual([]);
});
