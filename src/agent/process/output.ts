// Reads one output stream of a process: counts its bytes, keeps its end and passes on its lines.
// O1  One turn of the event loop passes on a few thousand lines at most, so that timers and other work run on time.
// O2  While a listener has paused reading, nothing more is read, so a flood of output blocks the process that prints it.

import type { Readable } from "node:stream";
import { systemClock } from "../../host/clock.ts";
import { afterCut } from "../../core/fault/known-values.ts";

interface Output {
  readonly bytes: number;
  /** A listener has paused reading. */
  readonly isHeldBack: boolean;
  tail(): string;
  /** Stops reading and passes on what was read, including a last line without its newline. */
  finish(): void;
}

interface OutputOptions {
  readonly maxLineBytes: number;
  readonly maxTailBytes: number;
  /** If it returns a promise, reading pauses until the promise settles. The promise must not reject. */
  readonly onLine: (line: string) => Promise<void> | undefined;
  /** Called before the lines of the chunk are passed on. A promise pauses reading; "closed" closes the pipe. */
  readonly onBytes: (chunk: Uint8Array) => Promise<void> | "closed" | undefined;
  /** While it returns false, bytes are not decoded into lines. Default: true. */
  readonly wantsLines?: () => boolean;
}

/** At a microsecond or two each, this keeps a turn of the event loop short. */
const LINES_PER_TURN = 4_000;
const NOTHING = new Uint8Array(0);

export function readOutput(stream: Readable, options: OutputOptions): Output {
  let busy: Promise<void> | undefined;
  const lines = createLineReader(options.maxLineBytes, (line) => {
    busy = options.onLine(line) ?? busy;
  });
  const tail = createTail(options.maxTailBytes);
  let bytes = 0;
  /** Bytes that were read but not passed on yet. */
  let waiting: Uint8Array = NOTHING;
  let isFinished = false;
  const onData = (chunk: Uint8Array): void => {
    bytes += chunk.length;
    tail.push(chunk);
    const isDelivering = busy !== undefined || waiting.length > 0;
    const taken = options.onBytes(chunk);
    if (taken === "closed") return void stream.destroy();
    busy = taken ?? busy;
    if (options.wantsLines?.() === false && waiting.length === 0) {
      if (busy === undefined || isDelivering) return;
      stream.pause();
      void busy.then(continueReading);
      return;
    }
    stream.pause();
    // Node resumes the pipes of a process that has exited, even if we paused them.
    waiting = waiting.length === 0 ? chunk : Buffer.concat([waiting, chunk]);
    if (!isDelivering) deliverSome();
  };

  /** Uses the real event loop, because pipes are real even if a test controls the clock. */
  function deliverSome(): void {
    waiting = lines.push(waiting, LINES_PER_TURN);
    if (busy === undefined) systemClock.soon(continueReading);
    else void busy.then(continueReading);
  }

  function continueReading(): void {
    busy = undefined;
    if (isFinished) return;
    if (waiting.length > 0) deliverSome();
    else stream.resume();
  }

  stream.on("data", onData);
  return {
    get bytes() {
      return bytes;
    },
    get isHeldBack() {
      return busy !== undefined;
    },
    tail: () => tail.text(),
    finish() {
      isFinished = true;
      stream.off("data", onData);
      lines.push(waiting);
      lines.end();
    },
  };
}

// Keeps the end of a stream in a ring buffer: the last output of a process usually explains why it died.
// T1  It never uses more than maxBytes.
// T2  The text is the last bytes in order. A truncated text begins with `…` and a whole word, so that no half of a secret remains.

interface Tail {
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
      // The rest of a character whose first byte is gone belongs to the word that is left out.
      return afterCut(bytes.toString("utf8"));
    },
  };
}

// Splits bytes into lines. It decodes whole lines only, so the chunk boundaries do not matter.
// L1  The same bytes give the same lines, however they are chunked.
// L2  At most maxLineBytes are buffered, however long a line is. A truncated line says how much is missing.
// L3  Bytes that are not valid UTF-8 become U+FFFD and affect no other line.

const NEWLINE = 0x0a;
const RETURN = 0x0d;

export function createLineReader(maxLineBytes: number, onLine: (line: string) => void) {
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
    /** Delivers at most `maxLines` lines and returns the remaining bytes. */
    push(chunk: Uint8Array, maxLines = Infinity): Uint8Array {
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
    /** Delivers the text after the last newline, if any. */
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
