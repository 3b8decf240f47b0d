// What is left of a text in which known values are written in every way, as a file that was reviewed says.

import { describe, expect, it } from "vitest";
import { createRedactor } from "../../../src/core/index.ts";

/** With a letter of each kind of boundary: A, Z, a, z, digits, marks that are escaped, one of two bytes, of three and of four. */
const VALUE = 'AZaz09 &"Ü€𝄞';
const PLAIN = "AbCdZz0123456789";
const LINES = "first line of it\nsecond line, longer\nshort\n  indented line of it  ";
const VALUES = [VALUE, PLAIN, LINES, 271_828, { deep: ["inner-Value-7"] }, "abc", "true", "NULL"];

const bytesOf = (text: string): readonly number[] => Array.from(new TextEncoder().encode(text));
const hex = (number: number, digits = 2): string => number.toString(16).padStart(digits, "0");
const units = (text: string): readonly number[] => text.split("").map((unit) => unit.charCodeAt(0));
const base64 = (text: string): string => Buffer.from(text).toString("base64");
const wrap = (text: string, width: number, by = "\n"): string =>
  text.replaceAll(new RegExp(`(.{${width}})`, "g"), `$1${by}`);

const WRITTEN: Readonly<Record<string, (value: string) => string>> = {
  "as it is": (value) => value,
  "in upper case": (value) => value.toUpperCase(),
  "in lower case": (value) => value.toLowerCase(),
  "with a letter before and behind": (value) => `x${value}x`,
  "twice": (value) => `${value}${value}`,
  "as JSON": (value) => JSON.stringify(value),
  "as JSON in JSON": (value) => JSON.stringify(JSON.stringify(value)),
  "as \\u": (value) =>
    units(value)
      .map((unit) => `\\u${hex(unit, 4)}`)
      .join(""),
  "as \\u{}": (value) =>
    Array.from(value)
      .map((one) => `\\u{${hex(one.codePointAt(0) ?? 0, 1)}}`)
      .join(""),
  "as \\x": (value) =>
    units(value)
      .map((unit) => (unit > 0xff ? String.fromCharCode(unit) : `\\x${hex(unit)}`))
      .join(""),
  "as %": (value) =>
    bytesOf(value)
      .map((byte) => `%${hex(byte)}`)
      .join(""),
  "as %, in upper case": (value) =>
    bytesOf(value)
      .map((byte) => `%${hex(byte).toUpperCase()}`)
      .join(""),
  "as %25": (value) =>
    bytesOf(value)
      .map((byte) => `%25${hex(byte)}`)
      .join(""),
  "of a URL": encodeURIComponent,
  "as &#": (value) =>
    Array.from(value)
      .map((one) => `&#${one.codePointAt(0)};`)
      .join(""),
  "as &#x": (value) =>
    Array.from(value)
      .map((one) => `&#x${hex(one.codePointAt(0) ?? 0)};`)
      .join(""),
  "of HTML": (value) => value.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll(" ", "&#32;"),
  "with + for a space": (value) => value.replaceAll(" ", "+"),
  "in hex": (value) => Buffer.from(value).toString("hex"),
  "in base64": base64,
  "in base64 behind one byte": (value) => base64(`.${value}`),
  "in base64 behind two bytes": (value) => base64(`..${value}!`),
  "in base64url": (value) => Buffer.from(`..${value}`).toString("base64url"),
  "in base64, wrapped": (value) => wrap(base64(value), 5),
  "in hex, wrapped": (value) => wrap(Buffer.from(value).toString("hex"), 7, "\\n"),
  "wrapped": (value) => wrap(value, 6),
  "without its last character": (value) => value.slice(0, -1),
  "without its first character": (value) => value.slice(1),
  "with another character in it": (value) => `${value.slice(0, 5)}_${value.slice(6)}`,
  "cut after four": (value) => `of ${value.slice(0, 4)}…`,
  "cut after three": (value) => `of ${value.slice(0, 3)}…`,
  "cut before its last": (value) => `of ${value.slice(0, -1)}…`,
  "cut, without its first": (value) => `of ${value.slice(1, -1)}…`,
  "cut, with more behind": (value) => `of ${value.slice(0, 6)}… (100 characters)`,
  "its last four behind a cut": (value) => `…${value.slice(-4)} is it`,
  "its last three behind a cut": (value) => `…${value.slice(-3)} is it`,
  "all but its first behind a cut": (value) => `…${value.slice(1)} is it`,
  "its end without its last behind a cut": (value) => `…${value.slice(-6, -1)} is it`,
  "on both sides of a cut": (value) => `${value.slice(0, 5)}…${value.slice(-5)}`,
};

const QUOTED = JSON.stringify(VALUE).slice(1, -1);

/** Texts that look like escapes, and are none or are broken off. */
const OTHERS = [
  "",
  "abc",
  "true and NULL",
  "271828 and 2718281 and 27182",
  "inner-value-7, INNER-VALUE-7, inner-Value-",
  "first line of it, second line, longer, short, indented line of it",
  "first line of i… line of it",
  ...["%", "%4", "%41", "%c3", "%c3%", "%c3%9", "%c3%41", "%e2%82", "%f0%9d%84", "%ff", "%25", "%2525"].map(
    (cut) => `${PLAIN}${cut}${QUOTED}${cut}`,
  ),
  ...["\\", "\\\\", "\\u", "\\u00", "\\u{", "\\u{41", "\\x4", "\\q", "&", "&#", "&#x", "&#65", "&none;", "&amp"].map(
    (cut) => `${PLAIN}${cut}${QUOTED}${cut}`,
  ),
  ..."@[`{/:".split("").map((mark) => `${mark}${PLAIN}${mark} ${mark}bCdZz0123456789 ${PLAIN.slice(0, -1)}${mark}`),
];

describe("a text with values that are known", () => {
  it("keeps what the file says, however they are written", async () => {
    const { text } = createRedactor(VALUES);
    const rows = Object.entries(WRITTEN).flatMap(([name, write]) =>
      [VALUE, PLAIN, LINES].map((value) => {
        const written = write(value);
        return `${name}: ${JSON.stringify(written)}\n  → ${JSON.stringify(text(`<${written}>`))}`;
      }),
    );
    const others = OTHERS.map((other) => `${JSON.stringify(other)}\n  → ${JSON.stringify(text(other))}`);
    await expect(`${[...rows, ...others].join("\n")}\n`).toMatchFileSnapshot("reviewed/masked.txt");
  });

  it.each([1, 62, 63, 64, 65, 66, 127, 128, 129, 130, 200])(
    "with %i places where others cut it keeps no part of one at the first and the last of them",
    (count) => {
      const { text } = createRedactor([PLAIN]);
      const shown = text(Array.from({ length: count }, (_one, at) => `${at}:${PLAIN.slice(0, 9)}…`).join(" "));
      const left = shown.split(" ").flatMap((part, at) => (part.includes("AbCd") ? [at] : []));
      expect(left).toEqual(Array.from({ length: Math.max(0, count - 128) }, (_one, at) => at + 64));
    },
  );
});
