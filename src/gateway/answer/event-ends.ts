// Follows the bytes of a stream of events through its pieces, to know where events end: at an empty line. Lines may end with LF, CR LF or CR.

const [LF, CR] = [0x0a, 0x0d];

export class EventEnds {
  /** The line that ends next is empty so far. */
  #isLineEmpty = true;
  /** The last byte was a CR. An LF after it belongs to the same line end. */
  #wasReturn = false;

  /** Where the last event that ends in this piece ends; 0: none does. */
  endIn(piece: Uint8Array): number {
    const { length } = piece;
    // Nearly every piece ends like this.
    if (length > 1 && piece[length - 1] === LF && piece[length - 2] === LF) {
      this.#isLineEmpty = true;
      this.#wasReturn = false;
      return length;
    }
    let end = 0;
    for (let at = 0; at < piece.length; at++) {
      const byte = piece[at];
      if (byte === LF && this.#wasReturn) {
        // The second half of a line end. It belongs to the event that its first half has ended.
        if (end === at && at > 0) end = at + 1;
        this.#wasReturn = false;
      } else if (byte === LF || byte === CR) {
        if (this.#isLineEmpty) end = at + 1;
        this.#isLineEmpty = true;
        this.#wasReturn = byte === CR;
      } else {
        this.#isLineEmpty = false;
        this.#wasReturn = false;
      }
    }
    return end;
  }
}
