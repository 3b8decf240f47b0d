// Work on the same key, one after another; work on different keys side by side.

export class KeyedMutex {
  readonly #last = new Map<string, Promise<unknown>>();

  run<T>(key: string, work: () => Promise<T>): Promise<T> {
    const mine = (this.#last.get(key) ?? Promise.resolve()).then(work);
    // The caller learns how its work ended; the next in line only waits for it.
    const last = Promise.allSettled([mine]).then(() => {
      if (this.#last.get(key) === last) this.#last.delete(key);
    });
    this.#last.set(key, last);
    return mine;
  }
}
