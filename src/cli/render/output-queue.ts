// Queues bytes and text for a stream that may be slower than its writer. Output stays in order, with one write in flight at a time.
// Q1  Data that arrives during a write is sent together with the next one.
// Q2  A writer that is faster than the reader has to wait, so the queue holds no more than about 1 MB.

import type { Sink } from "../io.ts";
import { ByteBlocks } from "./byte-blocks.ts";

const MAX_WAITING_BYTES = 1_048_576;

const NEWLINE = 0x0a;

export class OutputQueue {
  readonly #sink: Sink;
  readonly #waiting = new ByteBlocks();
  #writing: Promise<void> | null = null;

  /** The command's last bytes ended without a line break. Our own text does not count. */
  isMidLine = false;

  constructor(sink: Sink) {
    this.#sink = sink;
  }

  /** Returns a promise when the queue is full; it resolves when the queue has been written. */
  write(data: string | Uint8Array): Promise<void> | undefined {
    const bytes = typeof data === "string" ? Buffer.from(data) : data;
    if (bytes.length > 0) this.isMidLine = bytes === data && bytes.at(-1) !== NEWLINE;
    this.#waiting.add(bytes);
    this.#writing ??= this.#writeAll();
    return this.#waiting.bytes > MAX_WAITING_BYTES ? this.#writing : undefined;
  }

  /** Resolves when the queue is empty. */
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
