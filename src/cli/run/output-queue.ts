// Text on its way to a stream that may be slower than whoever writes: in order, and with one write under way at a time.
// Q1  what comes while a write waits for its reader goes out together with the next one.

import type { Sink } from "../io.ts";

export class OutputQueue {
  readonly #sink: Sink;
  #waiting = "";
  #writing: Promise<void> | null = null;

  constructor(sink: Sink) {
    this.#sink = sink;
  }

  write(text: string): void {
    this.#waiting += text;
    this.#writing ??= this.#writeAll();
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
