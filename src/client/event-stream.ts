// Reads the stream of events, and reconnects behind the last one it has got.

import { createParser } from "eventsource-parser";
import type { EntryEvent } from "../api/entry-event.ts";

const FIRST_WAIT_MS = 500;
const MAX_WAIT_MS = 15_000;

/** Which events to read, and from where. */
export interface EventsOptions {
  readonly signal?: AbortSignal;
  /** Only events of this session or run. */
  readonly session?: string;
  /** Only these types of events. */
  readonly types?: readonly string[];
  /** Continues behind this event. */
  readonly lastEventId?: string;
  /** The stream has a gap: fetch the present state. */
  readonly onReset?: () => void;
  /** Called when the stream is open, and when it broke off and is being opened again. */
  readonly onConnection?: (isOpen: boolean) => void;
}

/** `connect` is called with the id of the last event, or null at the start. */
export async function* readEvents(
  connect: (lastEventId: string | null) => Promise<Response>,
  { signal, lastEventId, onReset, onConnection }: EventsOptions,
): AsyncGenerator<EntryEvent> {
  let last = lastEventId ?? null;
  let waitMs = FIRST_WAIT_MS;
  const isOver = (): boolean => signal?.aborted === true;
  while (!isOver()) {
    try {
      const response = await connect(last);
      waitMs = FIRST_WAIT_MS;
      onConnection?.(true);
      for await (const message of messagesOf(response)) {
        if (message.id !== undefined) last = message.id;
        if (message.event === "reset") onReset?.();
        else if (message.event !== undefined) yield JSON.parse(message.data) as EntryEvent;
      }
    } catch (error) {
      // What the server refuses for good is not tried again.
      if (isOver()) return;
      if (isRefusal(error)) throw error;
    }
    if (isOver()) return;
    onConnection?.(false);
    await pause(waitMs, signal);
    waitMs = Math.min(waitMs * 2, MAX_WAIT_MS);
  }
}

interface Message {
  readonly id?: string;
  readonly event?: string;
  readonly data: string;
}

async function* messagesOf(response: Response): AsyncGenerator<Message> {
  if (response.body === null) return;
  const ready: Message[] = [];
  const parser = createParser({
    onEvent: ({ id, event, data }) =>
      ready.push({ data, ...(id === undefined ? {} : { id }), ...(event === undefined ? {} : { event }) }),
  });
  const decoder = new TextDecoder();
  const reader: ReadableStreamDefaultReader<Uint8Array> = (response.body as ReadableStream<Uint8Array>).getReader();
  try {
    for (;;) {
      const read = await reader.read();
      if (read.done) return;
      parser.feed(decoder.decode(read.value, { stream: true }));
      yield* ready.splice(0);
    }
  } finally {
    await reader.cancel();
  }
}

function isRefusal(error: unknown): boolean {
  const status =
    typeof error === "object" && error !== null && "problem" in error
      ? (error.problem as { readonly status: number }).status
      : 0;
  return status >= 400 && status < 500 && status !== 408 && status !== 429;
}

/** With a plain timer: the client also runs in browsers, where the host's clock cannot be loaded. */
function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal?.addEventListener(
      "abort",
      () => {
        clearTimeout(timer);
        resolve();
      },
      { once: true },
    );
  });
}
