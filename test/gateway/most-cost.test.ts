// What a request may cost at most bounds what it does cost, whatever the client writes: many calls that begin together stay within a budget,
// or exceed it by one of them.

import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";
import { setImmediate } from "node:timers/promises";
import { expect, it, onTestFinished } from "vitest";
import type { JsonObject } from "../../src/core/json-fields.ts";
import { mostCost } from "../../src/gateway/target/target-price.ts";
import { priceOf, priceTable } from "../../src/provider/price/price-table.ts";
import type { Protocol } from "../../src/provider/wire/protocol.ts";
import { factsAt } from "../../src/provider/wire/request-facts.ts";
import { gatewayWorld } from "./gateway-world.ts";

const KEY = "alice-key-0123456789";
const CALLS = 40;
const LIMIT_USD = 1;

/** As vendors count: a token for each character of Chinese, and for four of other text. */
function tokensOf(text: string): number {
  const dense = text.replaceAll(/[^\u2E80-\uFFFF]/g, "").length;
  return Math.ceil(dense + (text.length - dense) / 4);
}

interface Wire {
  readonly body: JsonObject;
}

/** Answers like a vendor of the dialect, with the usage that a request of this size has. */
async function vendor(
  dialect: "openai-chat" | "anthropic-messages",
  output: (body: JsonObject) => number,
): Promise<{ url: string; asked: readonly Wire[]; mostAtOnce: () => number }> {
  const asked: Wire[] = [];
  let [running, most] = [0, 0];
  const answerTo = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = (await json(request)) as JsonObject;
    asked.push({ body });
    most = Math.max(most, ++running);
    response.on("finish", () => (running -= 1));
    // Calls that begin together arrive together.
    await setImmediate();
    const [input, out] = [tokensOf(JSON.stringify(body["messages"])), output(body)];
    const answer =
      dialect === "openai-chat"
        ? {
            ...{ id: "c1", object: "chat.completion", created: 1, model: "m" },
            choices: [{ index: 0, message: { role: "assistant", content: "ok" }, finish_reason: "stop" }],
            usage: { prompt_tokens: input, completion_tokens: out, total_tokens: input + out },
          }
        : {
            ...{
              id: "m1",
              type: "message",
              role: "assistant",
              model: "m",
              stop_reason: "end_turn",
              stop_sequence: null,
            },
            content: [{ type: "text", text: "ok" }],
            usage: { input_tokens: input, output_tokens: out },
          };
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(answer));
  };
  const server = createServer((request, response) => void answerTo(request, response));
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked, mostAtOnce: () => most };
}

const limitOf = (body: JsonObject): number => Number(body["max_tokens"] ?? body["max_completion_tokens"]);
const PLAIN = "north ".repeat(1_750);

/** What forty calls may cost is more than the limit, and one of them costs less. */
const ROWS = [
  { name: "Latin text", content: PLAIN, more: { max_tokens: 10 }, output: () => 10, limitUsd: 0.25 },
  { name: "Chinese text", content: "模".repeat(10_000), more: { max_tokens: 10 }, output: () => 10, limitUsd: 0.25 },
  {
    name: "a text that begins like a data address",
    content: `data:${PLAIN.repeat(5)}`,
    more: { max_tokens: 10 },
    output: () => 10,
    limitUsd: 0.25,
  },
  { name: "no limit for the answer", content: "hi", more: {}, output: () => 20_000, limitUsd: LIMIT_USD },
  { name: "a long answer", content: "hi", more: { max_tokens: 20_000 }, output: limitOf, limitUsd: LIMIT_USD },
] as const;

const DIALECTS = ["openai-chat", "anthropic-messages"] as const;
const GRID = ROWS.flatMap((row) => DIALECTS.map((dialect) => ({ ...row, dialect })));

it.each(GRID)("$name: calls that begin together exceed the budget by one at most ($dialect)", async (row) => {
  const { content, more, output, dialect, limitUsd } = row;
  const { url } = await vendor(dialect, output);
  const body = { messages: [{ role: "user", content }], ...more };
  const { statuses, spentUsd, dearestUsd } = await burst(dialect, url, body, limitUsd);
  expect(spentUsd).toBeLessThanOrEqual(limitUsd + dearestUsd);
  expect(statuses).toContain(200);
  expect(statuses.filter((status) => status !== 200 && status !== 402)).toEqual([]);
});

const INPUT_TOKENS = 50_000;
const ONE_DOLLAR = priceOf(priceTable([{ provider: "own", model: "*", input: 1, output: 1 }]), "own", "m");
const content = (part: object) => ({ messages: [{ role: "user", content: [part] }] });
const input = (part: object) => ({ input: [{ role: "user", content: [part] }] });
const contents = (part: object) => ({ contents: [{ role: "user", parts: [part] }] });
/** Larger than all of 40 calls may be, if only their bytes counted. */
const BOUND = 100_000;

