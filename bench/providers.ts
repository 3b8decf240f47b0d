// What a chain of one costs over the bare AI SDK model, on the same loopback upstream in the same run: CPU time of this thread
// per call, streaming and not, and how many bytes of the answer are copied on the way. The upstream runs in a process of its own.
// Two requests: one as agents send it (instructions, tools, some turns of history: about three thousand tokens), and the
// smallest there is, where whatever is added weighs most. The answer has two hundred words, streamed one by one.
// Both sides run for a while before anything counts, so that both are compiled. Rounds are short and interleaved, so that both
// sides of a round meet the same machine, and each figure is a median.

import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { createAnthropic } from "@ai-sdk/anthropic";
import { createOpenAI } from "@ai-sdk/openai";
import type { LanguageModelV4 } from "@ai-sdk/provider";
import { generateText, jsonSchema, type ModelMessage, streamText, tool, type ToolSet } from "ai";
import OpenAI from "openai";
import { createFaultline } from "../src/index.ts";
import { startChaos } from "../src/testing/index.ts";
import { print } from "./measure.ts";

const CALLS = Number(process.env["BENCH_CALLS"] ?? 8);
const ROUNDS = Number(process.env["BENCH_ROUNDS"] ?? 151);
const WARM_UP = Number(process.env["BENCH_WARM_UP"] ?? 60);

const ONE_WORD: Asked = { messages: [{ role: "user", content: "hello" }] };

/** About twelve thousand characters: instructions, six tools, and four turns in which a file was read. */
const AGENT: Asked = {
  instructions: prose(3_000),
  messages: [
    { role: "user", content: prose(400) },
    ...[1, 2, 3, 4].flatMap((turn): ModelMessage[] => [
      {
        role: "assistant",
        content: [
          { type: "text", text: prose(200) },
          { type: "tool-call", toolCallId: `call_${turn}`, toolName: "tool0", input: { path: `src/file-${turn}.ts` } },
        ],
      },
      {
        role: "tool",
        content: [
          {
            type: "tool-result",
            toolCallId: `call_${turn}`,
            toolName: "tool0",
            output: { type: "text", value: prose(1_200) },
          },
        ],
      },
    ]),
  ],
  tools: Object.fromEntries(
    [0, 1, 2, 3, 4, 5].map((number) => [
      `tool${number}`,
      tool({
        description: prose(200),
        inputSchema: jsonSchema({
          type: "object",
          properties: {
            path: { type: "string", description: prose(60) },
            from: { type: "number", description: prose(60) },
            mode: { type: "string", enum: ["read", "write"] },
          },
          required: ["path"],
          additionalProperties: false,
        }),
      }),
    ]),
  ),
};

function prose(characters: number): string {
  return "The quick brown fox jumps over the lazy dog. ".repeat(Math.ceil(characters / 45)).slice(0, characters);
}

if (process.argv[2] === "upstream") await serve();
else await measure();

async function serve(): Promise<void> {
  const words = Array.from({ length: 200 }, (_, index) => `word${index}`).join(" ");
  const chaos = await startChaos({ scenario: { rules: [{ answer: words }] } });
  process.send?.({ openaiUrl: chaos.openaiUrl, anthropicUrl: chaos.anthropicUrl });
  process.on("disconnect", () => process.exit(0));
}

interface Row {
  readonly name: string;
  readonly bare: () => Promise<unknown>;
  readonly ours: () => Promise<unknown>;
}

