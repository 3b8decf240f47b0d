// Work on the same key, one after another; work on different keys side by side.

import { classify } from "../core/classify/classify.ts";

export class InTurn {
  readonly #last = new Map<string, Promise<unknown>>();

  run<T>(key: string, work: () => Promise<T>): Promise<T> {
    const mine = (this.#last.get(key) ?? Promise.resolve()).then(work);
    // Whoever asked for it is told how it ended; the next one only waits for it.
    const over = mine.catch((error: unknown) => classify({ surface: "node", error }));
    const last = over.then(() => {
      if (this.#last.get(key) === last) this.#last.delete(key);
    });
    this.#last.set(key, last);
    return mine;
  }
}
