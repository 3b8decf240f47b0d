// The part of a terminal that one prompt draws on: knows how far down it has drawn, so that it can be wiped.

import { Writable } from "node:stream";

/** How writing moves the cursor up and down: a new line, `CSI n A`, `CSI n B`. Prompts wrap their own lines. */
const MOVES = /\n|\u001b\[(\d*)([AB])/g;

export class TerminalScreen extends Writable {
  readonly #output: Writable & { readonly columns?: number; readonly rows?: number };
  readonly #resized = (): void => void this.emit("resize");
  /** Lines between where drawing began and the cursor. */
  #row = 0;

  constructor(output: Writable) {
    super({ decodeStrings: false });
    this.#output = output;
    output.on("resize", this.#resized);
  }

  get columns(): number | undefined {
    return this.#output.columns;
  }

  get rows(): number | undefined {
    return this.#output.rows;
  }

  override _write(chunk: unknown, _encoding: string, done: () => void): void {
    const text = String(chunk);
    for (const [move, count = "", direction] of text.matchAll(MOVES)) {
      const lines = move === "\n" || count === "" ? 1 : Number(count);
      this.#row = Math.max(0, this.#row + (direction === "A" ? -lines : lines));
    }
    this.#output.write(text);
    done();
  }

  /** Takes away everything drawn so far. */
  wipe(): void {
    const up = this.#row === 0 ? "" : `\u001b[${this.#row}A`;
    this.write(`${up}\r\u001b[J`);
  }

  release(): void {
    this.#output.off("resize", this.#resized);
  }
}
