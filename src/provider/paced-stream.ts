// A stream that reads from its source only when its own reader pulls. It has no read loop of its own.
// P1  Until the first item is put, the stream itself pulls, so that the first content is awaited.
// P2  A pull that arrives while no source is followed is remembered, and the next source serves it.
// P3  When the reader or the writer stops, the followed source is dropped: nothing is read that will not be seen.

import { fault, FaultError } from "../core/fault/fault.ts";

/** Processes the items of a source. */
export interface Follower<Item> {
  /** Called when the next item is requested. */
  waits(): void;
  /** Called with the item. Returns false if it was the last relevant one. */
  takes(item: Item): boolean;
}

const NOTHING_AHEAD = { highWaterMark: 0 };
const nothing = (): void => undefined;

export class PacedStream<Item> {
  readonly stream: ReadableStream<Item>;
  private controller: ReadableStreamDefaultController<Item> | null = null;
  private followed: Followed<Item> | null = null;
  /** The reader wants more than is queued. */
  private wants = true;
  private isOver = false;
  private onWanted: (() => void) | null = null;

  /** Called when the reader cancels the stream. */
  whenLeft: () => void = nothing;

  constructor() {
    this.stream = new ReadableStream<Item>(this, NOTHING_AHEAD);
  }

  // Called by the stream.

  start(controller: ReadableStreamDefaultController<Item>): void {
    this.controller = controller;
  }

  pull(): void {
    this.wants = true;
    this.callOnWanted();
    this.followed?.read();
  }

  cancel(): void {
    this.end();
    this.whenLeft();
  }

  // Called by the writer.

  get isWanted(): boolean {
    return this.wants;
  }

  /** Reads from the source at the pace of this stream's reader, until the source ends or the follower stops. */
  follow(source: ReadableStreamDefaultReader<Item>, follower: Follower<Item>): Promise<void> {
    return new Promise((resolve, reject) => {
      this.followed = new Followed(this, source, follower, { resolve, reject });
      if (this.wants) this.followed.read();
    });
  }

  isFollowing(followed: Followed<Item>): boolean {
    return this.followed === followed;
  }

  /** The followed source has ended. */
  followedToEnd(): void {
    this.followed?.end.resolve();
    this.followed = null;
  }

  /** Drops the followed source. */
  unfollow(reason: unknown): void {
    this.followed?.end.reject(reason);
    this.followed = null;
  }

  put(item: Item): void {
    if (this.isOver) return;
    this.wants = false;
    this.controller?.enqueue(item);
  }

  /** Resolves when the reader has read everything and wants more; at once if the stream is over. */
  wanted(): Promise<void> {
    if (this.wants || this.isOver) return Promise.resolve();
    return new Promise((resolve) => (this.onWanted = resolve));
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
    this.callOnWanted();
    if (this.followed === null) return;
    this.unfollow(
      new FaultError(fault("ToolCancelled", { message: "the stream was closed before the answer was complete" })),
    );
  }

  private callOnWanted(): void {
    this.onWanted?.();
    this.onWanted = null;
  }
}

type Read<Item> = Awaited<ReturnType<ReadableStreamDefaultReader<Item>["read"]>>;

/** A followed source, with one read at a time. */
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
    this.source.read().then(this.onRead, this.reject);
  }

  // Created once, not per item: a stream has thousands of items.

  private readonly onRead = ({ done, value }: Read<Item>): void => {
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
