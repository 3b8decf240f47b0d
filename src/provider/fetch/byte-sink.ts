// Where the bytes of an answer go: held until the first content has arrived, then passed on at the reader's pace.
// B1  what was passed on is read before an error is: a stream that fails throws away what nobody has read yet.

export class ByteSink {
  /** Resolves with the response when there is something of it to see. */
  readonly opened: Promise<Response>;
  #open: (response: Response) => void = () => undefined;
  readonly #left: () => void;
  #controller: ReadableStreamDefaultController<Uint8Array> | null = null;
  #pulled: (() => void) | null = null;
  #held: Uint8Array[] = [];
  #last: Uint8Array | null = null;
  #isOpen = false;
  #isOver = false;
  /** What the reader gets when it has read everything before it. */
  #failure: { readonly error: unknown } | null = null;

  constructor(left: () => void) {
    this.#left = left;
    this.opened = new Promise((resolve) => (this.#open = resolve));
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** An attempt begins: what one before it held is gone, and nobody has seen it. */
  begin(): void {
    this.#held = [];
    this.#last = null;
  }

  push(chunk: Uint8Array): void {
    if (this.#isOver) return;
    if (this.#isOpen) this.#controller?.enqueue(chunk);
    else this.#held.push(chunk);
  }

  /** From here on the caller sees it. */
  open({ status, statusText, headers }: Response): void {
    if (this.#isOpen) return;
    this.#isOpen = true;
    const body = new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          this.#controller = controller;
          for (const chunk of this.#held) controller.enqueue(chunk);
          this.#held = [];
        },
        pull: () => {
          this.#wake();
          this.#failWhenRead();
        },
        cancel: () => {
          this.#isOver = true;
          this.#wake();
          this.#left();
        },
      },
      { highWaterMark: READ_AHEAD },
    );
    this.#open(new Response(body, { status, statusText, headers: plainHeaders(headers) }));
  }

  /** Waits until the caller wants more; null when it does. */
  wanted(): Promise<void> | null {
    if (!this.#isOpen || this.#isOver || (this.#controller?.desiredSize ?? 1) > 0) return null;
    return new Promise((resolve) => (this.#pulled = resolve));
  }

  /** The end of the answer, held back until it may be seen. */
  last(chunk: Uint8Array): void {
    this.#last = chunk;
  }

  close(): void {
    if (this.#isOver) return;
    if (this.#last !== null) this.#controller?.enqueue(this.#last);
    this.#isOver = true;
    this.#controller?.close();
  }

  /** It broke: the error comes behind what there is to read. */
  fail(error: unknown): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#failure = { error };
    this.#wake();
    this.#failWhenRead();
  }

  /** The reader wants no more: it ends here and now, as a response does that is given up. */
  abort(reason: unknown): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#wake();
    this.#controller?.error(reason);
  }

  #failWhenRead(): void {
    const isRead = this.#controller?.desiredSize === READ_AHEAD;
    if (this.#failure !== null && isRead) this.#controller?.error(this.#failure.error);
  }

  #wake(): void {
    this.#pulled?.();
    this.#pulled = null;
  }
}

const READ_AHEAD = 16;

/** The body was unpacked on its way here: what said how it was packed is no longer true. */
export function plainHeaders(headers: Headers): Headers {
  const plain = new Headers(headers);
  plain.delete("content-encoding");
  plain.delete("content-length");
  return plain;
}
