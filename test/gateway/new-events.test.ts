// Vendors add types of events to their streams, and ask clients to skip those they do not know: an answer with some arrives whole, for all
// pairs of dialects, and no other target is asked. An event that reports an error is not skipped, whatever its type.

import { describe, expect, it } from "vitest";
import { isUnknownEvent } from "../../src/provider/wire/wire-reader.ts";
import { ask, DIALECTS } from "./dialect-clients.ts";
import { SSE, streamOf, stubWorld } from "./stub-upstream.ts";

const PIECES = ["One ", "way: ", "north 🧭."];
const NEWS = [
  `event: vendor_news\ndata: ${JSON.stringify({ type: "vendor_news", index: 0, delta: { type: "news", words: "more" } })}\n\n`,
  `data: ${JSON.stringify({ type: "vendor.heartbeat" })}\n\n`,
  `event: ping\ndata: ${JSON.stringify({ type: "ping" })}\n\n`,
];

describe.each(DIALECTS)("a client of %s", (client) => {
  it.each(DIALECTS)("gets the whole answer of a target of %s that sends events of new types", async (dialect) => {
    const world = await stubWorld(
      (request, response) => {
        response.writeHead(200, SSE);
        const end = "\n\n";
        const events = streamOf(request.dialect, PIECES).split(end).filter(Boolean);
        // The SDKs take the first event for the beginning, and one that they cannot read behind the last content for the end.
        const withNews = events.map((event, at) => {
          const isBetween = at > 0 && at <= PIECES.length;
          return `${isBetween ? (NEWS[at % NEWS.length] ?? "") : ""}${event}${end}`;
        });
        response.end(withNews.join(""));
      },
      (base) => `
version: 1
targets:
  one: { dialect: ${dialect}, base_url: "${base}/one/v1", api_key_env: OWN }
  two: { dialect: ${dialect}, base_url: "${base}/two/v1", api_key_env: OWN }
routes:
  "*": { chain: [one, two] }
`,
      { env: { OWN: "key-of-the-gateway" } },
    );
    const { text, isWhole, error } = await world.run(ask(world.url, client, { model: "m", streaming: true }));
    expect({ text, isWhole, error }).toEqual({ text: PIECES.join(""), isWhole: true, error: null });
    expect(world.asked.map(({ target }) => target)).toEqual(["one"]);
  });
});

it.each([
  { event: { type: "vendor_news" }, isUnknown: true },
  { event: { type: "ping" }, isUnknown: true },
  { event: { type: "ping", error: { message: "overloaded" } }, isUnknown: false },
  { event: { type: "vendor_news", error: null }, isUnknown: true },
  { event: { type: "vendor_news", error: { message: "overloaded" } }, isUnknown: false },
  { event: { type: "error", message: "overloaded" }, isUnknown: false },
  { event: { type: "message_delta", delta: "?" }, isUnknown: false },
  { event: { type: "content_block_delta", delta: { type: "news" } }, isUnknown: false },
  { event: { type: "chunk", choices: [{}] }, isUnknown: false },
  { event: { detail: "no type" }, isUnknown: false },
  { event: "text", isUnknown: false },
  { event: null, isUnknown: false },
])("an event that no protocol knows is skipped, and no other: $event", ({ event, isUnknown }) => {
  expect(isUnknownEvent(event)).toBe(isUnknown);
});
