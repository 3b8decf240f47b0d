// What a program may say about a protected `fetch`, and what is meant when it says nothing.

import type { Fault } from "../../core/fault/fault.ts";
import { callable, required, shape, text, whole } from "../../options/kind.ts";
import { type Timeouts, timeoutsKind } from "../model/timeouts.ts";

/** Options of a protected `fetch`. */
export interface FetchOptions {
  /** Whose API it is: `openai`, `anthropic`, `google` … */
  readonly provider: string;
  /** Which key or account is used, by a name of yours. A short hash of the key when left out. A limit on one does not hold for another. */
  readonly credential?: string;
  /** How long to wait, in milliseconds. */
  readonly timeouts?: Partial<Timeouts>;
  /** Gets a new credential when one is refused: headers to send instead. Called once a call. */
  readonly refreshCredential?: (about: {
    readonly fault: Fault;
    readonly signal: AbortSignal;
  }) => Readonly<Record<string, string>> | Promise<Readonly<Record<string, string>>>;
  /** How many requests may run at the same time. Default: no limit. */
  readonly maxConcurrent?: number;
  /** The `fetch` underneath; the platform's own when left out. */
  readonly fetch?: typeof fetch;
}

export interface ResolvedFetchOptions {
  readonly provider: string;
  /** null: told from each request. */
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
    // Looked up when it is called: tests and tracers replace the platform's.
    fetch: options.fetch ?? ((input, init) => fetch(input, init)),
  };
}
