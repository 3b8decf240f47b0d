// Takes secrets out of a long text and keeps its head and its tail when it is too long. The redactor reads a limited
// length at a time, so the text is cut into pieces, at places where no secret lies across the cut.

import type { Redactor } from "../../core/fault/redact.ts";

export interface Fitted {
  readonly bytes: Uint8Array;
  readonly cut: boolean;
}

/** A piece that the redactor reads as a whole. */
const PIECE_CHARS = 131_072;
/** How far on both sides of a cut a secret is looked for. */
const REACH_CHARS = 8192;
const STEP_BACK_CHARS = 1021;
const MAX_STEPS_BACK = 64;

export function fit(content: string | Uint8Array, maxBytes: number, redactor: Redactor): Fitted {
  const { text, encoding } = textOf(content);
  // Redacting may shorten the text, so the ends are read until there is enough of them.
  const head = redactFrom(text, 0, maxBytes, encoding, redactor);
  if (head.end === text.length && head.bytes.length <= maxBytes) return { bytes: head.bytes, cut: false };
  const given = Buffer.byteLength(text, encoding);
  const mark = Buffer.from(`\n… cut here: ${given} bytes were given, ${maxBytes} are kept …\n`, "utf8");
  const room = Math.max(0, maxBytes - mark.length);
  const tailBytes = Math.floor(room / 2);
  const first = wholeChars(head.bytes.subarray(0, room - tailBytes), encoding);
  const last = lastBytes(text, tailBytes, encoding, redactor);
  return { bytes: Buffer.concat([first, mark, last]).subarray(0, maxBytes), cut: true };
}

interface Decoded {
  readonly text: string;
  readonly encoding: "utf8" | "latin1";
}

/** Content that is not text is read byte by byte and comes out unchanged except for masked secrets. */
function textOf(content: string | Uint8Array): Decoded {
  if (typeof content === "string") return { text: content.toWellFormed(), encoding: "utf8" };
  const buffer = Buffer.from(content.buffer, content.byteOffset, content.byteLength);
  const text = buffer.toString("utf8");
  return Buffer.byteLength(text, "utf8") === buffer.length && !text.includes("\ufffd")
    ? { text, encoding: "utf8" }
    : { text: buffer.toString("latin1"), encoding: "latin1" };
}

/** Redacts from `start` until more than `enough` bytes are there, or the text ends. */
function redactFrom(
  text: string,
  start: number,
  enough: number,
  encoding: Decoded["encoding"],
  redactor: Redactor,
): { readonly bytes: Buffer; readonly end: number } {
  const pieces: Buffer[] = [];
  let size = 0;
  let at = start;
  while (at < text.length && size <= enough) {
    const end = cutAt(text, at + PIECE_CHARS, at, redactor);
    const piece = Buffer.from(redactor.text(text.slice(at, end)), encoding);
    pieces.push(piece);
    size += piece.length;
    at = end;
  }
  return { bytes: Buffer.concat(pieces), end: at };
}

function lastBytes(text: string, wanted: number, encoding: Decoded["encoding"], redactor: Redactor): Buffer {
  const start = cutAt(text, Math.max(0, text.length - wanted - REACH_CHARS), 0, redactor);
  const { bytes } = redactFrom(text, start, Infinity, encoding, redactor);
  let from = Math.max(0, bytes.length - wanted);
  while (encoding === "utf8" && from < bytes.length && isInsideChar(bytes[from])) from++;
  return bytes.subarray(from);
}

/** The nearest place at or before `wanted` where redacting both sides apart gives the same as redacting them together. */
function cutAt(text: string, wanted: number, floor: number, redactor: Redactor): number {
  if (wanted >= text.length) return text.length;
  for (let step = 0, at = wanted; step < MAX_STEPS_BACK && at > floor; step++, at -= STEP_BACK_CHARS) {
    const place = isLowSurrogate(text.charCodeAt(at)) ? at - 1 : at;
    const left = text.slice(Math.max(0, place - REACH_CHARS), place);
    const right = text.slice(place, place + REACH_CHARS);
    if (place > floor && redactor.text(left + right) === redactor.text(left) + redactor.text(right)) return place;
  }
  return wanted;
}

function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff;
}

/** The bytes without a character at the end that was cut through. */
function wholeChars(bytes: Buffer, encoding: Decoded["encoding"]): Buffer {
  if (encoding === "latin1") return bytes;
  let end = bytes.length;
  for (let back = 1; back <= 4 && back <= bytes.length; back++) {
    const byte = bytes[bytes.length - back] ?? 0;
    if (isInsideChar(byte)) continue;
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
    if (length > back) end = bytes.length - back;
    break;
  }
  return bytes.subarray(0, end);
}

/** The second or a later byte of a character in UTF-8. */
function isInsideChar(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}
