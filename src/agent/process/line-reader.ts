// Splits bytes into lines. It decodes whole lines only, so the chunk boundaries do not matter.
// L1  The same bytes give the same lines, however they are chunked.
// L2  At most maxLineBytes are buffered, however long a line is. A truncated line says how much is missing.
// L3  Bytes that are not valid UTF-8 become U+FFFD and affect no other line.

export interface LineReader {
  /** Delivers at most `maxLines` lines and returns the remaining bytes. */
  push(chunk: Uint8Array, maxLines?: number): Uint8Array;
  /** Delivers the text after the last newline, if any. */
  end(): void;
}

const NEWLINE = 0x0a;
const RETURN = 0x0d;
const NOTHING = new Uint8Array(0);

export function createLineReader(maxLineBytes: number, onLine: (line: string) => void): LineReader {
  /** The beginning of an unfinished line. It is a copy, because a slice would keep the whole chunk in memory. */
  let held = Buffer.alloc(0);
  let heldBytes = 0;
  let lineBytes = 0;
  let lastByte = 0;

  function hold(part: Uint8Array): void {
    lastByte = part.at(-1) ?? lastByte;
    lineBytes += part.length;
    const kept = part.subarray(0, maxLineBytes - heldBytes);
    if (heldBytes + kept.length > held.length) {
      const bigger = Buffer.alloc(Math.min(maxLineBytes, Math.max(2 * held.length, heldBytes + kept.length)));
      bigger.set(held.subarray(0, heldBytes));
      held = bigger;
    }
    held.set(kept, heldBytes);
    heldBytes += kept.length;
  }

  function deliverHeld(contentBytes: number): void {
    const line = lineOf(held.subarray(0, heldBytes), contentBytes, maxLineBytes);
    held = Buffer.alloc(0);
    heldBytes = 0;
    lineBytes = 0;
    lastByte = 0;
    onLine(line);
  }

  return {
    push(chunk, maxLines = Infinity) {
      let from = 0;
      let lines = 0;
      for (let at = chunk.indexOf(NEWLINE); at !== -1; at = chunk.indexOf(NEWLINE, from)) {
        if (lines++ === maxLines) return chunk.subarray(from);
        const part = chunk.subarray(from, at);
        from = at + 1;
        if (lineBytes === 0) onLine(lineOf(part, withoutReturn(part.length, part.at(-1)), maxLineBytes));
        else {
          hold(part);
          deliverHeld(withoutReturn(lineBytes, lastByte));
        }
      }
      if (from < chunk.length) hold(chunk.subarray(from));
      return NOTHING;
    },
    end() {
      if (lineBytes > 0) deliverHeld(lineBytes);
    },
  };
}

function withoutReturn(lineBytes: number, lastByte: number | undefined): number {
  return lastByte === RETURN ? lineBytes - 1 : lineBytes;
}

const IGNORE_BOM = { ignoreBOM: true };
/** Has no state between lines. A truncated line needs its own decoder, which keeps the partial character at the cut. */
const WHOLE = new TextDecoder("utf-8", IGNORE_BOM);

function lineOf(bytes: Uint8Array, contentBytes: number, maxLineBytes: number): string {
  if (contentBytes <= maxLineBytes) return WHOLE.decode(bytes.subarray(0, contentBytes));
  const shown = new TextDecoder("utf-8", IGNORE_BOM).decode(bytes.subarray(0, maxLineBytes), { stream: true });
  return `${shown}… [cut: ${contentBytes} bytes, ${maxLineBytes} shown]`;
}
