// Removes a key from bytes as they pass. It holds back only the end of a piece that may be the beginning of the key.

const HIDDEN = Buffer.from("[removed]");

export class KeyFilter {
  readonly #key: Buffer;
  #held: Buffer = Buffer.alloc(0);

  constructor(key: string) {
    this.#key = Buffer.from(key);
  }

  take(chunk: Buffer): Buffer {
    const all = this.#held.length === 0 ? chunk : Buffer.concat([this.#held, chunk]);
    const parts: Buffer[] = [];
    let from = 0;
    for (let at = all.indexOf(this.#key); at !== -1; at = all.indexOf(this.#key, from)) {
      parts.push(all.subarray(from, at), HIDDEN);
      from = at + this.#key.length;
    }
    const end = this.#beginsAt(all, from);
    this.#held = all.subarray(end);
    if (parts.length === 0) return all.subarray(0, end);
    return Buffer.concat([...parts, all.subarray(from, end)]);
  }

  /** The bytes that were held back, at the end of the answer. */
  rest(): Buffer {
    return this.#held;
  }

  /** Where the last bytes begin that may be the beginning of the key. */
  #beginsAt(all: Buffer, from: number): number {
    const [first = 0] = this.#key;
    const start = Math.max(from, all.length - this.#key.length + 1);
    for (let at = all.indexOf(first, start); at !== -1; at = all.indexOf(first, at + 1))
      if (this.#key.subarray(0, all.length - at).equals(all.subarray(at))) return at;
    return all.length;
  }
}