async function measure(): Promise<void> {
  const upstream = fork(fileURLToPath(import.meta.url), ["upstream"]);
  const [urls] = (await once(upstream, "message")) as [{ openaiUrl: string; anthropicUrl: string }];
  const fl = createFaultline();
  const openai = createOpenAI({ baseURL: urls.openaiUrl, apiKey: "none" }).chat("gpt-5");
  const anthropic = createAnthropic({ baseURL: `${urls.anthropicUrl}/v1`, apiKey: "none" })("claude-sonnet-4-5");
  const client = new OpenAI({ baseURL: urls.openaiUrl, apiKey: "none", maxRetries: 0 });
  const guarded = new OpenAI({
    baseURL: urls.openaiUrl,
    apiKey: "none",
    maxRetries: 0,
    fetch: fl.fetch({ provider: "openai" }),
  });
  const rows: readonly Row[] = [
    pair("openai chat, generateText, agent", openai, generate, AGENT),
    pair("openai chat, streamText, agent", openai, stream, AGENT),
    pair("anthropic, generateText, agent", anthropic, generate, AGENT),
    pair("anthropic, streamText, agent", anthropic, stream, AGENT),
    pair("openai chat, generateText, one word", openai, generate, ONE_WORD),
    pair("openai chat, streamText, one word", openai, stream, ONE_WORD),
    { name: "openai SDK, whole answer, fl.fetch", bare: () => ask(client), ours: () => ask(guarded) },
    { name: "openai SDK, stream, fl.fetch", bare: () => askStream(client), ours: () => askStream(guarded) },
  ];
  print(
    `Node ${process.version}. CPU µs a call of the main thread; medians of ${ROUNDS} interleaved rounds of ${CALLS} calls,\nafter ${WARM_UP} rounds that do not count.\n`,
  );
  print("                                          bare    ours   added");
  for (const [index, { bare, ours, added }] of (await compareAll(rows)).entries()) {
    const figures = `${bare.toFixed(0).padStart(7)} ${ours.toFixed(0).padStart(7)} ${(added * 100).toFixed(1).padStart(6)} %`;
    print(`${rows[index]?.name.padEnd(38)} ${figures}`);
  }
  print(
    "\nBytes of the answer copied by a chain: 0 (parts are handed on as they are); by fl.fetch: 0 of a stream (chunks are\nhanded on as they are), once for a whole answer (read to be judged, then handed on).",
  );
  upstream.disconnect();

  function pair(name: string, model: LanguageModelV4, use: Use, asked: Asked): Row {
    const chain = fl.model([model]);
    return { name, bare: () => use(model, asked), ours: () => use(chain, asked) };
  }
}

type Use = (model: LanguageModelV4, asked: Asked) => Promise<unknown>;

async function generate(model: LanguageModelV4, asked: Asked): Promise<unknown> {
  return (await generateText({ model, ...asked, maxRetries: 0 })).text;
}

async function stream(model: LanguageModelV4, asked: Asked): Promise<unknown> {
  let length = 0;
  for await (const word of streamText({ model, ...asked, maxRetries: 0 }).textStream) length += word.length;
  return length;
}

interface Asked {
  readonly instructions?: string;
  readonly messages: ModelMessage[];
  readonly tools?: ToolSet;
}

interface Compared {
  readonly bare: number;
  readonly ours: number;
  /** Median of the ratios within each round: what drifts between rounds drops out. */
  readonly added: number;
}

/** All rows take turns in every round, so that warming up, garbage and other work fall on all of them alike. */
async function compareAll(rows: readonly Row[]): Promise<readonly Compared[]> {
  const times = rows.map(() => ({ bare: [] as number[], ours: [] as number[] }));
  for (let round = -WARM_UP; round < ROUNDS; round++) {
    for (const [index, row] of rows.entries()) {
      const order = (round + index) % 2 === 0 ? (["bare", "ours"] as const) : (["ours", "bare"] as const);
      for (const which of order) {
        const cpu = await cpuOf(row[which]);
        if (round >= 0) times[index]?.[which].push(cpu);
      }
    }
  }
  return times.map(({ bare, ours }) => ({
    bare: median(bare),
    ours: median(ours),
    added: median(ours.map((cpu, round) => cpu / (bare[round] ?? cpu) - 1)),
  }));
}

async function cpuOf(call: () => Promise<unknown>): Promise<number> {
  const before = process.threadCpuUsage();
  for (let index = 0; index < CALLS; index++) await call();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / CALLS;
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}

async function ask(client: OpenAI): Promise<unknown> {
  return client.chat.completions.create({ model: "gpt-5", messages: [{ role: "user", content: "hello" }] });
}

async function askStream(client: OpenAI): Promise<unknown> {
  const answer = await client.chat.completions.create({
    model: "gpt-5",
    stream: true,
    messages: [{ role: "user", content: "hello" }],
  });
  let length = 0;
  for await (const chunk of answer) length += chunk.choices[0]?.delta.content?.length ?? 0;
  return length;
}
