// How much of an answer is read and kept. A server that never stops sending must not fill the memory of the program that asked it.
// L1  bytes that are kept are counted before they are kept, each piece with what it costs to keep a piece.
// L2  an error is known by its status: one that goes on and on is cut, and still an error with that status.
// L3  anything else beyond its limit is an answer that cannot be read.

import { FaultError } from "../../core/fault/fault-error.ts";
import { fault } from "../../core/fault/fault.ts";

type Chunk = Uint8Array<ArrayBuffer>;

const MIB = 1_048_576;

export const MOST_BYTES = Object.freeze({
  /** Of the body of an error: they are short, and a page of a proxy need not be read to its end. */
  error: MIB,
  /** Of an answer in one piece, or of a streamed one that a session keeps. The longest real ones carry pictures. */
  answer: 64 * MIB,
  /** Of a stream between two pieces of the answer: keep-alives, comments, an event that does not end. The largest event fits. */
  quiet: 32 * MIB,
});

export type Bounded = keyof typeof MOST_BYTES;

/** What a piece takes in memory besides its bytes: a server may send them one by one. */
export const PIECE_BYTES = 256;

export class HeldBytes {
  readonly #what: Bounded;
  #chunks: Chunk[] = [];
  #size = 0;

  constructor(what: Bounded) {
    this.#what = what;
  }

  get chunks(): readonly Chunk[] {
    return this.#chunks;
  }

  /** False: the chunk is beyond the limit, and not kept. */
  takes(chunk: Chunk): boolean {
    this.#size += chunk.byteLength + PIECE_BYTES;
    if (this.#size > MOST_BYTES[this.#what]) return false;
    this.#chunks.push(chunk);
    return true;
  }

  keep(chunk: Chunk): void {
    if (!this.takes(chunk)) throw tooLarge(this.#what);
  }

  whole(): Chunk {
    return new Uint8Array(Buffer.concat(this.#chunks));
  }
}

/** Bytes that pass without being kept: how many came since something came of them. */
export class QuietBytes {
  #count = 0;

  passed(chunk: Uint8Array): void {
    this.#count += chunk.byteLength;
    if (this.#count > MOST_BYTES.quiet) throw tooLarge("quiet");
  }

  progress(): void {
    this.#count = 0;
  }
}

const SAYS: Readonly<Record<Bounded, string>> = {
  error: "the error does not end",
  answer: "the answer does not end",
  quiet: "the stream goes on, and nothing of an answer comes",
};

export function tooLarge(what: Bounded): FaultError {
  const limit = MOST_BYTES[what];
  return new FaultError(
    fault("AnswerUnreadable", {
      message: `${SAYS[what]}: more than ${limit / MIB} MiB were read`,
      context: { limit, limitOf: what },
    }),
  );
}

/** The body of an error, as far as it is worth reading. */
export async function errorText({ body }: Response): Promise<string> {
  const held = new HeldBytes("error");
  await readAll(body, (chunk) => held.takes(chunk));
  return new TextDecoder().decode(held.whole());
}

/** The body of an answer in one piece. */
export async function answerBytes({ body }: Response): Promise<Chunk> {
  const held = new HeldBytes("answer");
  await readAll(body, (chunk) => {
    held.keep(chunk);
    return true;
  });
  return held.whole();
}

async function readAll(body: ReadableStream<Chunk> | null, takes: (chunk: Chunk) => boolean): Promise<void> {
  if (body === null) return;
  const reader = body.getReader();
  try {
    for (let read = await reader.read(); !read.done; read = await reader.read()) if (!takes(read.value)) break;
  } finally {
    // Nothing more is read from the connection, so a failing cancel changes nothing.
    void Promise.allSettled([reader.cancel()]);
  }
}

/** A `fetch` under an SDK that reads whatever comes: an error is cut at its limit, an answer or a line beyond it is a fault. */
export const boundedFetch: typeof fetch = async (input, init) => {
  const response = await fetch(input, init);
  const { body, ok, status, statusText, headers } = response;
  if (body === null) return response;
  const isStream = (headers.get("content-type") ?? "").startsWith("text/event-stream");
  const limit = !ok ? cutError() : isStream ? endlessLine() : endlessAnswer();
  return new Response(body.pipeThrough(limit), { status, statusText, headers });
};

function cutError(): TransformStream<Chunk, Chunk> {
  let count = 0;
  return new TransformStream({
    transform(chunk, controller) {
      count += chunk.byteLength;
      controller.enqueue(chunk);
      // Ends the reader's side properly and gives up the server's.
      if (count > MOST_BYTES.error) controller.terminate();
    },
  });
}

function endlessAnswer(): TransformStream<Chunk, Chunk> {
  let count = 0;
  return new TransformStream({
    transform(chunk, controller) {
      count += chunk.byteLength;
      if (count > MOST_BYTES.answer) throw tooLarge("answer");
      controller.enqueue(chunk);
    },
  });
}

const LINE_END = 0x0a;

/** Events and comments are dropped when they are read, whereas a line without an end is kept. */
function endlessLine(): TransformStream<Chunk, Chunk> {
  const quiet = new QuietBytes();
  return new TransformStream({
    transform(chunk, controller) {
      if (chunk.includes(LINE_END)) quiet.progress();
      quiet.passed(chunk);
      controller.enqueue(chunk);
    },
  });
}
