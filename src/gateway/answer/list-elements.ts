// Follows the text of a JSON list through its pieces, to know where its elements end. A list can only be ended between two of them.

const [QUOTE, BACKSLASH] = [0x22, 0x5c];
const OPENING: ReadonlySet<number> = new Set([0x5b, 0x7b]);
const CLOSING: ReadonlySet<number> = new Set([0x5d, 0x7d]);

export class ListElements {
  /** How many lists and objects are open. */
  #depth = 0;
  #isText = false;
  #isEscaped = false;

  /** Where the last element that ends in this piece ends, or the list itself; 0: none does. */
  endIn(piece: Uint8Array): number {
    let end = 0;
    for (const [index, byte] of piece.entries()) if (this.#endsAt(byte)) end = index + 1;
    return end;
  }

  #endsAt(byte: number): boolean {
    if (this.#isEscaped) this.#isEscaped = false;
    else if (this.#isText && byte === BACKSLASH) this.#isEscaped = true;
    else if (byte === QUOTE) this.#isText = !this.#isText;
    else if (this.#isText) return false;
    else if (OPENING.has(byte)) this.#depth += 1;
    else if (CLOSING.has(byte)) return --this.#depth <= 1;
    return false;
  }
}
