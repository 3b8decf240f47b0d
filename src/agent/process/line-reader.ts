// Bytes to lines. Works on bytes and decodes whole lines only, so it does not matter where the chunks were cut.
// L1  the same bytes give the same lines, however they are split.
// L2  no more than maxLineBytes are held, however long a line is; a line that is cut says how much is missing.
// L3  bytes that are no UTF-8 become U+FFFD and disturb no other line.

export interface LineReader {
  /** Delivers at most `maxLines` lines; gives the bytes it has not looked at. */
  push(chunk: Uint8Array, maxLines?: number): Uint8Array;
  /** Delivers what came after the last newline, if anything did. */
  end(): void;
}

const NEWLINE = 0x0a;
const RETURN = 0x0d;
const NOTHING = new Uint8Array(0);

export function createLineReader(maxLineBytes: number, onLine: (line: string) => void): LineReader {
  /** The beginning of a line whose end has not come: a copy, for a part of a chunk would keep all of it in memory. */
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
/** Keeps nothing between two lines. A line that is cut needs its own, for that one does: the part of a character at the cut. */
const WHOLE = new TextDecoder("utf-8", IGNORE_BOM);

function lineOf(bytes: Uint8Array, contentBytes: number, maxLineBytes: number): string {
  if (contentBytes <= maxLineBytes) return WHOLE.decode(bytes.subarray(0, contentBytes));
  const shown = new TextDecoder("utf-8", IGNORE_BOM).decode(bytes.subarray(0, maxLineBytes), { stream: true });
  return `${shown}… [cut: ${contentBytes} bytes, ${maxLineBytes} shown]`;
}
