// Text on its way to a stream that may be slower than whoever writes: in order, and with one write under way at a time.
// Q1  what comes while a write waits for its reader goes out together with the next one.
// Q2  who writes more than the reader takes is asked to wait, so that no more than about 1 MB is held.

import type { Sink } from "../io.ts";

const MAX_WAITING_CHARS = 1_048_576;

export class OutputQueue {
  readonly #sink: Sink;
  #waiting = "";
  #writing: Promise<void> | null = null;

  constructor(sink: Sink) {
    this.#sink = sink;
  }

  /** A promise when enough waits for now: it resolves when all of it is written. */
  write(text: string): Promise<void> | undefined {
    this.#waiting += text;
    this.#writing ??= this.#writeAll();
    return this.#waiting.length > MAX_WAITING_CHARS ? this.#writing : undefined;
  }

  /** Resolves when nothing waits any more. */
  async end(): Promise<void> {
    await this.#writing;
  }

  async #writeAll(): Promise<void> {
    while (this.#waiting !== "") {
      const text = this.#waiting;
      this.#waiting = "";
      await this.#sink.write(text);
    }
    this.#writing = null;
  }
}
