// Secret values a program knows, found in what others write: as they are, escaped in any way, in base64 and in hex, also wrapped.
// By search, not by one large pattern: such a pattern compiles slowly, can be too large to compile at all, and takes polynomial time
// on a value with backslashes in it.

import { REDACTED } from "./secret-shapes.ts";
import { unescaped, type Unescaped } from "./unescaped.ts";

/** A shorter value would blank out ordinary words. */
const MIN_CHARS = 4;
/** Each line of a longer value is also known by itself, if it is long enough not to match ordinary text. */
const MIN_LINE_CHARS = 8;
const MAX_DEPTH = 16;
/** Marks where a text was cut. */
export const CUT = "…";
const MAX_CUTS = 64;
/** Values that every text is full of. */
const ORDINARY = new Set(["true", "false", "null", "none", "undefined"]);

export interface KnownValues {
  /** The text with every known value replaced, also the part of one that a cut (`…`) has left. */
  readonly mask: (text: string) => string;
}

export function createKnownValues(values: readonly unknown[]): KnownValues {
  const parts = [...new Set(values.flatMap((value) => textsIn(value)).flatMap(partsOf))].filter(isKnowable);
  const encoded = parts.flatMap(encodingsOf);
  // As written: in any letter case, because what passes a value on may have changed it.
  const written = needles([...parts, ...encoded].map(lowerCase));
  // Escaping changes only values with more than letters and digits in them; an encoded one may have been wrapped.
  const plain = needles(parts.filter((part) => /[^\w.-]/.test(part)).map((part) => unescaped(part).text));
  const wrapped = needles([...plain, ...encoded.map((part) => unescaped(part).text)]);

  function mask(text: string): string {
    if (written.length === 0 || text.length < MIN_CHARS) return text;
    const asWritten: Unescaped = { text: lowerCase(text), startOf: (index) => index, endOf: (index) => index + 1 };
    const found = placesIn(asWritten, written);
    const others = LINE_BREAK.test(text) ? wrapped : plain;
    if (others.length > 0) found.push(...placesIn(unescaped(text), others));
    return replaced(text, found);
  }

  return { mask };
}

/** As it is, or escaped. */
const LINE_BREAK = /\n|\\[rn]|%0A|&#/i;

/** Texts and numbers in a value, at any depth: what of it can be recognised. */
function textsIn(value: unknown, depth = 0): readonly string[] {
  if (typeof value === "string") return [value];
  if (typeof value === "number" || typeof value === "bigint") return [String(value)];
  if (typeof value !== "object" || value === null || depth >= MAX_DEPTH) return [];
  return Object.values(value).flatMap((item) => textsIn(item, depth + 1));
}

/** A text, without the white space around it, and its lines: a program prints those one at a time. */
function partsOf(text: string): readonly string[] {
  const lines = text.includes("\n") ? text.split(/\r?\n/).filter((line) => line.trim().length >= MIN_LINE_CHARS) : [];
  return [text, ...lines].map((part) => part.trim());
}

function isKnowable(text: string): boolean {
  return text.length >= MIN_CHARS && !ORDINARY.has(text.toLowerCase());
}

function needles(texts: readonly string[]): readonly string[] {
  return [...new Set(texts)].filter(({ length }) => length >= MIN_CHARS).sort((a, b) => b.length - a.length);
}

/** In hex, and in base64 at each of three alignments. */
function encodingsOf(value: string): readonly string[] {
  const bytes = new TextEncoder().encode(value);
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
  const base64 = [0, 1, 2].map((shift) => base64Inside(bytes, shift));
  return [hex, ...base64, ...base64.map((text) => text.replaceAll("+", "-").replaceAll("/", "_"))];
}

/** The base64 characters that depend on the value alone when `shift` unknown bytes come before it. */
function base64Inside(bytes: Uint8Array, shift: number): string {
  let padded = "\0".repeat(shift);
  for (const byte of bytes) padded += String.fromCharCode(byte);
  const encoded = btoa(padded).replaceAll("=", "");
  const head = shift === 0 ? 0 : shift + 1;
  const tail = padded.length % 3 === 0 ? 0 : 1;
  return encoded.slice(head, encoded.length - tail);
}

/** Of the same length as the text, so that places in it are places in the text. */
function lowerCase(text: string): string {
  const lower = text.toLowerCase();
  return lower.length === text.length ? lower : text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}

type Place = readonly [start: number, end: number];

function placesIn({ text, startOf, endOf }: Unescaped, wanted: readonly string[]): Place[] {
  const places: Place[] = [];
  const add = (from: number, length: number): unknown => places.push([startOf(from), endOf(from + length - 1)]);
  const cuts = cutsIn(text);
  for (const needle of wanted) {
    for (let at = text.indexOf(needle); at !== -1; at = text.indexOf(needle, at + needle.length))
      add(at, needle.length);
    for (const cut of cuts) {
      const before = beginningAtEnd(text.slice(Math.max(0, cut - needle.length), cut), needle);
      if (before > 0) add(cut - before, before);
      const behind = cut + CUT.length;
      const after = endingAtStart(text.slice(behind, behind + needle.length), needle);
      if (after > 0) add(behind, after);
    }
  }
  return places;
}

/** Where texts were cut: the first and the last places, if there are many. */
function cutsIn(text: string): readonly number[] {
  const cuts: number[] = [];
  for (let at = text.indexOf(CUT); at !== -1 && cuts.length < MAX_CUTS; at = text.indexOf(CUT, at + 1)) cuts.push(at);
  if (cuts.length < MAX_CUTS) return cuts;
  for (let at = text.lastIndexOf(CUT); at > 0 && cuts.length < 2 * MAX_CUTS; at = text.lastIndexOf(CUT, at - 1))
    cuts.push(at);
  return cuts;
}

/** How many characters of the value's beginning the text ends with. */
function beginningAtEnd(text: string, value: string): number {
  let chars = Math.min(value.length, text.length);
  while (chars >= MIN_CHARS && !text.endsWith(value.slice(0, chars))) chars--;
  return chars >= MIN_CHARS ? chars : 0;
}

/** How many characters of the value's end the text starts with. */
function endingAtStart(text: string, value: string): number {
  let chars = Math.min(value.length, text.length);
  while (chars >= MIN_CHARS && !text.startsWith(value.slice(-chars))) chars--;
  return chars >= MIN_CHARS ? chars : 0;
}

function replaced(text: string, places: readonly Place[]): string {
  if (places.length === 0) return text;
  let out = "";
  let done = 0;
  for (const [start, end] of [...places].sort((a, b) => a[0] - b[0] || b[1] - a[1])) {
    if (start >= done) out += text.slice(done, start) + REDACTED;
    done = Math.max(done, end);
  }
  return out + text.slice(done);
}