interface CountedRow {
  readonly name: string;
  readonly dialect: Protocol;
  readonly body: JsonObject;
  readonly least: number;
  readonly most: number;
}

// prettier-ignore
const COUNTED: readonly CountedRow[] = [
  { name: "a picture at an address", dialect: "openai-chat", body: content({ type: "image_url", image_url: { url: "https://example.com/a.png" } }), least: 5_000, most: 5_000 },
  { name: "a picture as data", dialect: "openai-chat", body: content({ type: "image_url", image_url: { url: `data:image/png;base64,${"A".repeat(20_000)}` } }), least: 5_000, most: 5_000 },
  { name: "a picture at an address", dialect: "openai-responses", body: input({ type: "input_image", image_url: "https://example.com/a.png" }), least: 5_000, most: 5_000 },
  { name: "a picture at an address", dialect: "anthropic-messages", body: content({ type: "image", source: { type: "url", url: "https://example.com/a.png" } }), least: 5_000, most: 5_000 },
  { name: "a picture as data", dialect: "anthropic-messages", body: content({ type: "image", source: { type: "base64", media_type: "image/png", data: "A".repeat(20_000) } }), least: 5_000, most: 5_000 },
  { name: "a picture at the vendor", dialect: "google-generate", body: contents({ fileData: { mimeType: "image/png", fileUri: "https://example.com/a" } }), least: 5_000, most: 5_000 },
  { name: "a picture as data", dialect: "google-generate", body: contents({ inlineData: { mimeType: "image/png", data: "A".repeat(20_000) } }), least: 5_000, most: 5_000 },
  { name: "a document at an address", dialect: "anthropic-messages", body: content({ type: "document", source: { type: "url", url: "https://example.com/a.pdf" } }), least: BOUND, most: Infinity },
  { name: "a document as data", dialect: "anthropic-messages", body: content({ type: "document", source: { type: "base64", media_type: "application/pdf", data: "A".repeat(20_000) } }), least: 20_000, most: 20_000 },
  { name: "a file at the vendor", dialect: "openai-responses", body: input({ type: "input_file", file_id: "file-1" }), least: BOUND, most: Infinity },
  { name: "a file at the vendor", dialect: "openai-chat", body: content({ type: "file", file: { file_id: "file-1" } }), least: BOUND, most: Infinity },
  { name: "a video at the vendor", dialect: "google-generate", body: contents({ fileData: { mimeType: "video/mp4", fileUri: "https://example.com/a" } }), least: BOUND, most: Infinity },
  { name: "a video in snake case", dialect: "google-generate", body: contents({ file_data: { mime_type: "video/mp4", file_uri: "https://example.com/a" } }), least: BOUND, most: Infinity },
  { name: "an item at the vendor", dialect: "openai-responses", body: { input: [{ type: "item_reference", id: "msg_1" }] }, least: BOUND, most: Infinity },
  ...["previous_response_id", "conversation", "cachedContent"].map((field): CountedRow => ({ name: field, dialect: "openai-responses", body: { input: "hi", [field]: "stored_1" }, least: BOUND, most: Infinity })),
  { name: "a stored prompt", dialect: "openai-responses", body: { prompt: { id: "pmpt_1" } }, least: BOUND, most: Infinity },
  { name: "the input of a tool that looks like a picture", dialect: "anthropic-messages", body: { messages: [{ role: "assistant", content: [{ type: "tool_use", id: "1", name: "t", input: { mime_type: "image/png", data: "word ".repeat(10_000) } }] }] }, least: 0, most: 0 },
  { name: "a schema that looks like a picture", dialect: "openai-chat", body: { tools: [{ type: "function", function: { name: "t", parameters: { mime_type: "image/png", data: "word ".repeat(10_000) } } }] }, least: 0, most: 0 },
  { name: "an item at the vendor, without a type", dialect: "openai-responses", body: { input: [{ id: "msg_1" }] }, least: BOUND, most: Infinity },
  { name: "a picture of a screen", dialect: "openai-responses", body: { input: [{ type: "computer_call_output", output: { type: "computer_screenshot", image_url: `data:image/png;base64,${"A".repeat(20_000)}` } }] }, least: 5_000, most: 5_000 },
  { name: "a file that says it is a picture", dialect: "openai-responses", body: input({ type: "input_file", file_data: `data:image/png;base64,${"A".repeat(20_000)}` }), least: 20_000, most: 21_000 },
  { name: "a file beside the type of a picture", dialect: "openai-chat", body: content({ type: "file", mimeType: "image/x", file: { file_id: "file-1" } }), least: BOUND, most: Infinity },
  { name: "an example for a tool that looks like a picture", dialect: "anthropic-messages", body: { tools: [{ name: "t", input_examples: [{ type: "image", data: "word ".repeat(10_000) }] }] }, least: 0, most: 0 },
  { name: "a citation", dialect: "openai-responses", body: { input: [{ role: "assistant", content: [{ type: "output_text", text: "x", annotations: [{ type: "url_citation", url: "https://example.com" }] }] }] }, least: 0, most: 0 },
  { name: "the result of a search", dialect: "anthropic-messages", body: content({ type: "web_search_result", url: "https://example.com", title: "t" }), least: 0, most: 0 },
  { name: "the id of a call", dialect: "google-generate", body: contents({ functionCall: { id: "c1", name: "t", args: {} } }), least: 0, most: 0 },
  { name: "a text with an address", dialect: "openai-chat", body: content({ type: "text", text: "https://example.com" }), least: 0, most: 0 },
];

