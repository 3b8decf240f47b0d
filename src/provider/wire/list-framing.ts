// Emits the elements of a JSON list, each as soon as it is complete. Google streams like this without `alt=sse`. The framing looks only at
// braces and quotes; whether an element is valid JSON shows when it is parsed.

import { type Framing, type FramingSink, NOTHING, PIECES } from "./framing.ts";

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPENS: ReadonlySet<number> = new Set([0x7b, 0x5b]);
const CLOSES: ReadonlySet<number> = new Set([0x7d, 0x5d]);

/** Expects text that starts with the list's opening bracket. */
export function createListFraming(sink: FramingSink, maxCharacters: number): Framing {
  let parts: string[] = [];
  let length = 0;
  let depth = 0;
  let inText = false;
  let isEscaped = false;
  let isOver = false;
  let isEmpty = true;

  /** Returns false if the element is over the limit. */
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
      // The start of the current element's part in this chunk.
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
            // Text after the list is ignored.
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
