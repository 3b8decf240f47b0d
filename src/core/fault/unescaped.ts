// A text with its escaping taken away, so that a value is found however often it was quoted, escaped or wrapped on its way: JSON, URLs,
// HTML, shells, line breaks. What those change (white space, quotes, backslashes, `+`) is left out, letters are lower-cased.
// Linear: every character is read once.

export interface Unescaped {
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

export function unescaped(original: string): Unescaped {
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
