// The answer to one client, while targets are tried: holds an attempt's bytes until its first content, then passes them on.
// A1  Nothing of a failed attempt is seen: its bytes are dropped when another one has content.
// A2  A head that was sent to keep the connection open commits nothing: the next attempt still answers below it.
// A3  A stream that broke after its first content ends with the dialect's own error, never as if it were complete.
// A4  The client gets whole events, and of a list whole elements: SDKs fail at an event without its data, and a break in the middle of an
//     element would make the error after it unreadable.
// A5  A piece goes out at once, unless another one went out just before: those that follow it closely go out together.
// A6  What its headers would have said comes after the head of A2, too: as a comment of the stream; in a list, which has none, as trailers.

import type { ServerResponse } from "node:http";
import type { Clock } from "../../host/clock.ts";
import { HeldBytes } from "../../provider/fetch/bounded.ts";
import type { Protocol } from "../../provider/wire/protocol.ts";
import { EventEnds } from "./event-ends.ts";
import { ListElements } from "./list-elements.ts";
import { type Continuation, continuationOf } from "./continuation.ts";
import type { Dialect } from "../dialect/dialect.ts";
import type { ErrorWords } from "../dialect/error-words.ts";
import type { PlainHeaders } from "../request/header-lists.ts";

export interface AnswerHead {
  readonly status: number;
  readonly headers: PlainHeaders;
}

type Chunk = Uint8Array<ArrayBuffer>;

/** Stops proxies from collecting a stream, and clients from keeping it. */
const STREAM_HEADERS = { "cache-control": "no-cache", "x-accel-buffering": "no" };
const STREAM_TYPES = { events: "text/event-stream; charset=utf-8", list: "application/json" };
const OWN_HEADERS = "x-faultline-";
const TRAILERS = ["target", "call", "attempts", "decisions", "skipped", "omitted", "code"]
  .map((name) => `${OWN_HEADERS}${name}`)
  .join(", ");
/** How long a client may leave what was written unread. */
const UNREAD_MS = 60_000;
/** How closely: sending costs more than all the rest of a piece, and no reader sees the difference. */
const TOGETHER_MS = 5;
const MOST_TOGETHER_BYTES = 16_384;
/** Node sends headers and a string in one write, but headers and a Buffer in two. Copying up to this many bytes is cheaper. */
const MOST_AS_TEXT = 16_384;

export class ClientAnswer {
  /** How many attempts have begun. */
  attempts = 0;
  /** What was decided about them, by name. */
  readonly decided: string[] = [];
  /** Targets that this client may not use, and why, as the value of a header. Empty: none. */
  skipped = "";
  private readonly response: ServerResponse;
  private readonly dialect: Dialect;
  /** The client sees a stream only when it is whole. */
  readonly holdsAll: boolean;
  /** What an attempt has sent before its first content; null: nothing. */
  private held: HeldBytes | null = null;
  private lastChunk: Chunk | null = null;
  private opened = false;
  private readonly events = new EventEnds();
  /** Where elements of a list end; null: the answer is not one. */
  private readonly elements: ListElements | null;
  /** The client has got an element of the list. */
  hasElement = false;
  /** The id of the response that has begun; null: it is not known, or the dialect has none. */
  responseId: string | null = null;
  /** The event, or the element of a list, that has begun and not ended. */
  private begun: Chunk[] = [];
  /** Whole events, or elements, that are about to go out. */
  private gathered: Chunk[] = [];
  private gatheredBytes = 0;
  private sentAt = 0;
  private readonly clock: Clock;
  /** The bytes that the client gets, if another target could continue them, or the gateway keeps them; null otherwise. */
  private shown: HeldBytes | null;
  private stopWaiting: (() => void) | null = null;
  /** Ends the wait for the client to read, if there is one. */
  private endUnread: () => void = nothing;

  constructor(response: ServerResponse, dialect: Dialect, holdsAll: boolean, clock: Clock, keepsShown = false) {
    this.shown = keepsShown ? new HeldBytes("answer") : null;
    this.clock = clock;
    this.response = response;
    this.dialect = dialect;
    this.elements = dialect.streamAs === "list" ? new ListElements() : null;
    this.holdsAll = holdsAll;
  }

