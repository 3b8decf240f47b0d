// The promises L1–L3 of the line reader, and T1–T2 of the tail.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createLineReader, createTail } from "../../../src/agent/process/output.ts";

function linesOf(chunks: readonly Uint8Array[], maxLineBytes = 1000): readonly string[] {
  const lines: string[] = [];
  const reader = createLineReader(maxLineBytes, (line) => void lines.push(line));
  for (const chunk of chunks) reader.push(chunk);
  reader.end();
  return lines;
}

const text = (value: string): Uint8Array => Buffer.from(value);

describe("a line reader", () => {
  it.each<[string, string, readonly string[]]>([
    ["ends lines at \\n and at \\r\\n", "a\nb\r\nc\n", ["a", "b", "c"]],
    ["delivers a last line without its newline", "a\nhalf", ["a", "half"]],
    ["delivers empty lines", "\n\r\n\na", ["", "", "", "a"]],
    ["delivers nothing for nothing", "", []],
    ["takes a lone \\r as a character like any other", "10%\r20%\r\nend\r", ["10%\r20%", "end\r"]],
    ["leaves a byte order mark where it is", "\uFEFFa\n", ["\uFEFFa"]],
  ])("%s", (_title, input, lines) => {
    expect(linesOf([text(input)])).toEqual(lines);
  });

  it("puts together a character that came in two chunks", () => {
    const bytes = text("naïve 🙂\n");
    for (let at = 0; at <= bytes.length; at++)
      expect(linesOf([bytes.subarray(0, at), bytes.subarray(at)])).toEqual(["naïve 🙂"]);
  });

  it("is not disturbed by bytes that are not text", () => {
    expect(linesOf([Uint8Array.of(0xff, 0xfe, 0x00, 0xc3), text("\nnext\n")])).toEqual(["��\0�", "next"]);
  });

  it("cuts a long line, reports it, and continues with the next", () => {
    expect(linesOf([text("123456789\nok\n")], 4)).toEqual(["1234… [cut: 9 bytes, 4 shown]", "ok"]);
    expect(linesOf([text("1234\r\n12345\r\n")], 4)).toEqual(["1234", "1234… [cut: 5 bytes, 4 shown]"]);
  });

  it("never cuts through a character", () => {
    expect(linesOf([text("a🙂b")], 3)).toEqual(["a… [cut: 6 bytes, 3 shown]"]);
  });

  it("gives the same lines for the same bytes, however they are split", () => {
    const bytes = fc
      .array(
        fc.oneof(
          fc.constantFrom("\n", "\r\n", "\r", "é", "🙂", "a", "long enough to be cut").map((piece) => text(piece)),
          fc.uint8Array({ maxLength: 5 }),
        ),
        { maxLength: 60 },
      )
      .map((pieces) => Buffer.concat(pieces));
    fc.assert(
      fc.property(bytes, fc.array(fc.nat(200)), fc.integer({ min: 1, max: 20 }), (all, cuts, maxLineBytes) => {
        const at = [0, ...cuts.map((cut) => Math.min(cut, all.length)).sort((a, b) => a - b), all.length];
        const chunks = at.slice(1).map((end, index) => all.subarray(at[index], end));
        expect(linesOf(chunks, maxLineBytes)).toEqual(linesOf([all], maxLineBytes));
        const single = Array.from(all, (byte) => Uint8Array.of(byte));
        expect(linesOf(single, maxLineBytes)).toEqual(linesOf([all], maxLineBytes));
      }),
      { numRuns: 500 },
    );
  });

  it("gives what splitting the whole text would give", () => {
    const anyText = fc
      .array(fc.constantFrom("\n", "\r\n", "x", "ü", "{}"), { maxLength: 50 })
      .map((parts) => parts.join(""));
    fc.assert(
      fc.property(anyText, (all) => {
        const expected = all.split(/\r?\n/);
        if (expected.at(-1) === "") expected.pop();
        expect(linesOf([text(all)])).toEqual(expected);
      }),
    );
  });
});

describe("a tail", () => {
  it("is the end of all that came, and says so when it is not all", () => {
    const chunk = fc.oneof(
      fc.string({ unit: "grapheme", maxLength: 12 }).map((value) => text(value)),
      fc.constant(text("🙂é")),
    );
    fc.assert(
      fc.property(fc.array(chunk, { maxLength: 40 }), fc.nat(30), (chunks, maxBytes) => {
        const tail = createTail(maxBytes);
        for (const part of chunks) tail.push(part);
        const all = Buffer.concat(chunks);
        const kept = tail.text();
        const isCut = all.length > maxBytes;
        const end = isCut ? kept.slice(1) : kept;
        expect(kept).toBe(`${isCut ? "…" : ""}${end}`);
        expect(all.toString("utf8").endsWith(end)).toBe(true);
        expect(Buffer.byteLength(end)).toBeLessThanOrEqual(maxBytes);
        if (!isCut) expect(end).toBe(all.toString("utf8"));
      }),
      { numRuns: 500 },
    );
  });

  it("keeps only the end of a chunk that is larger than itself", () => {
    const tail = createTail(4);
    tail.push(text("abcde fgh"));
    expect(tail.text()).toBe("… fgh");
    tail.push(text(" i"));
    expect(tail.text()).toBe("… i");
  });

  it.each([
    { bytes: [0xf0, 0x9f, 0x98, 0x80, 0x20, 0x62], kept: "… b", what: "what is left of one character" },
    { bytes: [0xf0, 0x9f, 0x98, 0x80], kept: "…", what: "what is left of one character, if that is all" },
    {
      bytes: [0xf0, 0x9f, 0x98, 0x80, 0x22],
      kept: '…"',
      what: "what is left of one character, but no quote behind it",
    },
    { bytes: [0x41, 0x80, 0x80, 0x80, 0x80, 0x20, 0x62], kept: "… b", what: "bytes that are no text" },
  ])("leaves out $what", ({ bytes, kept }) => {
    const tail = createTail(bytes.length - 1);
    for (const byte of bytes) tail.push(Uint8Array.of(byte));
    expect(tail.text()).toBe(kept);
  });
});
