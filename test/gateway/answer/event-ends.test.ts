// Where events end, in whatever pieces their bytes come.

import fc from "fast-check";
import { expect, it } from "vitest";
import { EventEnds } from "../../../src/gateway/answer/event-ends.ts";

/** The same streams, with each of the line ends that the standard allows. */
const LINE_ENDS = ["\n", "\r\n", "\r"];
const line = fc.constantFrom("", "", "data: x", "event: y", ": comment", "data: 🧭");

/** What a client may get of the pieces: everything up to the last event that is whole. */
function shownOf(pieces: readonly Uint8Array[]): string {
  const ends = new EventEnds();
  let shown = 0;
  let read = 0;
  for (const piece of pieces) {
    const end = ends.endIn(piece);
    if (end > 0) shown = read + end;
    read += piece.length;
  }
  return Buffer.concat(pieces).subarray(0, shown).toString();
}

it.each(LINE_ENDS)("with lines that end in %j: all whole events, and nothing of the one that has begun", (end) => {
  const pieceLengths = fc.array(fc.integer({ min: 1, max: 12 }), { minLength: 1, maxLength: 80 });
  fc.assert(
    fc.property(fc.array(line, { maxLength: 12 }), pieceLengths, (lines, lengths) => {
      const bytes = Buffer.from(lines.map((one) => one + end).join(""));
      const pieces: Uint8Array[] = [];
      let at = 0;
      for (const length of [...lengths, Infinity]) {
        if (at >= bytes.length) break;
        pieces.push(bytes.subarray(at, at + length));
        at += length;
      }
      const whole = lines.slice(0, lines.lastIndexOf("") + 1);
      const expected = whole.map((one) => one + end).join("");
      const shown = shownOf(pieces);
      // The LF of a CR LF may come with the next piece: the event before it is whole without it.
      if (end === "\r\n" && expected !== "") expect([expected, expected.slice(0, -1)]).toContain(shown);
      else expect(shown).toBe(expected);
    }),
  );
});

it.each([
  ["data: a\n\nda", 9],
  ["data: a\n", 0],
  ["\ndata: b", 1],
  ["data: a\r\n\r\n", 11],
  ["data: a\n\ndata: b\n\n", 18],
] as const)("%j ends at %i", (text, end) => {
  expect(new EventEnds().endIn(Buffer.from(text))).toBe(end);
});
