// Keeps the end of a stream in a ring buffer: the last output of a process usually explains why it died.
// T1  It never uses more than maxBytes.
// T2  The text is the last bytes in order. A truncated text begins with `…` and a whole word, so that no half of a secret remains.

import { afterCut } from "../../core/fault/last-of.ts";

export interface Tail {
  push(chunk: Uint8Array): void;
  text(): string;
}

export function createTail(maxBytes: number): Tail {
  let ring = new Uint8Array(0);
  /** The position of the next byte. */
  let at = 0;
  let totalBytes = 0;

  return {
    push(chunk) {
      totalBytes += chunk.length;
      const last = chunk.subarray(Math.max(0, chunk.length - maxBytes));
      if (last.length === 0) return;
      // Most processes print little, so the ring is allocated with the first byte.
      if (ring.length === 0) ring = new Uint8Array(maxBytes);
      const untilEnd = last.subarray(0, maxBytes - at);
      ring.set(untilEnd, at);
      ring.set(last.subarray(untilEnd.length), 0);
      at = (at + last.length) % maxBytes;
    },
    text() {
      if (totalBytes <= maxBytes) return Buffer.from(ring.subarray(0, totalBytes)).toString("utf8");
      const bytes = Buffer.concat([ring.subarray(at), ring.subarray(0, at)]);
      return afterCut(bytes.subarray(brokenStartBytes(bytes)).toString("utf8"));
    },
  };
}

/** How many leading bytes belong to a character whose first byte was cut off: 3 at most. */
function brokenStartBytes(bytes: Uint8Array): number {
  const whole = bytes.subarray(0, 4).findIndex((byte) => (byte & 0xc0) !== 0x80);
  if (whole !== -1) return whole;
  // Four continuation bytes in a row are garbage and are kept. Fewer are the rest of one character.
  return bytes.length < 4 ? bytes.length : 0;
}
