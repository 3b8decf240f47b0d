// The policy of a run: a preset or a file, preceded by the rows that `--retry` adds.

import {
  FAULT_CODES,
  type Policy,
  type PolicyRow,
  PRESETS,
  type Retry,
  rowFor,
  type Surface,
  toolRetry,
  traitsOf,
  withRows,
} from "../../core/index.ts";
import { readPolicyFile } from "../check-file.ts";
import type { Io } from "../io.ts";
import type { GlobalOptions } from "../options.ts";
import type { RunCommandOptions } from "./run-options.ts";

/** `isAgent`: the policy may ask a person. For a plain command, answering a question is no easier than running it again. */
export async function policyOf(
  options: RunCommandOptions,
  isAgent: boolean,
  io: Io,
  shared: GlobalOptions,
): Promise<Policy> {
  if (options.policy !== undefined) return withRetry(await readPolicyFile(options.policy, io, shared), options);
  const preset = PRESETS[options.preset ?? (isAgent ? "default" : "headless")];
  // A person who types a command wants it to run, however often it failed before, so the breaker never opens.
  return withRetry({ ...preset, breaker: { ...preset.breaker, failures: Infinity } }, options);
}

/** A person who asks for many attempts wants all of them, not only those that fit into a few seconds. */
const PATIENCE_MS = 3_600_000;

const ORIGIN = { layer: "file", at: "--retry" } as const;

/** Sets the number of attempts for all rows that retry, and keeps the policy's delays. */
function withRetry(policy: Policy, { retry: maxAttempts, idempotent }: RunCommandOptions): Policy {
  if (maxAttempts === undefined) return policy;
  const again = (retry: Retry): Retry => ({
    ...retry,
    maxAttempts,
    maxTotalWaitMs: Math.max(retry.maxTotalWaitMs, PATIENCE_MS),
  });
  // Rows that do not retry keep their place: the first match wins.
  const rows = policy.rows
    .filter(({ match }) => match.surface?.includes("cli") ?? true)
    .map(({ match, retry, then, origin }) => ({
      match: { ...match, surface: ON_CLI },
      retry: retry === null ? null : again(retry),
      then,
      origin: retry === null ? { layer: "file" as const, at: origin.at } : ORIGIN,
    }));
  const more = idempotent === true ? unexplainedRows(policy, again(UNEXPLAINED_RETRY)) : [];
  // Learned outcomes must not override the number of attempts a person asked for.
  return { ...withRows(policy, [...more, ...rows]), learnsAfter: 0 };
}

/** A command that failed for an unknown reason is retried only if repeating it does no harm. */
function unexplainedRows(policy: Policy, retry: Retry): readonly PolicyRow[] {
  const place = { surface: "cli", provider: "", tool: "", stage: "" } as const;
  return FAULT_CODES.filter((code) => UNEXPLAINED.has(traitsOf(code).cause)).flatMap((code) => {
    const row = rowFor(policy, { code }, place);
    return row.retry === null ? [{ ...row, match: { code: [code], surface: ON_CLI }, retry, origin: ORIGIN }] : [];
  });
}

const ON_CLI: readonly Surface[] = ["cli"];
const UNEXPLAINED: ReadonlySet<string> = new Set(["crashed", "unknown"]);
const UNEXPLAINED_RETRY = toolRetry({ strategy: "fixed_delay", initial_delay_ms: 1_000, jitter_percent: 20 });
