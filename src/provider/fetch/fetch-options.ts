// What a program may say about a protected `fetch`, and what is meant when it says nothing.

import type { Fault } from "../../core/fault/fault.ts";
import { invalid, timeoutsOf } from "../model/model-options.ts";
import type { Timeouts } from "../model/watch.ts";

export interface FetchOptions {
  /** Whose API it is: `openai`, `anthropic`, `google` … */
  readonly provider: string;
  /** Which key or account is used, by a name of yours: a limit on one does not hold for another. */
  readonly credential?: string;
  readonly timeouts?: Partial<Timeouts>;
  /** Gets a new credential when one is refused: headers to send instead. Called once a call. */
  readonly refreshCredential?: (about: {
    readonly fault: Fault;
    readonly signal: AbortSignal;
  }) => Readonly<Record<string, string>> | Promise<Readonly<Record<string, string>>>;
  readonly maxConcurrent?: number;
  /** The `fetch` underneath; the platform's own when left out. */
  readonly fetch?: typeof fetch;
}

export interface ResolvedFetchOptions {
  readonly provider: string;
  readonly credential: string;
  readonly timeouts: Timeouts;
  readonly refreshCredential: FetchOptions["refreshCredential"] | null;
  readonly maxConcurrent: number;
  readonly fetch: typeof fetch;
}

/** An answer as a whole comes with its headers, so they are waited for as long as for all of it. */
const DEFAULT_TIMEOUTS: Timeouts = { headersMs: 600_000, firstTokenMs: 600_000, idleMs: 60_000, totalMs: 600_000 };

export function resolveFetchOptions(options: FetchOptions): ResolvedFetchOptions {
  const { provider } = options;
  if (typeof provider !== "string" || provider === "") throw invalid("provider", "fetch needs the provider's name");
  return {
    provider,
    credential: options.credential ?? provider,
    timeouts: timeoutsOf({ ...DEFAULT_TIMEOUTS, ...options.timeouts }),
    refreshCredential: options.refreshCredential ?? null,
    maxConcurrent: options.maxConcurrent ?? Infinity,
    // Looked up when it is called: tests and tracers replace the platform's.
    fetch: options.fetch ?? ((input, init) => fetch(input, init)),
  };
}
