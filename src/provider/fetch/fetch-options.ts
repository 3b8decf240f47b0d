// Options of a protected `fetch`, and their defaults.

import type { Fault } from "../../core/fault/fault.ts";
import {
  anyText,
  callable,
  described,
  group,
  listOf,
  mapOf,
  over,
  required,
  shape,
  text,
  whole,
} from "../../options/check-options.ts";
import { RETRY_OPTIONS } from "../../runtime/option-shapes.ts";
import type { RetryOptions } from "../../runtime/tool/tool.ts";
import { RETRY_BEFORE_FALLBACK } from "../model/model-options.ts";
import { type Timeouts, timeoutsKind } from "../model/watch.ts";

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
  /** Where else the request can go, best first. Every target must speak the protocol of the SDK. */
  readonly fallback?: readonly FetchFallback[];
  /** How often and how long a target is retried while another can answer. Default: two attempts, waits up to 2 s. */
  readonly retryBeforeFallback?: RetryOptions;
  /** The underlying `fetch`. Default: the platform's. */
  readonly fetch?: typeof fetch;
}

/** Another target for the same request. What is left out stays as it is in the request. */
export interface FetchFallback {
  /** Whose API it is. */
  readonly provider?: string;
  /** Where it is, as the SDK's own `baseURL`. Another server gets none of the request's keys, cookies and own headers. */
  readonly baseURL?: string;
  /** Its key. */
  readonly apiKey?: string;
  /** Headers to set for it. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The model to ask. */
  readonly model?: string;
  /** Your name for its key or account. Default: a short hash of the key. */
  readonly credential?: string;
}

export interface ResolvedFetchOptions {
  readonly provider: string;
  /** null: read from each request. */
  readonly credential: string | null;
  readonly timeouts: Partial<Timeouts>;
  readonly refreshCredential: FetchOptions["refreshCredential"] | null;
  readonly maxConcurrent: number;
  readonly fallback: readonly FetchFallback[];
  readonly retryBeforeFallback: RetryOptions;
  readonly fetch: typeof fetch;
}

const fallbackFields = group(
  shape<FetchFallback>({
    provider: text,
    baseURL: described('an address, as in "https://openrouter.ai/api/v1"', { says: "", fits: isAddress }),
    apiKey: described("a key without line breaks", { says: "", fits: isKey }),
    headers: mapOf(anyText),
    model: text,
    credential: text,
  }),
);

/** An empty one would ask the same target again, which is a retry. */
const fallbackKind = {
  ...fallbackFields,
  says: "an object with a model, an apiKey, a baseURL or another of its fields",
  fits: (value: unknown): boolean => fallbackFields.fits(value) && Object.keys(value as object).length > 0,
};

/** Others cannot be sent, and the platform's error about that would show the key. */
function isKey(value: unknown): boolean {
  return typeof value === "string" && /^[\x20-\x7e]+$/.test(value);
}

function isAddress(value: unknown): boolean {
  return typeof value === "string" && /^https?:/.test(value) && URL.canParse(value);
}

export const FETCH_OPTIONS = shape<FetchOptions>({
  provider: required(text),
  credential: text,
  timeouts: timeoutsKind,
  refreshCredential: callable,
  maxConcurrent: whole(1),
  fallback: listOf(fallbackKind),
  retryBeforeFallback: group(RETRY_OPTIONS),
  fetch: callable,
});

export function resolveFetchOptions(options: FetchOptions): ResolvedFetchOptions {
  return {
    provider: options.provider,
    credential: options.credential ?? null,
    timeouts: options.timeouts ?? {},
    refreshCredential: options.refreshCredential ?? null,
    maxConcurrent: options.maxConcurrent ?? Infinity,
    fallback: options.fallback ?? [],
    retryBeforeFallback: over(RETRY_BEFORE_FALLBACK, options.retryBeforeFallback),
    // Looked up at each call, because tests and tracers replace the platform's.
    fetch: options.fetch ?? ((input, init) => fetch(input, init)),
  };
}