  /** Content has been sent. */
  get isOpen(): boolean {
    return this.opened;
  }

  /** The client has left, or all has been sent. */
  get isOver(): boolean {
    return this.response.writableEnded || this.response.destroyed;
  }

  /** The answer is that of another attempt from now on. */
  begin(): void {
    this.held = null;
    this.lastChunk = null;
    if (!this.opened) this.responseId = null;
  }

  push(chunk: Chunk): void {
    if (!this.opened) return (this.held ??= new HeldBytes(this.holdsAll ? "answer" : "quiet")).keep(chunk);
    this.take(chunk);
    this.sendSoon();
  }

  /** The first content has arrived. Returns whether the client sees it: not yet, if it gets only whole answers. */
  open(head: AnswerHead): boolean {
    if (this.opened) return true;
    if (this.holdsAll) return false;
    this.show(head);
    return true;
  }

  /** What the client was sent of a stream; null when that is not kept. */
  get text(): string | null {
    return this.shown === null ? null : new TextDecoder().decode(this.shown.whole());
  }

  /** What the client has, if another target can continue it. */
  continuation(dialect: Protocol): Continuation | null {
    const { text } = this;
    return text === null ? null : continuationOf(dialect, text);
  }

  /** Another target continues: the broken event is dropped, and a comment names the new target. */
  resume(target: string): void {
    this.begun = [];
    this.push(new TextEncoder().encode(`\n: ${OWN_HEADERS}continued: ${target}\n\n`));
  }

  /** Holds back the chunk with the end mark until the answer is recorded. */
  last(chunk: Chunk): void {
    this.lastChunk = chunk;
  }

  /** The answer is whole. */
  finish(head: AnswerHead): void {
    if (!this.opened) this.show(head);
    const tail = [...this.begun, ...(this.lastChunk === null ? [] : [this.lastChunk])];
    for (const chunk of tail) this.shown?.takes(chunk);
    const rest = [...this.takeGathered(), ...tail];
    if (!this.isOver) this.response.end(joined(rest));
    this.endUnread();
  }

  /** A whole answer that is not streamed. `more`: headers in addition to those of its head. */
  send({ status, headers }: AnswerHead, body: Uint8Array | string, more: PlainHeaders = {}): void {
    if (this.isOver) return;
    if (!this.response.headersSent) {
      const length = Buffer.byteLength(body);
      this.response.writeHead(status, { ...headers, ...more, ...this.history, "content-length": length });
    }
    if (typeof body === "string" || body.byteLength > MOST_AS_TEXT) this.response.end(body);
    else this.response.end(latin1Of(body), "latin1");
  }

  /** Ends the answer with an error: as a whole answer, or inside one that has begun. */
  fail(words: ErrorWords, headers: PlainHeaders): void {
    this.endUnread();
    if (this.isOver) return;
    this.sendGathered();
    if (this.response.headersSent) {
      if (!this.opened) this.tell(headers);
      return void this.response.end(this.dialect.errorEvents(words, this));
    }
    const body = JSON.stringify(this.dialect.errorBody(words));
    this.send({ status: words.status, headers: { ...headers, "content-type": "application/json" } }, body);
  }

  /** Shows the client of a stream that its request is being worked on. */
  keepAlive(): void {
    if (this.opened || this.isOver) return;
    const { streamAs } = this.dialect;
    if (!this.response.headersSent) {
      const trailers = streamAs === "list" ? { trailer: TRAILERS } : {};
      this.response.writeHead(200, { "content-type": STREAM_TYPES[streamAs], ...STREAM_HEADERS, ...trailers });
    }
    this.response.write(this.dialect.keepAlive);
  }

  /** The client reads more slowly than the target writes. */
  get isFull(): boolean {
    return this.response.writableNeedDrain;
  }

