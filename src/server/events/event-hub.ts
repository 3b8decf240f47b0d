// One stream of everything that happens, for many readers. The journal is the source, and its positions are the ids. Holds these:
// E1  A reader gets every entry after the one it names, each once, in order, however often server and client restart.
// E2  A reader that does not keep up is cut off with a `reset`; it holds up neither the others nor the journal.
// E3  What can no longer be given without a gap begins with a `reset`: the reader must fetch the present state.
// E4  What happens within a few milliseconds is sent together: with many readers, each chunk costs more than the bytes in it.

import type { Role } from "../../api/route.ts";
import type { Entry } from "../../core/record/event.ts";
import type { Clock } from "../../host/clock.ts";
import type { Journal } from "../../journal/journal.ts";
import { Refused } from "../problems.ts";
import { ENTRY_TYPE_PREFIX, entryEvent } from "../../api/entry-event.ts";

export interface StreamRequest {
  readonly role: Role;
  /** Checked with each heartbeat: the reader's token may have been removed. */
  readonly isAllowed: () => boolean;
  /** The id of the last event that the reader has; null: from now on. */
  readonly lastId: string | null;
  readonly session: string | null;
  /** Types of events without their prefix; null: all. */
  readonly types: ReadonlySet<string> | null;
}

export interface EventHub {
  /** An SSE body. Refused when there are too many readers. */
  open(request: StreamRequest): Promise<ReadableStream<Uint8Array>>;
  readonly readers: number;
  /** Ends all streams, and asks readers to reconnect soon. */
  close(): void;
}

const MAX_READERS = 1_000;
/** A reader that is further behind than this is cut off. */
const MAX_QUEUED_BYTES = 4 * 1024 * 1024;
const PAGE = 256;
const HEARTBEAT_MS = 15_000;
const BATCH_MS = 20;
const RETRY_MS = 2_000;
const RETRY_SOON_MS = 500;

/** What is sent for one entry, made when the first reader of a role needs it. */
class Frame {
  readonly entry: Entry;
  readonly position: number;
  readonly #id: string;
  readonly #texts = new Map<Role, Uint8Array>();

  constructor(entry: Entry, position: number, id: string) {
    this.entry = entry;
    this.position = position;
    this.#id = id;
  }

  bytesFor(role: Role): Uint8Array {
    let bytes = this.#texts.get(role);
    if (bytes === undefined) {
      const { type, ...event } = entryEvent(this.entry, this.#id, role);
      bytes = encode(`id: ${this.#id}\nevent: ${type}\ndata: ${JSON.stringify({ ...event, type })}\n\n`);
      this.#texts.set(role, bytes);
    }
    return bytes;
  }
}

/** Frames that are sent together. */
class Batch {
  readonly frames: readonly Frame[];
  readonly #bytes = new Map<Role, Uint8Array>();

  constructor(frames: readonly Frame[]) {
    this.frames = frames;
  }

  get first(): number {
    return this.frames[0]?.position ?? 0;
  }

  get last(): number {
    return this.frames.at(-1)?.position ?? 0;
  }

  /** All of them, for readers that want all. */
  bytesFor(role: Role): Uint8Array {
    let bytes = this.#bytes.get(role);
    if (bytes === undefined) {
      bytes = Buffer.concat(this.frames.map((frame) => frame.bytesFor(role)));
      this.#bytes.set(role, bytes);
    }
    return bytes;
  }
}

export function createEventHub(journal: Journal, clock: Clock): EventHub {
  const readers = new Set<StreamReader>();
  const idOf = (position: number): string => `${journal.storeId}.${position}`;
  let listening: Promise<() => void> | null = null;
  let disarm: (() => void) | null = null;
  /** Entries since the last flush. */
  let pending: Frame[] = [];
  /** The newest position that live readers have received. */
  let live = 0;
  let isClosed = false;

  function beat(): void {
    for (const reader of [...readers]) reader.beat(idOf);
    if (readers.size > 0) disarm = clock.after(HEARTBEAT_MS, beat);
  }

  function flush(): void {
    const batch = new Batch(pending);
    pending = [];
    live = batch.last;
    for (const reader of readers) reader.take(batch);
  }

  async function listen(): Promise<() => void> {
    const { last } = await journal.position();
    live = last;
    return journal.subscribe(
      (entry, position) => {
        if (pending.length === 0) clock.after(BATCH_MS, flush);
        pending.push(new Frame(entry, position, idOf(position)));
      },
      { position: last },
    );
  }

  function leave(reader: StreamReader): void {
    readers.delete(reader);
    if (readers.size > 0) return;
    void listening?.then((unsubscribe) => unsubscribe());
    disarm?.();
    listening = null;
    disarm = null;
  }

  /** Where the reader continues, and whether it has missed something. */
  async function startOf(lastId: string | null): Promise<{ readonly position: number; readonly isReset: boolean }> {
    const { first, last } = await journal.position();
    if (lastId === null) return { position: last, isReset: false };
    const [, store, number = ""] = /^(.*)\.(\d{1,15})$/.exec(lastId) ?? [];
    const position = Number(number);
    const isServed = store === journal.storeId && position >= first && position <= last;
    return isServed ? { position, isReset: false } : { position: last, isReset: true };
  }

  return {
    get readers() {
      return readers.size;
    },
    async open(request) {
      if (isClosed) throw new Refused("stopping");
      if (readers.size >= MAX_READERS) throw new Refused("too-many");
      const { position, isReset } = await startOf(request.lastId);
      const reader = new StreamReader(request, position, {
        page: async (after) => {
          const rows = await journal.readFrom(after, { limit: PAGE });
          const { first, last } = await journal.position();
          const frames = rows.map((row) => new Frame(row.entry, row.position, idOf(row.position)));
          return first > after ? { frames: [], gap: { last, bytes: resetFrame(idOf(last)) } } : { frames, gap: null };
        },
        livePosition: () => live,
        ended: () => leave(reader),
      });
      readers.add(reader);
      listening ??= listen();
      disarm ??= clock.after(HEARTBEAT_MS, beat);
      await listening;
      reader.send(encode(`retry: ${RETRY_MS}\n\n`));
      if (isReset) reader.send(resetFrame(idOf(position)));
      return reader.stream;
    },
    close() {
      isClosed = true;
      for (const reader of [...readers]) reader.end(encode(`retry: ${RETRY_SOON_MS}\n\n`));
    },
  };
}

interface Page {
  readonly frames: readonly Frame[];
  /** Entries of this page were removed: the reader continues after `last`. */
  readonly gap: { readonly last: number; readonly bytes: Uint8Array } | null;
}

interface Source {
  readonly page: (after: number) => Promise<Page>;
  readonly livePosition: () => number;
  readonly ended: () => void;
}

/** One reader. It first reads the past in pages, as fast as its client reads, and then gets entries live. */
class StreamReader {
  readonly stream: ReadableStream<Uint8Array>;
  readonly #request: StreamRequest;
  readonly #source: Source;
  #controller: ReadableStreamDefaultController<Uint8Array> | null = null;
  #position: number;
  #isLive = false;

