// A budget knows what a stream of OpenAI's chat dialect costs, although the client does not ask for its usage; and the client sees nothing of that.

import fc from "fast-check";
import { expect, it } from "vitest";
import { createMemoryJournal } from "../../src/index.ts";
import { ledgerOf } from "../../src/gateway/ledger/read-ledger.ts";
import { UsageFilter, withUsage } from "../../src/gateway/target/asked-usage.ts";
import { ask } from "./dialect-clients.ts";
import { SSE, streamOf, stubWorld } from "./stub-upstream.ts";

const KEY = "alice-key-0123456789";
const USAGE = `data: {"id":"chatcmpl-up1","object":"chat.completion.chunk","model":"up","choices":[],"usage":{"prompt_tokens":10,"completion_tokens":20000,"total_tokens":20010}}`;
const WHOLE = streamOf("openai-chat", ["nor", "th 北"]);
const LINE_ENDS = ["\n", "\r\n"] as const;

/** The vendor's stream, with an event for the usage before its end mark. */
function withEvent(stream: string): string {
  return stream.replace("data: [DONE]", `${USAGE}\n\ndata: [DONE]`);
}

const file =
  (budget: string) =>
  (base: string): string =>
    `
version: 1
targets: { us: { dialect: openai-chat, base_url: "${base}/us", prices: { "*": { input: 1, output: 10 } } } }
routes: { team: { chain: [us/any-model] } }
keys: { alice: { key_env: ALICE${budget} } }
`;

async function stream(budget: string, more: object) {
  const journal = createMemoryJournal();
  const world = await stubWorld(
    ({ body }, response) => {
      const asksForUsage = (body["stream_options"] as { include_usage?: boolean } | undefined)?.include_usage === true;
      response.writeHead(200, SSE).end(asksForUsage ? withEvent(WHOLE) : WHOLE);
    },
    file(budget),
    { env: { ALICE: KEY }, faultline: { journal } },
  );
  const headers = { authorization: `Bearer ${KEY}` };
  const asking = ask(world.url, "openai-chat", { streaming: true, headers, body: { model: "team", ...more } });
  const heard = await world.run(asking);
  await world.settle();
  const [line] = await ledgerOf(journal, 10);
  return { heard, sent: world.asked[0]?.body, booked: line?.microcents };
}

const BUDGET = ", budget: { per_day_usd: 1 }";

it("asks for the usage of a call with a budget, and shows the client the stream without it", async () => {
  const { heard, sent, booked } = await stream(BUDGET, {});
  expect(sent).toMatchObject({ stream_options: { include_usage: true }, model: "any-model" });
  expect(heard.raw).toBe(WHOLE);
  // 10 tokens at 1 dollar and 20,000 at 10 dollars for a million.
  expect(booked).toBe(20_001_000);
});

it.each([
  { name: "the key has no budget", budget: "", more: {}, event: false },
  {
    name: "the client asks for it itself",
    budget: BUDGET,
    more: { stream_options: { include_usage: true } },
    event: true,
  },
])("changes nothing when $name", async ({ budget, more, event }) => {
  const { heard, sent } = await stream(budget, more);
  expect(sent?.["stream_options"]).toEqual("stream_options" in more ? more.stream_options : undefined);
  expect(heard.raw).toBe(event ? withEvent(WHOLE) : WHOLE);
});

it.each(LINE_ENDS)("removes the event wherever the stream is cut into pieces (line ends %j)", (lineEnd) => {
  const [came, shown] = [withEvent(WHOLE), WHOLE].map((text) => Buffer.from(text.replaceAll("\n", lineEnd)));
  if (came === undefined || shown === undefined) throw new Error("unreachable");
  fc.assert(
    fc.property(fc.array(fc.nat(came.length), { maxLength: 8 }), (cuts) => {
      const filter = new UsageFilter();
      const places = [0, ...cuts.toSorted((a, b) => a - b), came.length];
      const pieces = places.slice(1).map((end, index) => came.subarray(places[index], end));
      const out = pieces.map((piece, index) => Buffer.from(filter.take(piece, index === pieces.length - 1)));
      expect(Buffer.concat(out).toString()).toBe(shown.toString());
    }),
  );
});

