// Limits on how much of a response is read and buffered, so that a server that never stops sending cannot exhaust memory.
// L1  Bytes are counted before they are buffered, plus a fixed overhead per chunk.
// L2  An error body over its limit is cut. It is still an error with the same status.
// L3  Any other response over its limit fails as unreadable.

import { fault, FaultError } from "../../core/fault/fault.ts";

type Chunk = Uint8Array<ArrayBuffer>;

const MIB = 1_048_576;

export const MOST_BYTES = Object.freeze({
  /** For an error body. Real ones are short, and a proxy's error page need not be read to its end. */
  error: MIB,
  /** For a whole response, or a streamed one that a session records. The longest real ones contain images. */
  answer: 64 * MIB,
  /** For the bytes between two pieces of content in a stream: keep-alives, comments, an endless event. The largest real event fits. */
  quiet: 32 * MIB,
});

export type Bounded = keyof typeof MOST_BYTES;

/** Memory overhead per chunk: a server may send one byte at a time. */
export const PIECE_BYTES = 256;

export class HeldBytes {
  private readonly what: Bounded;
  private held: Chunk[] = [];
  private size = 0;

  constructor(what: Bounded) {
    this.what = what;
  }

  get chunks(): readonly Chunk[] {
    return this.held;
  }

  /** Returns false, without buffering the chunk, if it exceeds the limit. */
  takes(chunk: Chunk): boolean {
    this.size += chunk.byteLength + PIECE_BYTES;
    if (this.size > MOST_BYTES[this.what]) return false;
    this.held.push(chunk);
    return true;
  }

  keep(chunk: Chunk): void {
    if (!this.takes(chunk)) throw tooLarge(this.what);
  }

  whole(): Chunk {
    const [first] = this.held;
    return first !== undefined && this.held.length === 1 ? first : Buffer.concat(this.held);
  }
}

/** Counts the bytes that have passed since the last piece of content. They are not buffered. */
export class QuietBytes {
  private count = 0;

  passed(chunk: Uint8Array): void {
    this.count += chunk.byteLength;
    if (this.count > MOST_BYTES.quiet) throw tooLarge("quiet");
  }

  progress(): void {
    this.count = 0;
  }
}

const SAYS: Readonly<Record<Bounded, string>> = {
  error: "the error body is too long",
  answer: "the answer is too long",
  quiet: "the stream keeps sending, but no content arrives",
};

export function tooLarge(what: Bounded): FaultError {
  const limit = MOST_BYTES[what];
  return new FaultError(
    fault("AnswerUnreadable", {
      message: `${SAYS[what]}: read more than ${limit / MIB} MiB`,
      context: { limit, limitOf: what },
    }),
  );
}

/** Reads the body of an error response, up to its limit. */
export async function errorText({ body }: Response): Promise<string> {
  const held = new HeldBytes("error");
  await readAll(body, (chunk) => held.takes(chunk));
  return new TextDecoder().decode(held.whole());
}

/** Reads the body of a response that is not streamed. */
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
    // Nothing more is read from the connection, so a failed cancel does no harm.
    void Promise.allSettled([reader.cancel()]);
  }
}

/** A `fetch` for SDKs that read without limits. It cuts an error body at its limit and fails on a response or a line that is too long. */
export const boundedFetch: typeof fetch = async (input, init) => bounded(await fetch(input, init));

export function bounded(response: Response): Response {
  const { body, ok, headers } = response;
  if (body === null) return response;
  const isStream = (headers.get("content-type") ?? "").startsWith("text/event-stream");
  const limit = !ok ? cutError() : isStream ? endlessLine() : endlessAnswer();
  return withBody(response, body.pipeThrough(limit), headers);
}

/** The highest status that `new Response` takes. `fetch` returns higher ones, too. */
const MAX_STATUS = 599;

/** The same response with another body and other headers. A response that had no body gets none, because some statuses allow none. */
export function withBody(
  { status, statusText, body: before }: Response,
  body: ReadableStream<Chunk> | string,
  headers: Headers,
): Response {
  const shown = Math.min(status, MAX_STATUS);
  const response = new Response(before === null ? null : body, { status: shown, statusText, headers });
  return shown === status ? response : Object.defineProperty(response, "status", { value: status });
}

function cutError(): TransformStream<Chunk, Chunk> {
  let count = 0;
  return new TransformStream({
    transform(chunk, controller) {
      count += chunk.byteLength;
      controller.enqueue(chunk);
      // Closes the reader's side normally and cancels the server's.
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

/** SDKs drop events and comments once they are parsed, but buffer a line until it ends. */
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
