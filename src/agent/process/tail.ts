// The end of a stream, in a ring of fixed size: what a program said last before it died is what explains its death.
// T1  never more memory than maxBytes, whatever comes.   T2  the text is the last bytes in order;
// what was cut begins with `…` and a whole word, so that no half of a secret is left.

import { afterCut } from "../../core/fault/last-of.ts";

export interface Tail {
  push(chunk: Uint8Array): void;
  text(): string;
}

export function createTail(maxBytes: number): Tail {
  let ring = new Uint8Array(0);
  /** Of the byte that comes next. */
  let at = 0;
  let totalBytes = 0;

  return {
    push(chunk) {
      totalBytes += chunk.length;
      const last = chunk.subarray(Math.max(0, chunk.length - maxBytes));
      if (last.length === 0) return;
      // Most processes say little: the ring comes with the first byte, and not before.
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

/** How many bytes belong to a character whose beginning is no longer there: 3 at most. */
function brokenStartBytes(bytes: Uint8Array): number {
  const whole = bytes.subarray(0, 4).findIndex((byte) => (byte & 0xc0) !== 0x80);
  if (whole !== -1) return whole;
  // Four in a row are no character's but garbage, which is kept; fewer are all that is left of one.
  return bytes.length < 4 ? bytes.length : 0;
}
