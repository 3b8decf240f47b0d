// Each layer puts its rows in front, and the first match wins, so the last layer takes precedence. From back to front: the matrix,
// a preset, a provider's adapter, a tool's manifest, a stage, the operator's file.

import { defined } from "../defined.ts";
import type { Rule } from "../classify/rule.ts";
import { FAULT_CODES, traitsOf } from "../fault/catalogue.ts";
import type { ModelDetail } from "../fault/view.ts";
import { TOOL_RETRY } from "./matrix.ts";
import {
  type Backoff,
  type BreakerRule,
  codesOf,
  type Policy,
  type PolicyRow,
  type Retry,
  type RowMatch,
  type RowOrigin,
} from "./policy.ts";

const LAYERS: readonly RowOrigin["layer"][] = ["matrix", "preset", "adapter", "tool", "stage", "file"];

/** The policy with more rows, each put in front of all rows of its own layer and of those behind it. */
export function withRows(policy: Policy, rows: readonly PolicyRow[]): Policy {
  const all = [...rows, ...policy.rows];
  const layered = LAYERS.toReversed().flatMap((layer) => all.filter(({ origin }) => origin.layer === layer));
  return { ...policy, rows: layered };
}

/** A tool's own retry policy, with the field names of the tool error handling specification. */
export interface ToolRetryManifest {
  readonly strategy?: "exponential_backoff" | "linear_backoff" | "fixed_delay";
  readonly initial_delay_ms?: number;
  readonly max_delay_ms?: number;
  readonly multiplier?: number;
  readonly jitter_percent?: number;
  readonly max_attempts?: number;
  readonly max_total_time_ms?: number;
}

const STRATEGIES = { exponential_backoff: "exponential", linear_backoff: "linear", fixed_delay: "fixed" } as const;

/** The fields of a retry that a place changes; fields left out keep the values of the matching row. */
export interface RetryChange extends Partial<Omit<Retry, "backoff">> {
  readonly backoff?: Partial<Backoff>;
}

/** A default `maxDelayMs` does not cut short an explicit first wait. */
export function changedRetry(base: Retry, change: RetryChange): Retry {
  const initialMs = change.backoff?.initialMs ?? base.backoff.initialMs;
  return {
    maxAttempts: change.maxAttempts ?? base.maxAttempts,
    backoff: {
      kind: change.backoff?.kind ?? base.backoff.kind,
      initialMs,
      maxMs: change.backoff?.maxMs ?? Math.max(base.backoff.maxMs, initialMs),
      multiplier: change.backoff?.multiplier ?? base.backoff.multiplier,
    },
    jitter: change.jitter ?? base.jitter,
    maxWaitMs: change.maxWaitMs ?? base.maxWaitMs,
    maxTotalWaitMs: change.maxTotalWaitMs ?? base.maxTotalWaitMs,
  };
}

/** What an operator says about a tool, in front of what the tool says itself. */
export interface ToolOverride {
  readonly id: string;
  readonly timeoutMs?: number;
  readonly idempotent?: boolean;
  readonly optional?: boolean;
  readonly modelDetail?: ModelDetail;
  /** Wrapped, because null is a valid default. */
  readonly default?: { readonly value: unknown };
  readonly alternatives?: readonly string[];
  readonly maxConcurrent?: number;
  readonly maxQueued?: number;
  readonly retry?: ToolRetryManifest;
  readonly breaker?: Partial<BreakerRule>;
  /** They precede the built-in rules. */
  readonly rules: readonly Rule[];
}

/** A manifest in the library's own words. */
export function retryChangeOf(manifest: ToolRetryManifest): RetryChange {
  const { strategy, initial_delay_ms: initialMs, max_delay_ms: maxMs, multiplier } = manifest;
  const { jitter_percent: jitter, max_attempts: maxAttempts, max_total_time_ms: maxTotalWaitMs } = manifest;
  return {
    backoff: defined({
      kind: strategy === undefined ? undefined : STRATEGIES[strategy],
      initialMs,
      maxMs,
      multiplier,
    }),
    ...defined({ jitter: jitter === undefined ? undefined : jitter / 100, maxAttempts, maxTotalWaitMs }),
  };
}

/** For the transient faults of a tool: what a manifest leaves out stays as the default for tools. */
export function toolRetry(manifest: ToolRetryManifest): Retry {
  return changedRetry(TOOL_RETRY, retryChangeOf(manifest));
}

/** The rows a tool's manifest puts in front: its retry for everything transient it meets, the default list after it. */
export function rowsOfTool(tool: string, manifest: ToolRetryManifest, base: Policy): readonly PolicyRow[] {
  return rowsOfRetry(tool, retryChangeOf(manifest), base);
}

/** The same for a tool that says it in code. */
export function rowsOfRetry(tool: string, retry: RetryChange, base: Policy): readonly PolicyRow[] {
  return ownRows({ tool: [tool] }, retry, base, { layer: "tool", at: tool });
}

/** The row a provider's adapter puts in front for its transport faults. */
export function rowsOfAdapter(provider: string, retry: Retry, base: Policy): readonly PolicyRow[] {
  return ownRows({ provider: [provider] }, retry, base, { layer: "adapter", at: provider });
}

/** The row a stage puts in front for the calls made in it. */
export function rowsOfStage(stage: string, retry: Retry, base: Policy): readonly PolicyRow[] {
  return ownRows({ stage: [stage] }, retry, base, { layer: "stage", at: stage });
}

/** Every row of the base that retries, narrowed to one place and with the place's own changes. */
function ownRows(place: RowMatch, change: RetryChange, base: Policy, origin: RowOrigin): readonly PolicyRow[] {
  return base.rows.flatMap((row) =>
    row.retry !== null && isPaced(row, change) && isAnywhere(row.match, place)
      ? [{ ...row, match: { ...row.match, ...place }, retry: changedRetry(row.retry, change), origin }]
      : [],
  );
}

/** A row that already names a tool, a provider or a stage is about that one, not about this. */
function isAnywhere(match: RowMatch, place: RowMatch): boolean {
  return (Object.keys(place) as (keyof RowMatch)[]).every((field) => match[field] === undefined);
}

/**
 * A place may pace what fails on the way to it, and forbid to repeat anything at all; how this machine's own store or crash
 * is retried is not its business.
 */
function isPaced({ match }: PolicyRow, { maxAttempts = Infinity }: RetryChange): boolean {
  const traits = codesOf(match, FAULT_CODES).map(traitsOf);
  return traits.every(({ retryable, scope }) => scope !== "host" && (retryable || maxAttempts <= 1));
}
