// Holds the bytes of a response until the first content arrives, then passes them on at the reader's pace.
// B1  The reader gets all forwarded bytes before an error: a failing stream drops the chunks that are still queued.

import { PacedStream } from "../paced-stream.ts";
import { HeldBytes } from "./bounded.ts";

type Chunk = Uint8Array<ArrayBuffer>;

export class ByteSink {
  /** Resolves with the response once the caller may see some of it. */
  readonly opened: Promise<Response>;
  #open: (response: Response) => void = () => undefined;
  /** The stream that the caller reads. */
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

  /** Starts an attempt and drops the bytes held from the previous one, which the caller never saw. */
  begin(): void {
    this.#held = new HeldBytes("quiet");
    this.#last = null;
  }

  push(chunk: Chunk): void {
    if (this.#isOpen) this.paced.put(chunk);
    else this.#held.keep(chunk);
  }

  /** From here on the caller sees the response. */
  open({ status, statusText, headers }: Response): void {
    if (this.#isOpen) return;
    this.#isOpen = true;
    for (const chunk of this.#held.chunks) this.paced.put(chunk);
    this.#held = new HeldBytes("quiet");
    this.#open(new Response(this.paced.stream, { status, statusText, headers: plainHeaders(headers) }));
  }

  /** Holds back the last chunk until the answer is recorded. */
  last(chunk: Chunk): void {
    this.#last = chunk;
  }

  close(): void {
    if (this.#last !== null) this.paced.put(this.#last);
    this.paced.close();
  }

  /** Fails the stream, after the reader has read everything that is queued. */
  async fail(error: unknown): Promise<void> {
    await this.paced.wanted();
    this.paced.error(error);
  }

  /** The reader aborted: the stream errors at once, like an aborted response. */
  abort(reason: unknown): void {
    this.paced.error(reason);
  }
}

/** Removes the headers that describe the encoding: `fetch` has already decoded the body. */
export function plainHeaders(headers: Headers): Headers {
  const plain = new Headers(headers);
  plain.delete("content-encoding");
  plain.delete("content-length");
  return plain;
}
