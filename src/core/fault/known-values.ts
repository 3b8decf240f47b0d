// Secret values a program knows, found in what others write: as they are, escaped in any way, in base64 and in hex, also wrapped.
// By search, not by one large pattern: such a pattern compiles slowly, can be too large to compile at all, and takes polynomial time
// on a value with backslashes in it.

/** What stands in place of a secret. */
export const REDACTED = "[redacted]";

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

interface KnownValues {
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
    if (others.length > 0) found.push(...placesIn(CHANGED.test(text) ? unescaped(text) : asWritten, others));
    return replaced(text, found);
  }

  return { mask };
}

/** What is left out or changed when escaping is taken away, besides the case of letters. Names and codes have none of it. */
const CHANGED = /[^!#-$(-*,-[\]-_a-~]/;
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

/** In lower case, with the same length, so that positions in it are positions in the text. */
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

// The end of a long text, cut so that the redactor still recognises a secret that lay across the cut.

/** The rest of a word that the cut went through. No key is longer than 512 characters. */
const BROKEN_WORD = /^[^\s"',;:<>()[\]{}]{1,512}/;

/** The last characters, from a whole word on: half a key has no shape. `…` tells the redactor to look for the end of a known value. */
export function lastOf(text: string, maxChars: number): string {
  return text.length <= maxChars ? text : afterCut(text.slice(-maxChars));
}

/** The rest of a text whose beginning was cut off. */
export function afterCut(rest: string): string {
  return `${CUT}${rest.replace(BROKEN_WORD, "")}`;
}

// A text with its escaping taken away, so that a value is found however often it was quoted, escaped or wrapped on its way: JSON, URLs,
// HTML, shells, line breaks. What those change (white space, quotes, backslashes, `+`) is left out, letters are lower-cased.
// Linear: every character is read once.

interface Unescaped {
  readonly text: string;
  /** Where in the original the character at `index` begins, and where it ends. */
  readonly startOf: (index: number) => number;
  readonly endOf: (index: number) => number;
}

/** A character that escaping adds, removes or replaces. */
const LEFT_OUT = -1;
const BACKSLASH = 0x5c;
const PERCENT = 0x25;
const AMPERSAND = 0x26;
const CHUNK = 8192;
/** So many kinds of escapes inside each other. One kind inside itself (`%252525`, `\\\\n`) is read at once. */
const MAX_LEVELS = 6;

function unescaped(original: string): Unescaped {
  let now: Level = { text: original, starts: null, ends: null };
  for (let level = 0; level < MAX_LEVELS && ESCAPES.test(now.text); level++) {
    const next = read(now, readUnit);
    if (next.text.length === now.text.length) break;
    now = next;
  }
  const { text, starts, ends } = read(now, readSignificant);
  return {
    text,
    startOf: (index) => starts?.[index] ?? original.length,
    endOf: (index) => ends?.[index] ?? original.length,
  };
}

interface Level {
  readonly text: string;
  /** Where each character begins and ends in the original; null: there. */
  readonly starts: Uint32Array | null;
  readonly ends: Uint32Array | null;
}

const ESCAPES = /[\\%&]/;

function read({ text, starts, ends }: Level, readAt: (text: string, at: number, unit: Unit) => void): Level {
  const codes = new Uint16Array(text.length);
  const next = { starts: new Uint32Array(text.length), ends: new Uint32Array(text.length) };
  const unit: Unit = { code: 0, end: 0 };
  let length = 0;
  for (let at = 0; at < text.length; at = unit.end) {
    readAt(text, at, unit);
    if (unit.code === LEFT_OUT) continue;
    next.starts[length] = starts?.[at] ?? at;
    next.ends[length] = ends?.[unit.end - 1] ?? unit.end;
    codes[length++] = unit.code;
  }
  let out = "";
  for (let at = 0; at < length; at += CHUNK) {
    out += String.fromCharCode(...codes.subarray(at, Math.min(at + CHUNK, length)));
  }
  return { text: out, ...next };
}

interface Unit {
  code: number;
  end: number;
}

/** Reads one character, escaped or not, into `unit`. */
function readUnit(text: string, at: number, unit: Unit): void {
  const code = text.charCodeAt(at);
  unit.code = code;
  unit.end = at + 1;
  if (code === BACKSLASH) readBackslashes(text, at, unit);
  else if (code === PERCENT) readPercent(text, at, unit);
  else if (code === AMPERSAND) readEntity(text, at, unit);
}

function readSignificant(text: string, at: number, unit: Unit): void {
  const code = text.charCodeAt(at);
  unit.end = at + 1;
  unit.code = code >= 0x41 && code <= 0x5a ? code + 0x20 : isChanging(code) ? LEFT_OUT : code;
}

/** White space, quotes, backslash and plus; for a surrogate pair the first half only, because the second decodes to both. */
function isChanging(code: number): boolean {
  if (code === 0x22 || code === 0x27 || code === 0x2b || code === BACKSLASH || code === 0x60) return true;
  return code <= 0x20 || code === 0xa0 || (code >= 0xd800 && code < 0xdc00);
}

function unitOf(codePoint: number): number {
  return codePoint > 0xffff ? 0xdc00 + (codePoint & 0x3ff) : codePoint;
}

const ESCAPE = /u([0-9a-f]{4})|u\{([0-9a-f]{1,6})\}|x([0-9a-f]{2})|[nrtbfv]/iy;

/** `\n`, `\u0026`, `\\\\"`: however many backslashes there are, with the escape behind them they encode one character. */
function readBackslashes(text: string, at: number, unit: Unit): void {
  let end = at;
  while (text.charCodeAt(end) === BACKSLASH) end++;
  ESCAPE.lastIndex = end;
  const found = ESCAPE.exec(text);
  const hex = found === null ? undefined : (found[1] ?? found[2] ?? found[3]);
  unit.code = hex === undefined ? LEFT_OUT : unitOf(Number.parseInt(hex, 16));
  unit.end = found === null ? end : ESCAPE.lastIndex;
}

/** The lowest first byte of a character with this many more bytes. */
const MORE_BYTES = [0, 0xc2, 0xe0, 0xf0];
const ENCODED = /%(?:25)*([0-9a-f]{2})/iy;

/** `%2F`, also encoded again (`%252F`), and the several bytes of a character beyond ASCII. */
function readPercent(text: string, at: number, unit: Unit): void {
  const first = byteAt(text, at);
  if (first === null) return;
  unit.code = first.byte;
  unit.end = first.end;
  const more = MORE_BYTES.findLastIndex((lowest) => first.byte >= lowest);
  let code = first.byte & (0x3f >> more);
  let { end } = first;
  for (let count = 0; count < more; count++) {
    const next = byteAt(text, end);
    if (next === null || next.byte >> 6 !== 2) return;
    code = (code << 6) | (next.byte & 0x3f);
    end = next.end;
  }
  if (more <= 0) return;
  unit.code = unitOf(code);
  unit.end = end;
}

function byteAt(text: string, at: number): { readonly byte: number; readonly end: number } | null {
  ENCODED.lastIndex = at;
  const found = ENCODED.exec(text);
  return found === null ? null : { byte: Number.parseInt(found[1] ?? "", 16), end: ENCODED.lastIndex };
}

const ENTITY = /&(?:amp;)*(?:#(\d{1,7})|#x([0-9a-f]{1,6})|(lt|gt|quot|apos|amp|nbsp));/iy;
const NAMED: Readonly<Record<string, string>> = { lt: "<", gt: ">", quot: '"', apos: "'", amp: "&", nbsp: " " };

function readEntity(text: string, at: number, unit: Unit): void {
  ENTITY.lastIndex = at;
  const found = ENTITY.exec(text);
  if (found === null) return;
  const [, decimal, hex, name = ""] = found;
  const named = (NAMED[name.toLowerCase()] ?? " ").charCodeAt(0);
  const numeric = decimal === undefined ? Number.parseInt(hex ?? "", 16) : Number(decimal);
  unit.code = Number.isNaN(numeric) ? named : unitOf(numeric);
  unit.end = ENTITY.lastIndex;
}
