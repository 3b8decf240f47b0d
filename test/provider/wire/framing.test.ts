// How texts are cut into pieces, compared with a file: every limit at its boundary, and the same however the text arrives. A change that is
// meant shows as a difference of that file (`npx vitest run test/provider/wire/framing.test.ts -u` writes it again).

import { describe, expect, it } from "vitest";
import {
  createBodyFraming,
  createStreamFraming,
  type Framing,
  type FramingSink,
  HEAD_CHARACTERS,
} from "../../../src/provider/wire/framing.ts";

const LIMITS = { eventCharacters: 20, bodyCharacters: 20 };

/** Everything that a framing says about a text that arrives in chunks of `size` characters. */
function framed(create: (sink: FramingSink) => Framing, text: string, size: number): string {
  const said: (readonly string[])[] = [];
  let arrived = 0;
  const framing = create({
    piece: (data, name) => said.push(["piece", data, name]),
    body: (body) => said.push(["body", body]),
    arrived: (characters) => (arrived += characters),
    tooLarge: (what) => said.push(["too large", what]),
  });
  for (let at = 0; at < text.length; at += size) framing.push(text.slice(at, at + size));
  const { kind, head, bareJson, lastEvent } = framing.end();
  // What is kept as evidence matters only for a text that cannot be read; the rest of a piece that is too large is not looked at.
  const evidence = kind === "other" ? head : "";
  const rest = said.some(([what]) => what === "too large") ? [] : [bareJson, lastEvent];
  return JSON.stringify([...said, kind, evidence, ...rest, ...(arrived === 0 ? [] : [`${arrived} arrived`])]);
}

const x = (count: number): string => "x".repeat(count);

/** A line of 20 characters may be read, and an event of 104: twice its data and 64. */
const EVENTS = [
  `data: ${x(14)}\n\n`,
  `data: ${x(15)}\n\n`,
  `data: ${x(15)}\n\ndata: later\n\n`,
  `data: a\n\ndata: ${x(15)}\n\ndata: later\n\n`,
  `data:a\ndata:b\n\n`,
  `data: ${x(9)}\ndata: ${x(10)}\n\n`,
  `data: ${x(10)}\ndata: ${x(10)}\n\n`,
  `data: ${x(10)}\r\ndata: ${x(9)}\r\n\r\ndata: b\r\n\r\n`,
  `data: ${x(10)}\rdata: ${x(9)}\r\rdata: b\r\r`,
  `${`id: ${x(16)}\n`.repeat(5)}data\n\n`,
  `${`id: ${x(16)}\n`.repeat(5)}data\ndata\n\n`,
  `${`id: ${x(16)}\r\n`.repeat(5)}data\r\n\r\n${`id: ${x(16)}\r\n`.repeat(5)}data\r\n\r\n`,
  `${`id: ${x(16)}\n`.repeat(5)}:ping\ndata\n\n`,
  `${`:${x(19)}\n`.repeat(9)}data: a\n\n`,
  `:${x(20)}\ndata: a\n\n`,
  `:ping\ndata: ${x(14)}\n\n:ping\n\n`,
  `${`id: ${x(16)}\n`.repeat(5)}:\n${`id: ${x(16)}\n`.repeat(5)}\n`,
  `event: named\ndata: a\n\ndata: b\n\n`,
  `data: a\n\ndata: unended`,
  `event: e\ndata: unended\n`,
  `data: a\n\n{"error":1}`,
  `data: a\n\n  {"error":1}`,
  `data: a\r{"error":1} `,
  `data: a\n{"one":1}\n{"two":2}\n`,
  `: only\n: comments\n`,
  `: cut\nda`,
  `id: 1\nretry: 5\nevent: e\n`,
  `gibberish`,
  `data: a\ngibberish`,
];
const LISTS = [
  "[]",
  " [ ] rest",
  "[{}]",
  `[{"":"{"},{"":"}"}]`,
  String.raw`["\\",{"\\":"\"}"}]`,
  `[{"a":1},{"b":2}]`,
  `[{"a":1}\n,\r\n[1,[2]] ]{"after":1}`,
  `["text",{"a":"}]"}]`,
  String.raw`[{"a":"\"}"},{"b":"\\"}]`,
  `[{"a":"${x(11)}"}]`,
  `[{"a":"${x(12)}"}]`,
  `[{"a":"${x(13)}"}]`,
  `[{"a":"${x(13)}"},{"b":2}]`,
  `[{"a":1},{"a":"${x(13)}`,
  `[{"a":"${x(12)}"},{"b":"${x(12)}"}]`,
  `[{"cut`,
  "[1,2",
];
const PAGES = ["<html>", " \n<p>", `<${x(HEAD_CHARACTERS - 1)}`, `<${x(HEAD_CHARACTERS)}`, `<${x(HEAD_CHARACTERS)}y`];
const BODIES = ["", "  ", "{}", `\n\n {"a":1} `, `{${x(18)}}`, `{${x(19)}}`, `{${x(30)}}`];

const asStream = (sink: FramingSink): Framing => createStreamFraming(sink, LIMITS);
const asBody = (sink: FramingSink): Framing => createBodyFraming(sink, LIMITS);

describe("a framing", () => {
  it("cuts texts into the pieces in the file, however they arrive", async () => {
    const texts = [...EVENTS, ...LISTS, ...PAGES, ...BODIES];
    const lines = [
      ...texts.map((text) => [asStream, text] as const),
      ...BODIES.map((text) => [asBody, text] as const),
    ].map(([create, text]) => {
      const whole = framed(create, text, Infinity);
      for (const size of [1, 2, 3, 7]) expect([size, framed(create, text, size)]).toEqual([size, whole]);
      return `${JSON.stringify(text.slice(0, 80))} ${whole.length > 300 ? `${whole.slice(0, 80)}… ${whole.length}` : whole}`;
    });
    await expect(`${lines.join("\n")}\n`).toMatchFileSnapshot("framed/texts.txt");
  });

  it("keeps the first 2,048 characters of a text that it cannot read, and finds JSON in the last 16,384", () => {
    const wide = { eventCharacters: 1e6, bodyCharacters: 1e6 };
    const create = (sink: FramingSink): Framing => createStreamFraming(sink, wide);
    for (const size of [1_000, Infinity]) {
      expect(framed(create, x(5_000), size)).toContain(`"other","${x(2_048)}"`);
      for (const [filler, isFound] of [
        [16_377, true],
        [16_378, false],
      ] as const) {
        const said = framed(create, `data: ${x(70_000)}\n\n{"a":${"1".repeat(filler)}}`, size);
        expect([filler, said.includes("{")]).toEqual([filler, isFound]);
      }
    }
  });
});
