// The few facts that rules look at, whatever the failure looked like. `read-evidence.ts` fills them from structured
// data, `read-text.ts` from words.

import type { CancelScope, Surface } from "./evidence.ts";

export interface Signals {
  readonly surface: Surface;
  readonly provider: string;
  /** Which scope was cancelled; "no" when the caller knows that none was, null when unknown. */
  readonly aborted: CancelScope | "no" | null;
  /** HTTP status, 0 when unknown. */
  status: number;
  /** Identifiers a program wrote: error types, codes, names, RPC states; lower case. */
  readonly tokens: Set<string>;
  /** Identifiers from fields, as they were written: `exceeded_current_quota_error`, `InvalidApiKey`. */
  readonly names: string[];
  /** Upper-case error codes of Node, undici, TLS, SQLite. */
  readonly errnos: Set<string>;
  readonly stops: Set<string>;
  /** JSON-RPC error code, 0 when none. */
  rpcCode: number;
  exitCode: number | null;
  signal: string;
  readonly texts: string[];
  headers: unknown;
  /** Fields that tell when to try again, as found in bodies: name (lower case) → value. */
  readonly timings: Map<string, string | number>;
  readonly observedAt: number | undefined;
  /** An answer that is there but empty: the body of a 2xx, an output to be validated. */
  emptyBody: boolean;
}

export function addToken(signals: Signals, value: unknown): void {
  if (typeof value !== "string" || value.length > 80) return;
  signals.tokens.add(value.toLowerCase());
  signals.names.push(value);
}

/** A code is an errno when it shouts, an identifier otherwise, and sometimes a status as a string. */
export function addCode(signals: Signals, value: string): void {
  if (value.length === 3 && /^\d{3}$/.test(value)) return addStatus(signals, Number(value));
  if (/^[A-Z][A-Z0-9_]+$/.test(value)) signals.errnos.add(value);
  addToken(signals, value);
}

/** Keeps the outermost failing status. An error inside a 200 counts for more than the 200 that carried it. */
export function addStatus(signals: Signals, value: number): void {
  if (isHttpStatus(value) && value >= 400 && signals.status < 400) signals.status = value;
}

/** Google names the window of a quota in its id, and whose quota it is: `GenerateRequestsPerDayPerProjectPerModel-FreeTier`. */
export function addQuotaId(signals: Signals, value: string): void {
  if (/per_?(?:base_?)?model/i.test(value)) signals.tokens.add("quota:model");
  else if (/per_?(?:project|user)/i.test(value)) signals.tokens.add("quota:account");
  if (/per_?day|daily/i.test(value)) signals.tokens.add("quota:day");
  else if (/per_?minute/i.test(value)) signals.tokens.add("quota:minute");
}

export function isHttpStatus(value: unknown): value is number {
  return typeof value === "number" && Number.isInteger(value) && value >= 100 && value <= 599;
}
