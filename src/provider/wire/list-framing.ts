// The elements of a JSON list, each as soon as it is whole: Google streams so when nobody asks for events (`alt=sse`). Looks only at
// braces and quotes; whether an element is JSON shows when it is parsed.

import { type Framing, type FramingSink, NOTHING, PIECES } from "./framing.ts";

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPENS: ReadonlySet<number> = new Set([0x7b, 0x5b]);
const CLOSES: ReadonlySet<number> = new Set([0x7d, 0x5d]);

/** The text begins with the list's own bracket. */
export function createListFraming(sink: FramingSink, maxCharacters: number): Framing {
  let parts: string[] = [];
  let length = 0;
  let depth = 0;
  let inText = false;
  let isEscaped = false;
  let isOver = false;
  let isEmpty = true;

  /** False: the element is beyond the limit. */
  function keep(text: string): boolean {
    length += text.length;
    if (length > maxCharacters) {
      parts = [];
      isOver = true;
      sink.tooLarge("event");
      return false;
    }
    parts.push(text);
    return true;
  }

  function hand(): void {
    const element = parts.join("");
    parts = [];
    length = 0;
    sink.piece(element, "");
  }

  return {
    push(text) {
      if (isOver) return;
      // Where the part of the current element begins that lies in this chunk.
      let start = 0;
      for (let i = 0; i < text.length; i++) {
        const unit = text.charCodeAt(i);
        if (inText) {
          if (isEscaped) isEscaped = false;
          else if (unit === BACKSLASH) isEscaped = true;
          else if (unit === QUOTE) inText = false;
        } else if (unit === QUOTE) inText = true;
        else if (OPENS.has(unit)) {
          if (++depth === 2) start = i;
          isEmpty &&= depth < 2;
        } else if (CLOSES.has(unit)) {
          if (--depth === 1) {
            if (!keep(text.slice(start, i + 1))) return;
            hand();
          } else if (depth === 0) {
            // What follows the list is nobody's.
            isOver = true;
            return;
          }
        }
      }
      if (depth > 1) keep(text.slice(start));
    },
    end: () => (isOver && isEmpty ? NOTHING : PIECES),
  };
}
