// Splits the lines of one stream into JSON values and plain lines. A value is one line, or one object printed over many lines that starts
// with a line of only `{`.
// L1  No line makes it throw, whatever its length or bytes.
// L2  Memory for an unfinished object is bounded.

import { parseEvent } from "./parse-event.ts";

export interface LineSink {
  readonly value: (value: unknown, line: string) => void;
  readonly plain: (line: string) => void;
  /** An empty line, which only matters in plain text. */
  readonly blank: () => void;
  /** A line that began like JSON but could not be parsed. */
  readonly broken: (line: string) => void;
}

export interface EventLineReader {
  readonly take: (line: string) => void;
  readonly end: () => void;
}

/** Larger than any result a CLI prints over many lines. */
const MAX_OBJECT_CHARS = 16_777_216;
const CLOSING: ReadonlyMap<string, string> = new Map([
  ["{", "}"],
  ["[", "]"],
]);

export function createJsonLineReader(sink: LineSink): EventLineReader {
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
