// Connections to targets: one pool for all of them. The attempt has its own time limits, so the pool limits only connecting.

import { Agent, fetch as pooledFetch } from "undici";
import { fault, FaultError } from "../../core/fault/fault.ts";
import { bounded } from "../../provider/fetch/bounded.ts";

export interface Transport {
  readonly agent: Agent;
  /** The pool as a `fetch`, for packages that want one. It follows no redirects: they could lead out of the target's region. */
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
  // The package's types differ from those of the platform.
  const pooled = async (input: unknown, init: RequestInit = {}): Promise<Response> => {
    const options = { ...init, redirect: "manual", dispatcher: agent } as never;
    const response: unknown = await pooledFetch(input as string, options);
    const { status, body } = response as Response;
    if (status < 300 || status >= 400) return response as Response;
    await body?.cancel();
    throw new FaultError(fault("AnswerUnreadable", { message: `the target answered with a redirect (${status})` }));
  };
  return {
    agent,
    fetch: async (input, init) => bounded(await pooled(input, init)),
    close: () => agent.destroy(),
  };
}