  constructor(request: StreamRequest, position: number, source: Source) {
    this.#request = request;
    this.#position = position;
    this.#source = source;
    this.stream = new ReadableStream<Uint8Array>(
      {
        start: (controller) => void (this.#controller = controller),
        pull: () => this.#catchUp(),
        cancel: () => this.#ended(),
      },
      new ByteLengthQueuingStrategy({ highWaterMark: MAX_QUEUED_BYTES }),
    );
  }

  take(batch: Batch): void {
    if (!this.#isLive || this.#controller === null) return;
    if ((this.#controller.desiredSize ?? 0) <= 0) {
      this.end(SLOW);
      return;
    }
    const { role, session, types } = this.#request;
    if (session === null && types === null && this.#position < batch.first) {
      this.#position = batch.last;
      this.send(batch.bytesFor(role));
    } else for (const frame of batch.frames) this.#send(frame);
  }

  send(bytes: Uint8Array): void {
    this.#controller?.enqueue(bytes);
  }

  end(last: Uint8Array): void {
    this.send(last);
    this.#controller?.close();
    this.#ended();
  }

  #ended(): void {
    this.#controller = null;
    this.#source.ended();
  }

  /** The heartbeat also sends the reader's position: after a reconnect, entries that its filter skipped are not read again. */
  beat(idOf: (position: number) => string): void {
    if (!this.#request.isAllowed()) return this.end(encode(": the token was removed\n\n"));
    this.send(encode(`${this.#isLive ? `id: ${idOf(this.#position)}\n` : ""}: still here\n\n`));
  }

  /** Called while there is room in the queue, and stops when it is half full: a long past must not fill the memory. */
  async #catchUp(): Promise<void> {
    while (!this.#isLive && (this.#controller?.desiredSize ?? 0) > MAX_QUEUED_BYTES / 2) {
      const { frames, gap } = await this.#source.page(this.#position);
      for (const frame of frames) this.#send(frame);
      if (gap !== null) {
        this.#position = gap.last;
        this.send(gap.bytes);
      }
      // Synchronous: no flush comes between the check and the assignment.
      this.#isLive = frames.length === 0 && this.#source.livePosition() <= this.#position;
    }
  }

  #send(frame: Frame): void {
    const { entry, position } = frame;
    if (position <= this.#position || this.#controller === null) return;
    this.#position = position;
    const { role, session, types } = this.#request;
    if (session !== null && entry.session !== session) return;
    if (types !== null && !types.has(entry.event.type)) return;
    this.send(frame.bytesFor(role));
  }
}

const encoder = new TextEncoder();
function encode(text: string): Uint8Array {
  return encoder.encode(text);
}

const SLOW = encode(`event: reset\ndata: ${JSON.stringify({ reason: "slow" })}\n\n`);

/** The id lets the next connection continue from here. */
function resetFrame(id: string): Uint8Array {
  return encode(`id: ${id}\nevent: reset\ndata: ${JSON.stringify({ reason: "gap" })}\n\n`);
}

/** Types of events as a query names them: with or without the prefix, separated by commas. */
export function typesOf(query: string | undefined): ReadonlySet<string> | null {
  if (query === undefined || query.trim() === "") return null;
  return new Set(query.split(",").map((type) => type.trim().replace(ENTRY_TYPE_PREFIX, "")));
}
