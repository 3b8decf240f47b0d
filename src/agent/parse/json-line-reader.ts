// Splits the lines of one stream into JSON values and plain lines. A value is one line, or one object printed over many lines that starts
// with a line of only `{`.
// L1  No line makes it throw, whatever its length or bytes.
// L2  Memory for an unfinished object is bounded.

import { parseJson } from "../../core/try-read.ts";

export interface LineSink {
  readonly value: (value: unknown, line: string) => void;
  readonly plain: (line: string) => void;
  /** An empty line, which only matters in plain text. */
  readonly blank: () => void;
  /** A line that began like JSON but could not be parsed. */
  readonly broken: (line: string) => void;
}

/** Larger than any result a CLI prints over many lines. */
const MAX_OBJECT_CHARS = 16_777_216;
const CLOSING: ReadonlyMap<string, string> = new Map([
  ["{", "}"],
  ["[", "]"],
]);

export function createJsonLineReader(sink: LineSink) {
  let open: { readonly closing: string; lines: string[]; chars: number } | null = null;

  function take(line: string): void {
    if (open !== null) return gather(open, line);
    const bare = line.trim();
    if (bare === "") return sink.blank();
    const closing = CLOSING.get(line.trimEnd());
    if (closing !== undefined) {
      open = { closing, lines: [line], chars: line.length };
      return;
    }
    if (!bare.startsWith("{") && !bare.startsWith("[{")) return sink.plain(line);
    const value = parseEvent(bare);
    if (value === undefined) sink.broken(line);
    else sink.value(value, line);
  }

  function gather(object: NonNullable<typeof open>, line: string): void {
    object.lines.push(line);
    object.chars += line.length + 1;
    if (line.trimEnd() === object.closing) return close(object);
    if (object.chars > MAX_OBJECT_CHARS) close(object);
  }

  function close(object: NonNullable<typeof open>): void {
    open = null;
    const text = object.lines.join("\n");
    const value = parseEvent(text);
    if (value === undefined) sink.broken(text);
    else sink.value(value, text);
  }

  return {
    take,
    end: () => {
      if (open !== null) close(open);
    },
  };
}

// Parses JSON from a CLI only if that is fast. JSON.parse blocks the event loop, and a hostile line of 16 MB takes seconds. The cost is in
// the number of values; long strings are cheap.

/** Larger than any event a CLI prints, even with an image of 5 MB. */
const MAX_EVENT_CHARS = 8_388_608;
/** Parsing this many values takes about 30 ms. */
const MAX_VALUES = 100_000;
/** A text this short cannot contain more values than that. */
const SHORT_CHARS = MAX_VALUES;

/** Returns undefined for text that is not JSON or would take too long to parse. */
export function parseEvent(text: string): unknown {
  if (text.length > MAX_EVENT_CHARS || (text.length > SHORT_CHARS && hasTooManyValues(text))) return undefined;
  return parseJson(text);
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const OPEN_LIST = 0x5b;
const OPEN_OBJECT = 0x7b;

/** Every value except the first follows a comma or an opening bracket. Strings are skipped. */
function hasTooManyValues(text: string): boolean {
  let values = 0;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit === QUOTE) at = endOfText(text, at);
    else if (unit === COMMA || unit === OPEN_LIST || unit === OPEN_OBJECT) values++;
    if (values > MAX_VALUES) return true;
  }
  return false;
}

/** The end of the string that begins with the quote at `from`. */
function endOfText(text: string, from: number): number {
  for (let at = text.indexOf('"', from + 1); at !== -1; at = text.indexOf('"', at + 1)) {
    let backslashes = 0;
    while (text.charCodeAt(at - 1 - backslashes) === BACKSLASH) backslashes++;
    if (backslashes % 2 === 0) return at;
  }
  return text.length;
}
