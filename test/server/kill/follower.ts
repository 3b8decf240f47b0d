// A reader of the event stream that follows it from the first entry, through all restarts of the server.

import { classify } from "../../../src/index.ts";
import type { Client } from "../../../src/client/index.ts";

export interface Follower {
  /** Types of events it asked for; null: all. */
  readonly types: readonly string[] | null;
  /** The positions it has seen, in the order it saw them. */
  readonly positions: readonly number[];
  /** Resolves with the next event. */
  next(): Promise<void>;
  /** Resolves when it has seen this position, or one behind it. */
  upTo(position: number): Promise<void>;
}

export function follow(
  client: Client,
  storeId: string,
  types: readonly string[] | null,
  signal: AbortSignal,
  blame: (problem: string) => void,
): Follower {
  const positions: number[] = [];
  let news = Promise.withResolvers<undefined>();
  const name = types === null ? "a reader of everything" : `a reader of ${types.join(", ")}`;
  const stream = client.stream({
    lastEventId: `${storeId}.0`,
    signal,
    onReset: () => blame(`${name} was told that it missed something`),
    ...(types === null ? {} : { types }),
  });
  void (async () => {
    for await (const { id } of stream) {
      const at = id.lastIndexOf(".");
      if (id.slice(0, at) !== storeId) blame(`${name} got an event of another journal: ${id}`);
      positions.push(Number(id.slice(at + 1)));
      news.resolve(undefined);
      news = Promise.withResolvers<undefined>();
    }
  })().catch((error: unknown) => blame(`${name} ended: ${classify({ surface: "http", error }).message}`));
  return {
    types,
    positions,
    next: () => news.promise,
    async upTo(position) {
      while ((positions.at(-1) ?? 0) < position) await news.promise;
    },
  };
}