  /**
   * Calls `resume` when the client has read what was written, or there is no reason to wait any more. A client that reads nothing for a minute
   * has left: it is cut off, and `left` is called.
   */
  whenRead(resume: () => void, left: () => void): void {
    const { response } = this;
    const end = (then: () => void): void => {
      disarm();
      response.off("drain", done).off("close", done);
      this.endUnread = nothing;
      then();
    };
    const done = (): void => end(resume);
    const disarm = this.clock.after(UNREAD_MS, () => {
      end(nothing);
      this.cut();
      left();
    });
    response.once("drain", done).once("close", done);
    this.endUnread = done;
  }

  /** The attempt whose answer it was is over, so it waits for the client no longer. */
  stopAwaitingClient(): void {
    this.endUnread();
  }

  /** The client stopped reading: what it has must not look complete. */
  cut(): void {
    this.takeGathered();
    this.response.destroy();
    this.endUnread();
  }

  private show({ status, headers }: AnswerHead): void {
    this.opened = true;
    if (this.response.headersSent) this.tell(headers);
    else this.response.writeHead(status, { ...headers, ...this.history, ...STREAM_HEADERS });
    if (this.held !== null) for (const chunk of this.held.chunks) this.take(chunk);
    this.held = null;
    this.sendGathered();
  }

  /** The head was sent before this was known: sends the headers about this call as trailers or as a comment of the stream. */
  private tell(headers: PlainHeaders): void {
    const about = Object.entries({ ...headers, ...this.history }).filter(([name]) => name.startsWith(OWN_HEADERS));
    if (this.dialect.streamAs === "list") this.response.addTrailers(Object.fromEntries(about));
    else if (about.length > 0)
      this.response.write(`${about.map(([name, value]) => `: ${name}: ${value}\n`).join("")}\n`);
  }

  /** Read when the head is written: until then, another attempt may begin beside the one that answers. */
  private get history(): PlainHeaders {
    const history: Record<string, string> = { "x-faultline-attempts": String(this.attempts) };
    if (this.decided.length > 0) history["x-faultline-decisions"] = this.decided.join(", ");
    if (this.skipped !== "") history["x-faultline-skipped"] = this.skipped;
    return history;
  }

  /** Gathers all but the event, or the element of a list, that has not ended. */
  private take(chunk: Chunk): void {
    const end = this.elements?.endIn(chunk) ?? this.events.endIn(chunk);
    if (end > 0) {
      this.hasElement = this.elements !== null;
      for (const begun of this.begun) this.gather(begun);
      if (this.begun.length > 0) this.begun = [];
      this.gather(end === chunk.length ? chunk : chunk.subarray(0, end));
    }
    if (end < chunk.length) this.begun.push(chunk.subarray(end));
  }

  private gather(chunk: Chunk): void {
    if (this.shown?.takes(chunk) === false) this.shown = null;
    this.gathered.push(chunk);
    this.gatheredBytes += chunk.length;
  }

  private sendSoon(): void {
    if (this.gatheredBytes >= MOST_TOGETHER_BYTES) return this.sendGathered();
    if (this.gatheredBytes === 0 || this.stopWaiting !== null) return;
    const waitMs = this.sentAt + TOGETHER_MS - this.clock.now();
    // Setting the wall clock back must not keep a piece here.
    if (waitMs <= 0 || waitMs > TOGETHER_MS) this.sendGathered();
    else this.stopWaiting = this.clock.after(waitMs, () => this.sendGathered());
  }

  private sendGathered(): void {
    const pieces = this.takeGathered();
    if (pieces.length === 0 || this.isOver) return;
    this.response.write(joined(pieces));
    this.sentAt = this.clock.now();
  }

  private takeGathered(): readonly Chunk[] {
    this.stopWaiting?.();
    this.stopWaiting = null;
    const pieces = this.gathered;
    this.gathered = [];
    this.gatheredBytes = 0;
    return pieces;
  }
}

/** The text that Latin-1 writes as these bytes. */
function latin1Of(bytes: Uint8Array): string {
  const { buffer, byteOffset, byteLength } = bytes;
  return (Buffer.isBuffer(bytes) ? bytes : Buffer.from(buffer, byteOffset, byteLength)).toString("latin1");
}

const nothing = (): void => undefined;

function joined(pieces: readonly Chunk[]): Chunk {
  return pieces.length === 1 && pieces[0] !== undefined ? pieces[0] : Buffer.concat(pieces);
}
