// Bytes and text on their way to a stream that may be slower than whoever writes: in order, and with one write under way at a time.
// Q1  what comes while a write waits for its reader goes out together with the next one.
// Q2  who writes more than the reader takes is asked to wait, so that no more than about 1 MB is held.

import type { Sink } from "../io.ts";
import { ByteBlocks } from "./byte-blocks.ts";

const MAX_WAITING_BYTES = 1_048_576;

const NEWLINE = 0x0a;

export class OutputQueue {
  readonly #sink: Sink;
  readonly #waiting = new ByteBlocks();
  #writing: Promise<void> | null = null;

  /** The last bytes of the command ended without a line break. Text is our own and does not count. */
  isMidLine = false;

  constructor(sink: Sink) {
    this.#sink = sink;
  }

  /** A promise when enough waits for now: it resolves when all of it is written. */
  write(data: string | Uint8Array): Promise<void> | undefined {
    const bytes = typeof data === "string" ? Buffer.from(data) : data;
    if (bytes.length > 0) this.isMidLine = bytes === data && bytes.at(-1) !== NEWLINE;
    this.#waiting.add(bytes);
    this.#writing ??= this.#writeAll();
    return this.#waiting.bytes > MAX_WAITING_BYTES ? this.#writing : undefined;
  }

  /** Resolves when nothing waits any more. */
  async end(): Promise<void> {
    await this.#writing;
  }

  async #writeAll(): Promise<void> {
    while (this.#waiting.bytes > 0) {
      for (const block of this.#waiting.take()) await this.#sink.write(block);
    }
    this.#writing = null;
  }
}
