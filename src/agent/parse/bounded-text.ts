// A text that grows piece by piece up to a limit. The pieces are collected in blocks: repeated string concatenation would create a rope of
// as many parts as there were pieces, which is slow to read and uses far more memory than the text.

/** Pieces are joined once they reach this length. */
const BLOCK_CHARS = 65_536;

export class BoundedText {
  readonly #maxChars: number;
  #blocks: string[] = [];
  #pieces: string[] = [];
  #pieceChars = 0;
  #chars = 0;

  constructor(maxChars: number) {
    this.#maxChars = maxChars;
  }

  get isEmpty(): boolean {
    return this.#chars === 0;
  }

  get isFull(): boolean {
    return this.#chars === this.#maxChars;
  }

  /** Drops what exceeds the limit. */
  add(piece: string): void {
    const kept = piece.slice(0, this.#maxChars - this.#chars);
    if (kept === "") return;
    this.#pieces.push(kept);
    this.#chars += kept.length;
    this.#pieceChars += kept.length;
    if (this.#pieceChars >= BLOCK_CHARS) this.#join();
  }

  /** Replaces the whole text. */
  set(text: string): void {
    this.#blocks = [];
    this.#pieces = [];
    this.#pieceChars = 0;
    this.#chars = 0;
    this.add(text);
  }

  toString(): string {
    this.#join();
    // Keep the joined text, so that the next read is free.
    this.#blocks = [this.#blocks.join("")];
    return this.#blocks[0] ?? "";
  }

  #join(): void {
    if (this.#pieces.length > 0) this.#blocks.push(this.#pieces.join(""));
    this.#pieces = [];
    this.#pieceChars = 0;
  }
}
