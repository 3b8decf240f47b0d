// `faultline/error-classifier`: the CLI error classifier, exactly as its users specified it. Word lists, first match wins,
// the default is fatal. Programs that want the cause instead of a category use `classify`.

import type { ErrorCategory } from "../core/fault/vocabulary.ts";

export type { ErrorCategory };

const RETRYABLE: readonly RegExp[] = [
  /rate.?limit/i,
  /429/i,
  /503/i,
  /overloaded/i,
  /ETIMEDOUT/i,
  /ECONNRESET/i,
  /ECONNREFUSED/i,
  /network/i,
];

const CONTEXT_OVERFLOW: readonly RegExp[] = [
  /context.?length/i,
  /context.?window/i,
  /context.?overflow/i,
  /too many tokens/i,
  /maximum context/i,
  /token.?limit/i,
];

const FATAL_AUTH: readonly RegExp[] = [
  /401/i,
  /403/i,
  /unauthorized/i,
  /forbidden/i,
  /invalid.?key/i,
  /authentication/i,
];

const ORDER: readonly (readonly [ErrorCategory, readonly RegExp[]])[] = [
  ["retryable", RETRYABLE],
  ["context_overflow", CONTEXT_OVERFLOW],
  ["fatal", FATAL_AUTH],
];

/** Never `timeout` or `aborted`: the code that ran the process sets those. */
export function classifyError(message: string): ErrorCategory {
  if (typeof message !== "string") return "fatal";
  return ORDER.find(([, patterns]) => patterns.some((pattern) => pattern.test(message)))?.[0] ?? "fatal";
}
