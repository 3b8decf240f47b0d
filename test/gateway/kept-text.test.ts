// The text in an answer that was kept, in each dialect: a stream, a stream that was cut, and a document.

import { describe, expect, it } from "vitest";
import { textIn } from "../../src/gateway/ledger/kept-text.ts";

const events = (...data: readonly unknown[]): string => data.map((one) => `data: ${JSON.stringify(one)}\n\n`).join("");

const delta = (text: string) => ({ type: "content_block_delta", index: 0, delta: { type: "text_delta", text } });
const part = (text: string) => ({ candidates: [{ content: { role: "model", parts: [{ text }] } }] });
const choice = (content: string) => ({ choices: [{ index: 0, delta: { content } }] });
const output = (text: string) => ({
  type: "response.output_text.delta",
  item_id: "m",
  output_index: 0,
  content_index: 0,
  delta: text,
});

const STREAMS = {
  "openai-chat": events(choice("Head "), choice("north.")),
  "openai-responses": events(output("Head "), output("north.")),
  "anthropic-messages": events(
    { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
    delta("Head "),
    delta("north."),
  ),
  "google-generate": events(part("Head "), part("north.")),
};

const DOCUMENTS = {
  "openai-chat": { choices: [{ index: 0, message: { role: "assistant", content: "Head north." } }] },
  "openai-responses": {
    output: [{ type: "message", role: "assistant", content: [{ type: "output_text", text: "Head north." }] }],
  },
  "anthropic-messages": { type: "message", content: [{ type: "text", text: "Head north." }] },
  "google-generate": part("Head north."),
};

describe.each(Object.entries(STREAMS))("an answer of %s", (dialect, stream) => {
  it("is read from the events of a stream, also from one that was cut within an event", () => {
    expect(textIn(stream, dialect)).toBe("Head north.");
    expect(textIn(stream.slice(0, -20), dialect)).toBe("Head ");
  });

  it("is read from a document", () => {
    expect(textIn(JSON.stringify(DOCUMENTS[dialect as keyof typeof DOCUMENTS]), dialect)).toBe("Head north.");
  });

  it.each(["", "<html>Bad Gateway</html>", "{", "data: {}\n\n"])("is no text in %j", (kept) => {
    expect(textIn(kept, dialect)).toBeNull();
  });
});

it("reads nothing in a dialect that it does not know", () => {
  expect(textIn(STREAMS["openai-chat"], "newer-dialect")).toBeNull();
});
