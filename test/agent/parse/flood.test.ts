// However much a CLI prints: what a parser keeps is bounded, and the cost of a line does not grow with what came before it. Were it
// to, these tests would not end: they print far more than the answer's limit, line by line.

import { describe, expect, it } from "vitest";
import { BoundedText, MAX_TEXT_CHARS } from "../../../src/agent/parse/agent-run.ts";
import { AGENT_KINDS, type AgentKind } from "../../../src/agent/parse/agent-state.ts";
import { createParser } from "../../../src/agent/parse/create-parser.ts";
import { parseEvent } from "../../../src/agent/parse/json-line-reader.ts";

const PROSE = "x".repeat(1_000);

/** How each CLI prints a piece of its answer. */
const PIECES: Readonly<Record<AgentKind, (text: string) => string>> = {
  claude: (text) => JSON.stringify({ type: "assistant", message: { id: "m", content: [{ type: "text", text }] } }),
  qwen: (text) => JSON.stringify({ type: "assistant", message: { id: "m", content: [{ type: "text", text }] } }),
  codex: (text) => JSON.stringify({ type: "item.completed", item: { id: "i", type: "agent_message", text } }),
  gemini: (text) => JSON.stringify({ type: "message", role: "assistant", content: text }),
  opencode: (text) => JSON.stringify({ type: "text", sessionID: "s", part: { messageID: "m", text } }),
  goose: (text) =>
    JSON.stringify({ type: "message", message: { id: "m", role: "assistant", content: [{ type: "text", text }] } }),
  generic: (text) => text,
};

describe("a flood of output", () => {
  it.each(AGENT_KINDS)("of %s leaves a bounded answer", (kind) => {
    const parser = createParser(kind);
    const line = PIECES[kind](PROSE);
    let heard = 0;
    for (let count = 0; count < 40_000; count++) heard += parser.stdout(line).length;
    parser.end();
    expect(heard).toBeGreaterThanOrEqual(40_000);
    expect(parser.state.text.length).toBeLessThanOrEqual(MAX_TEXT_CHARS);
    expect(parser.state.text.startsWith("xxx")).toBe(true);
  });

  it.each(AGENT_KINDS)("of %s in text mode, and on stderr, leaves bounded notes", (kind) => {
    const parser = createParser(kind);
    for (let count = 0; count < 40_000; count++) {
      parser.stdout(PROSE);
      parser.stderr(PROSE);
    }
    for (let count = 0; count < 200_000; count++) parser.stdout("");
    parser.end();
    expect(parser.state.text.length).toBeLessThanOrEqual(MAX_TEXT_CHARS);
    expect(JSON.stringify({ ...parser.state, text: "" }).length).toBeLessThan(10_000);
  });
});

describe("a bounded text", () => {
  it("is the joined pieces, up to its limit", () => {
    const text = new BoundedText(150_000);
    const pieces = Array.from({ length: 40_000 }, (_, index) => `${index} `);
    for (const piece of pieces) text.add(piece);
    expect(text.toString()).toBe(pieces.join("").slice(0, 150_000));
    text.add("more");
    expect(text.toString()).toHaveLength(150_000);
    text.set("anew");
    text.add("!");
    expect(text.toString()).toBe("anew!");
  });
});

describe("an event", () => {
  it.each([
    ["many objects", `{"t":[${'{"a":1},'.repeat(100_000)}1]}`],
    ["deep lists", "[".repeat(500_000) + "]".repeat(500_000)],
    ["numbers", `[${"1,".repeat(500_000)}1]`],
    ["more text than any event has", JSON.stringify({ t: "x".repeat(9_000_000) })],
  ])("of %s is not parsed", (_title, text) => {
    expect(parseEvent(text)).toBeUndefined();
  });

  it.each([
    ["an image", "iVBORw0KGgo".repeat(450_000)],
    ["code full of brackets, quotes and backslashes", '{"a": ["\\\\", \'[{,\'],\n'.repeat(100_000)],
  ])("with %s in a text is", (_title, t) => {
    expect(parseEvent(JSON.stringify({ type: "x", t }))).toEqual({ type: "x", t });
  });
});
