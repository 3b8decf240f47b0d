// Connections to targets: one pool for all of them. The attempt has its own time limits, so the pool limits only connecting.

import { Agent, fetch as pooledFetch } from "undici";
import { bounded } from "../../provider/fetch/bounded.ts";
import { fetchSafely } from "../../provider/fetch/follow-redirects.ts";

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
  // The package has types of its own for what the platform has, too.
  const pooled = (input: unknown, init: RequestInit): Promise<Response> =>
    pooledFetch(input as string, { ...init, dispatcher: agent } as never) as Promise<unknown> as Promise<Response>;
  return {
    agent,
    fetch: async (input, init) => bounded(await fetchSafely(pooled, input as string, init ?? {})),
    close: () => agent.destroy(),
  };
}
