// The framing of an answer that is not streamed. It is buffered until its end, because JSON can be parsed only as a whole. Leading white
// space is dropped: some servers send it to keep the connection open.

import { type Framing, type FramingLimits, type FramingSink, NOTHING, PIECES } from "./framing.ts";

export function createBodyFraming(sink: FramingSink, limits: FramingLimits): Framing {
  let parts: string[] = [];
  let length = 0;
  return {
    push(text) {
      const piece = length === 0 ? text.trimStart() : text;
      if (piece === "" || length > limits.bodyCharacters) return;
      // Counts at most up to the limit, so that the number does not depend on how the text was chunked.
      sink.arrived(Math.min(piece.length, limits.bodyCharacters - length));
      length += piece.length;
      parts.push(piece);
      if (length <= limits.bodyCharacters) return;
      parts = [];
      sink.tooLarge("body");
    },
    end() {
      if (length === 0) return NOTHING;
      if (length <= limits.bodyCharacters) sink.body(parts.join(""));
      return PIECES;
    },
  };
}
