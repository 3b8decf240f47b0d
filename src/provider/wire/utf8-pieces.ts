// UTF-8 that arrives in pieces, as text. A decoder that remembers the last piece costs several times as much as one that does not, and most
// pieces end with a whole character.

/** Holds nothing between two pieces, so all readers share it. */
const FORGETFUL = new TextDecoder("utf-8", { ignoreBOM: true });
const BYTE_ORDER_MARK = 0xfe_ff;
const LAST_ASCII = 0x7f;

export class Utf8Pieces {
  private isFirst = true;
  /** Remembers the beginning of a character; null while no piece has ended within one. */
  private remembering: InstanceType<typeof TextDecoder> | null = null;

  next(bytes: Uint8Array): string {
    const last = bytes[bytes.length - 1];
    if (last === undefined) return "";
    if (last <= LAST_ASCII && this.remembering === null) return this.begun(FORGETFUL.decode(bytes));
    this.remembering ??= new TextDecoder("utf-8", { ignoreBOM: true });
    const text = this.remembering.decode(bytes, { stream: true });
    if (last <= LAST_ASCII) this.remembering = null;
    return this.begun(text);
  }

  /** What is left of a character that never ended. */
  rest(): string {
    return this.remembering?.decode() ?? "";
  }

  /** Without the mark in front of the first piece. */
  private begun(text: string): string {
    if (!this.isFirst || text === "") return text;
    this.isFirst = false;
    return text.charCodeAt(0) === BYTE_ORDER_MARK ? text.slice(1) : text;
  }
}
