// Connections to targets: one pool for all of them. Time limits are those of the attempt, so the pool has none but for connecting.

import { Agent, fetch as pooledFetch } from "undici";

export interface Transport {
  readonly agent: Agent;
  /** The pool as a `fetch`, for packages that want one. */
  readonly fetch: typeof fetch;
  close(): Promise<void>;
}

const CONNECT_MS = 10_000;
const KEPT_MS = 60_000;

export function createTransport(): Transport {
  const agent = new Agent({
    headersTimeout: 0,
    bodyTimeout: 0,
    connect: { timeout: CONNECT_MS },
    keepAliveTimeout: KEPT_MS,
    pipelining: 1,
  });
  return {
    agent,
    // The package has its own types for what the platform has, too.
    fetch: ((input: string, init: RequestInit) =>
      pooledFetch(input, { ...init, dispatcher: agent } as never)) as unknown as typeof fetch,
    close: () => agent.destroy(),
  };
}
