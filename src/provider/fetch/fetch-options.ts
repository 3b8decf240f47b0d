// Options of a protected `fetch`, and their defaults.

import type { Fault } from "../../core/fault/fault.ts";
import { callable, required, shape, text, whole } from "../../options/kind.ts";
import { type Timeouts, timeoutsKind } from "../model/timeouts.ts";

/** Options of a protected `fetch`. */
export interface FetchOptions {
  /** Whose API it is: `openai`, `anthropic`, `google` … */
  readonly provider: string;
  /** Your name for the key or account in use. Default: a short hash of the key. A rate limit on one credential does not affect another. */
  readonly credential?: string;
  /** How long to wait, in milliseconds. */
  readonly timeouts?: Partial<Timeouts>;
  /** Gets a new credential when the provider rejects the current one, as headers to send instead. Called once per call. */
  readonly refreshCredential?: (about: {
    readonly fault: Fault;
    readonly signal: AbortSignal;
  }) => Readonly<Record<string, string>> | Promise<Readonly<Record<string, string>>>;
  /** How many requests may run at the same time. Default: no limit. */
  readonly maxConcurrent?: number;
  /** The underlying `fetch`. Default: the platform's. */
  readonly fetch?: typeof fetch;
}

export interface ResolvedFetchOptions {
  readonly provider: string;
  /** null: read from each request. */
  readonly credential: string | null;
  readonly timeouts: Partial<Timeouts>;
  readonly refreshCredential: FetchOptions["refreshCredential"] | null;
  readonly maxConcurrent: number;
  readonly fetch: typeof fetch;
}

export const FETCH_OPTIONS = shape<FetchOptions>({
  provider: required(text),
  credential: text,
  timeouts: timeoutsKind,
  refreshCredential: callable,
  maxConcurrent: whole(1),
  fetch: callable,
});

export function resolveFetchOptions(options: FetchOptions): ResolvedFetchOptions {
  return {
    provider: options.provider,
    credential: options.credential ?? null,
    timeouts: options.timeouts ?? {},
    refreshCredential: options.refreshCredential ?? null,
    maxConcurrent: options.maxConcurrent ?? Infinity,
    // Looked up at each call, because tests and tracers replace the platform's.
    fetch: options.fetch ?? ((input, init) => fetch(input, init)),
  };
}
