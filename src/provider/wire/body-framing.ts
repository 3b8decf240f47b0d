// The framing of an answer in one piece: kept until its end, as JSON can be read only whole. White space before it is not kept, as some
// servers send it to keep the connection open.

import { type Framing, type FramingLimits, type FramingSink, NOTHING, PIECES } from "./framing.ts";

export function createBodyFraming(sink: FramingSink, limits: FramingLimits): Framing {
  let parts: string[] = [];
  let length = 0;
  return {
    push(text) {
      const piece = length === 0 ? text.trimStart() : text;
      if (piece === "" || length > limits.bodyCharacters) return;
      // Up to the limit and not a character more, so that the count does not tell how the text was chunked.
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