it.each([{ include_usage: false }, { include_usage: "true" }, { include_obfuscation: false }, {}, null, [], "x"])(
  "books what a stream used although its client sends stream_options %j",
  async (options) => {
    const { heard, sent, booked } = await stream(BUDGET, { stream_options: options, seed: 7 });
    expect(sent).toMatchObject({ stream_options: { include_usage: true }, model: "any-model", seed: 7 });
    expect(heard.raw).toBe(WHOLE);
    expect(booked).toBe(20_001_000);
  },
);

it.each(LINE_ENDS)("removes the event when each byte comes alone (line ends %j)", (lineEnd) => {
  const [came, shown] = [withEvent(WHOLE), WHOLE].map((text) => Buffer.from(text.replaceAll("\n", lineEnd)));
  if (came === undefined || shown === undefined) throw new Error("unreachable");
  const filter = new UsageFilter();
  const out = Array.from(came, (byte) => Buffer.from(filter.take(new Uint8Array([byte]))));
  // Every event is passed on when it is whole.
  expect(Buffer.concat(out).toString()).toBe(shown.toString());
});

it("asks for usage again when a target refused what the client itself wrote", async () => {
  const world = await stubWorld(
    ({ body }, response) => {
      const isOdd = "x" in ((body["stream_options"] as object | undefined) ?? {});
      const error = `{"error":{"message":"Unknown parameter: 'stream_options.x'","type":"invalid_request_error"}}`;
      if (isOdd) response.writeHead(400, { "content-type": "application/json" }).end(error);
      else response.writeHead(200, SSE).end(WHOLE);
    },
    file(BUDGET),
    { env: { ALICE: KEY } },
  );
  const headers = { authorization: `Bearer ${KEY}` };
  const send = (more: object): ReturnType<typeof ask> =>
    world.run(ask(world.url, "openai-chat", { streaming: true, headers, body: { max_tokens: 10, ...more } }));
  expect((await send({ stream_options: { x: 1 } })).status).toBe(400);
  expect((await send({})).status).toBe(200);
  expect(world.asked.at(-1)?.body).toMatchObject({ stream_options: { include_usage: true } });
});

it.each([
  `: a comment\n${USAGE}`,
  `id: 7\nevent: message\n${USAGE}`,
  USAGE.replace(`,"total_tokens":20010`, ""),
  USAGE.replace("data: {", "data:{"),
])("removes the event in the form %j", (event) => {
  const filter = new UsageFilter();
  const came = Buffer.from(WHOLE.replace("data: [DONE]", `${event}\n\ndata: [DONE]`));
  expect(Buffer.from(filter.take(came, true)).toString()).toBe(WHOLE);
});

it.each([1, 20])("asks again without it when a target refuses the field: %d calls at once", async (calls) => {
  const refusal = { error: { message: "Unrecognized request argument supplied: stream_options", type: "invalid" } };
  const world = await stubWorld(
    ({ body }, response) => {
      if ("stream_options" in body)
        response.writeHead(400, { "content-type": "application/json" }).end(JSON.stringify(refusal));
      else response.writeHead(200, SSE).end(WHOLE);
    },
    file(BUDGET),
    { env: { ALICE: KEY } },
  );
  const asking = { streaming: true, headers: { authorization: `Bearer ${KEY}` }, body: { max_tokens: 10 } };
  const call = (): ReturnType<typeof ask> => ask(world.url, "openai-chat", asking);
  const all = await world.run(Promise.all(Array.from({ length: calls }, call)));
  for (const { raw, headers } of all) expect([raw, headers.get("x-faultline-attempts")]).toEqual([WHOLE, "1"]);
  const before = world.asked.length;
  expect((await world.run(call())).raw).toBe(WHOLE);
  // The target is known by then.
  expect(world.asked.length).toBe(before + 1);
});

it("keeps every other byte of the request", () => {
  expect(withUsage(` { "a" : "{" , "model":"m"}`, { a: "{", model: "m" })).toBe(
    ` {"stream_options":{"include_usage":true}, "a" : "{" , "model":"m"}`,
  );
});