it.each(COUNTED)("$name counts as at least $least and at most $most tokens beside its text ($dialect)", (row) => {
  const { dialect, body, least, most } = row;
  const facts = factsAt(dialect, null, body);
  expect(facts.dataTokens).toBeGreaterThanOrEqual(least);
  expect(facts.dataTokens).toBeLessThanOrEqual(most);
  // What does not count as data counts as text.
  const bytes = Buffer.from(JSON.stringify(body));
  const limits = { contextWindowTokens: INPUT_TOKENS, maxOutputTokens: 0 };
  const tokens = (mostCost(ONE_DOLLAR, { facts: { ...facts, maxOutputTokens: 0 }, bytes }, limits) ?? 0) / 100;
  expect(tokens).toBe(bytes.length - facts.dataCharacters + Math.min(INPUT_TOKENS, facts.dataTokens));
});

it("a model whose context window is not known is taken for a large one", () => {
  const body = { input: "hi", previous_response_id: "resp_1" };
  const asked = { facts: factsAt("openai-responses", null, body), bytes: Buffer.from(JSON.stringify(body)) };
  const most = mostCost(ONE_DOLLAR, asked, { contextWindowTokens: Infinity, maxOutputTokens: 0 });
  expect(most).toBe((1_048_576 + asked.bytes.length) * 100);
});

it("the limit of an answer covers its thinking, at a target of another dialect, too", async () => {
  const { url, asked } = await vendor("anthropic-messages", limitOf);
  const body = { messages: [{ role: "user", content: "hi" }], max_completion_tokens: 20_000, reasoning_effort: "high" };
  const { spentUsd, dearestUsd } = await burst("anthropic-messages", url, body);
  expect(asked[0]?.body).toMatchObject({ max_tokens: 20_000, thinking: { type: "enabled", budget_tokens: 12_000 } });
  expect(spentUsd).toBeLessThanOrEqual(LIMIT_USD + dearestUsd);
});

it("calls that may cost more than the budget run one after the other", async () => {
  const { url, mostAtOnce } = await vendor("openai-chat", () => 10);
  // May cost 2 dollars.
  const body = { messages: [{ role: "user", content: "hi" }], max_tokens: 200_000 };
  const { statuses } = await burst("openai-chat", url, body);
  expect(statuses).toContain(200);
  expect(statuses).toContain(402);
  expect(mostAtOnce()).toBe(1);
});

async function burst(
  dialect: string,
  url: string,
  body: object,
  limitUsd = LIMIT_USD,
): Promise<{ statuses: readonly number[]; spentUsd: number; dearestUsd: number }> {
  const base = dialect === "openai-chat" ? `${url}/v1` : url;
  const file = (): string => `
version: 1
targets: { us: { dialect: ${dialect}, base_url: "${base}", prices: { "*": { input: 1, output: 10 } } } }
routes: { team: { chain: [us/claude-sonnet-4-5] } }
keys: { alice: { key_env: ALICE, budget: { per_day_usd: ${limitUsd} } } }`;
  const world = await gatewayWorld({ file, env: { ALICE: KEY } });
  const answers = await world.run(
    Promise.all(
      Array.from({ length: CALLS }, async () => {
        const response = await fetch(`${world.url}/v1/chat/completions`, {
          method: "POST",
          headers: { "authorization": `Bearer ${KEY}`, "content-type": "application/json" },
          body: JSON.stringify({ model: "team", ...body }),
        });
        await response.text();
        return { status: response.status, usd: Number(response.headers.get("x-faultline-cost-usd") ?? 0) };
      }),
    ),
  );
  const costs = answers.map(({ usd }) => usd);
  return {
    statuses: answers.map(({ status }) => status),
    spentUsd: costs.reduce((sum, usd) => sum + usd, 0),
    dearestUsd: Math.max(...costs),
  };
}
