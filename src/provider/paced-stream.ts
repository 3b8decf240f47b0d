// A stream that reads on when its own reader wants something, and not before: no loop of its own runs beside the reader's.
// P1  until something has been put, the stream itself is the one that wants more, so that a first answer is waited for.
// P2  while nobody is followed, whatever the reader wants is remembered, and had from whoever is followed next.
// P3  whoever stops, the reader or the writer, ends what is followed: nothing is read that nobody will see.

import { FaultError } from "../core/fault/fault-error.ts";
import { fault } from "../core/fault/fault.ts";

/** Who makes something of the items of a source. */
export interface Follower<Item> {
  /** The next item is asked for. */
  waits(): void;
  /** It is here. False: it was the last one that counts. */
  takes(item: Item): boolean;
}

const NOTHING_AHEAD = { highWaterMark: 0 };
const nothing = (): void => undefined;

export class PacedStream<Item> {
  readonly stream: ReadableStream<Item>;
  private controller: ReadableStreamDefaultController<Item> | null = null;
  private followed: Followed<Item> | null = null;
  /** More is wanted than there is. */
  private wants = true;
  private isOver = false;
  private tellWanted: (() => void) | null = null;

  /** Told when the reader has left. */
  whenLeft: () => void = nothing;

  constructor() {
    this.stream = new ReadableStream<Item>(this, NOTHING_AHEAD);
  }

  // What the stream itself calls.

  start(controller: ReadableStreamDefaultController<Item>): void {
    this.controller = controller;
  }

  pull(): void {
    this.wants = true;
    this.tell();
    this.followed?.read();
  }

  cancel(): void {
    this.end();
    this.whenLeft();
  }

  // What its writer calls.

  get isWanted(): boolean {
    return this.wants;
  }

  /** Reads from this source at the pace of whoever reads here. Ends when the source or its follower says so. */
  follow(source: ReadableStreamDefaultReader<Item>, follower: Follower<Item>): Promise<void> {
    return new Promise((resolve, reject) => {
      this.followed = new Followed(this, source, follower, { resolve, reject });
      if (this.wants) this.followed.read();
    });
  }

  isFollowing(followed: Followed<Item>): boolean {
    return this.followed === followed;
  }

  /** What is followed has come to its end. */
  followedToEnd(): void {
    this.followed?.end.resolve();
    this.followed = null;
  }

  /** What is followed is given up. */
  unfollow(reason: unknown): void {
    this.followed?.end.reject(reason);
    this.followed = null;
  }

  put(item: Item): void {
    if (this.isOver) return;
    this.wants = false;
    this.controller?.enqueue(item);
  }

  /** Waits until the reader has had all there is and wants more; at once when nobody will. */
  wanted(): Promise<void> {
    if (this.wants || this.isOver) return Promise.resolve();
    return new Promise((resolve) => (this.tellWanted = resolve));
  }

  close(): void {
    if (this.isOver) return;
    this.end();
    this.controller?.close();
  }

  error(reason: unknown): void {
    if (this.isOver) return;
    this.end();
    this.controller?.error(reason);
  }

  private end(): void {
    this.isOver = true;
    this.tell();
    if (this.followed === null) return;
    this.unfollow(new FaultError(fault("ToolCancelled", { message: "nobody reads the answer any more" })));
  }

  private tell(): void {
    this.tellWanted?.();
    this.tellWanted = null;
  }
}

type Read<Item> = Awaited<ReturnType<ReadableStreamDefaultReader<Item>["read"]>>;

/** A source while it is followed: one read at a time. */
class Followed<Item> {
  private readonly paced: PacedStream<Item>;
  private readonly source: ReadableStreamDefaultReader<Item>;
  private readonly follower: Follower<Item>;
  readonly end: { readonly resolve: () => void; readonly reject: (reason: unknown) => void };
  private isReading = false;

  constructor(
    stream: PacedStream<Item>,
    source: ReadableStreamDefaultReader<Item>,
    follower: Follower<Item>,
    end: Followed<Item>["end"],
  ) {
    this.paced = stream;
    this.source = source;
    this.follower = follower;
    this.end = end;
  }

  read(): void {
    if (this.isReading) return;
    this.isReading = true;
    this.follower.waits();
    this.source.read().then(this.came, this.reject);
  }

  // Made once, not for every item: a stream has thousands.

  private readonly came = ({ done, value }: Read<Item>): void => {
    this.isReading = false;
    if (!this.paced.isFollowing(this)) return;
    try {
      if (done || !this.follower.takes(value)) this.paced.followedToEnd();
      else if (this.paced.isWanted) this.read();
    } catch (error) {
      this.reject(error);
    }
  };

  private readonly reject = (error: unknown): void => {
    if (this.paced.isFollowing(this)) this.paced.unfollow(error);
  };
}
