// An ordered byte buffer. Small chunks are copied into blocks: a million chunks of two bytes would otherwise take far more memory
// than the two megabytes they hold.

const BLOCK_BYTES = 65_536;

export class ByteBlocks {
  bytes = 0;
  #blocks: Uint8Array[] = [];
  #open = new Uint8Array(0);
  #openBytes = 0;

  add(chunk: Uint8Array): void {
    this.bytes += chunk.length;
    if (this.#openBytes + chunk.length > this.#open.length) this.#close();
    if (chunk.length >= BLOCK_BYTES / 4) {
      this.#close();
      this.#blocks.push(chunk);
      return;
    }
    if (this.#open.length === 0) this.#open = new Uint8Array(BLOCK_BYTES);
    this.#open.set(chunk, this.#openBytes);
    this.#openBytes += chunk.length;
  }

  /** Returns all bytes and empties the buffer. */
  take(): readonly Uint8Array[] {
    this.#close();
    const blocks = this.#blocks;
    this.#blocks = [];
    this.bytes = 0;
    return blocks;
  }

  #close(): void {
    if (this.#openBytes > 0) this.#blocks.push(this.#open.subarray(0, this.#openBytes));
    this.#open = new Uint8Array(0);
    this.#openBytes = 0;
  }
}
