// Where the bytes of an answer go: held until the first content has arrived, then passed on at the reader's pace.
// B1  what was passed on is read before an error is: a stream that fails throws away what nobody has read yet.

import { PacedStream } from "../paced-stream.ts";
import { HeldBytes } from "./bounded.ts";

type Chunk = Uint8Array<ArrayBuffer>;

export class ByteSink {
  /** Resolves with the response when there is something of it to see. */
  readonly opened: Promise<Response>;
  #open: (response: Response) => void = () => undefined;
  /** What the caller reads. */
  readonly paced = new PacedStream<Chunk>();
  #held = new HeldBytes("quiet");
  #last: Chunk | null = null;
  #isOpen = false;

  constructor() {
    this.opened = new Promise((resolve) => (this.#open = resolve));
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** An attempt begins: what one before it held is gone, and nobody has seen it. */
  begin(): void {
    this.#held = new HeldBytes("quiet");
    this.#last = null;
  }

  push(chunk: Chunk): void {
    if (this.#isOpen) this.paced.put(chunk);
    else this.#held.keep(chunk);
  }

  /** From here on the caller sees it. */
  open({ status, statusText, headers }: Response): void {
    if (this.#isOpen) return;
    this.#isOpen = true;
    for (const chunk of this.#held.chunks) this.paced.put(chunk);
    this.#held = new HeldBytes("quiet");
    this.#open(new Response(this.paced.stream, { status, statusText, headers: plainHeaders(headers) }));
  }

  /** The end of the answer, held back until it may be seen. */
  last(chunk: Chunk): void {
    this.#last = chunk;
  }

  close(): void {
    if (this.#last !== null) this.paced.put(this.#last);
    this.paced.close();
  }

  /** It broke: the error comes behind what there is to read. */
  async fail(error: unknown): Promise<void> {
    await this.paced.wanted();
    this.paced.error(error);
  }

  /** The reader wants no more: it ends here and now, as a response does that is given up. */
  abort(reason: unknown): void {
    this.paced.error(reason);
  }
}

/** The body was unpacked on its way here: what said how it was packed is no longer true. */
export function plainHeaders(headers: Headers): Headers {
  const plain = new Headers(headers);
  plain.delete("content-encoding");
  plain.delete("content-length");
  return plain;
}
