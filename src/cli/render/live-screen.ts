// The last lines of a terminal, redrawn in place. One write per frame, and only when something changed, so nothing flickers.
// D1  Only lines drawn here are overwritten; everything above them stays.
// D2  After every frame the cursor is at the beginning of an empty line.

import { OutputQueue } from "./output-queue.ts";
import type { Sink } from "../io.ts";

const END_OF_LINE = "\u001b[K";
const END_OF_SCREEN = "\u001b[J";

/** Clears the line the cursor is on. */
export const WIPE_LINE = `\r${END_OF_LINE}`;

export class LiveScreen {
  readonly #output: OutputQueue;
  #drawn: readonly string[] = [];

  constructor(sink: Sink) {
    this.#output = new OutputQueue(sink);
  }

  /** `above` is written once and stays; `live` is shown below it until the next frame. */
  draw(above: readonly string[], live: readonly string[]): void {
    if (above.length === 0 && isSame(live, this.#drawn)) return;
    const lines = [...above, ...live].map((line) => `${line}${END_OF_LINE}\n`);
    void this.#output.write(`${this.#toTop()}${lines.join("")}${END_OF_SCREEN}`);
    this.#drawn = live;
  }

  /** Removes the live lines. */
  clear(): void {
    if (this.#drawn.length > 0) void this.#output.write(`${this.#toTop()}${END_OF_SCREEN}`);
    this.#drawn = [];
  }

  /** Resolves when everything has been written. */
  end(): Promise<void> {
    return this.#output.end();
  }

  #toTop(): string {
    return this.#drawn.length === 0 ? "" : `\r\u001b[${this.#drawn.length}A`;
  }
}

function isSame(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((line, index) => line === b[index]);
}
