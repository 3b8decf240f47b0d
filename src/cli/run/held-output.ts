// The stdout of an attempt that may be followed by another one, held back until its outcome is known: `x=$(faultline run -- …)`
// captures what one attempt printed, not what several did.
// H1  a failed attempt that another one follows prints nothing. The last one does, whether it worked or not.
// H2  memory is bounded: an attempt that prints more than this is let through, and what was printed cannot be taken back.

import type { OutputQueue } from "./output-queue.ts";

const MAX_HELD_CHARS = 16 * 1024 * 1024;

export class HeldOutput {
  readonly #queue: OutputQueue;
  #held = "";
  #isLetThrough = false;

  constructor(queue: OutputQueue) {
    this.#queue = queue;
  }

  write(text: string): Promise<void> | undefined {
    if (this.#isLetThrough) return this.#queue.write(text);
    this.#held += text;
    return this.#held.length > MAX_HELD_CHARS ? this.release() : undefined;
  }

  /** Another attempt follows. Returns false if some of this one has been printed already. */
  discard(): boolean {
    const isUnseen = !this.#isLetThrough;
    this.#held = "";
    this.#isLetThrough = false;
    return isUnseen;
  }

  /** No attempt follows. */
  release(): Promise<void> | undefined {
    const text = this.#held;
    this.#held = "";
    this.#isLetThrough = true;
    return text === "" ? undefined : this.#queue.write(text);
  }
}
