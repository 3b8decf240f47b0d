// A stream that reads on when its own reader wants something, and not before: no loop of its own runs beside the reader's.
// P1  until something has been put, the stream itself is the one that wants more, so that a first answer is waited for.
// P2  while nobody is followed, whatever the reader wants is remembered, and had from whoever is followed next.
// P3  whoever stops, the reader or the writer, ends what is followed: nothing is read that nobody will see.

import { FaultError } from "../core/fault/fault-error.ts";
import { fault } from "../core/fault/fault.ts";

interface Followed<Item> {
  readonly source: ReadableStreamDefaultReader<Item>;
  readonly follower: Follower<Item>;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

export interface Follower<Item> {
  /** The next item is asked for. */
  waits(): void;
  /** It is here. False: it was the last one that counts. */
  takes(item: Item): boolean;
}

export class PacedStream<Item> {
  readonly stream: ReadableStream<Item>;
  readonly #left: () => void;
  #controller: ReadableStreamDefaultController<Item> | null = null;
  #followed: Followed<Item> | null = null;
  /** More is wanted than there is. */
  #isWanted = true;
  #isFeeding = false;
  #isOver = false;
  #tellWanted: (() => void) | null = null;

  constructor(left: () => void) {
    this.#left = left;
    this.stream = new ReadableStream<Item>(
      {
        start: (controller) => void (this.#controller = controller),
        pull: () => this.#pull(),
        cancel: () => {
          this.#end();
          this.#left();
        },
      },
      { highWaterMark: 0 },
    );
  }

  /** Nobody waits for more: it has ended, or the reader has left. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** Reads from this source at the pace of whoever reads here. Ends when the source or its follower says so. */
  follow(source: ReadableStreamDefaultReader<Item>, follower: Follower<Item>): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#followed = { source, follower, resolve, reject };
      if (this.#isWanted && !this.#isFeeding) void this.#feed();
    });
  }

  /** What is followed is given up. */
  unfollow(reason: unknown): void {
    const followed = this.#followed;
    this.#followed = null;
    followed?.reject(reason);
  }

  put(item: Item): void {
    if (this.#isOver) return;
    this.#isWanted = false;
    this.#controller?.enqueue(item);
  }

  /** Waits until the reader has had all there is and wants more; at once when nobody will. */
  wanted(): Promise<void> {
    if (this.#isWanted || this.#isOver) return Promise.resolve();
    return new Promise((resolve) => (this.#tellWanted = resolve));
  }

  close(): void {
    if (this.#isOver) return;
    this.#end();
    this.#controller?.close();
  }

  error(reason: unknown): void {
    if (this.#isOver) return;
    this.#end();
    this.#controller?.error(reason);
  }

  #end(): void {
    this.#isOver = true;
    this.#tell();
    if (this.#followed === null) return;
    this.unfollow(new FaultError(fault("ToolCancelled", { message: "nobody reads the answer any more" })));
  }

  #tell(): void {
    this.#tellWanted?.();
    this.#tellWanted = null;
  }

  #pull(): Promise<void> | undefined {
    this.#isWanted = true;
    this.#tell();
    return this.#isFeeding || this.#followed === null ? undefined : this.#feed();
  }

  async #feed(): Promise<void> {
    this.#isFeeding = true;
    while (this.#isWanted && this.#followed !== null) {
      const followed = this.#followed;
      try {
        followed.follower.waits();
        const { done, value } = await followed.source.read();
        if (followed !== this.#followed) continue;
        if (!done && followed.follower.takes(value)) continue;
        this.#followed = null;
        followed.resolve();
      } catch (error) {
        if (followed === this.#followed) this.#followed = null;
        followed.reject(error);
      }
    }
    this.#isFeeding = false;
  }
}
