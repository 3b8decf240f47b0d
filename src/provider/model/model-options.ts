// Options of a chain of models, and their defaults. They are resolved once, here.

import type { LanguageModelV4, LanguageModelV4CallOptions } from "@ai-sdk/provider";
import type { Fault } from "../../core/fault/fault.ts";
import type { HedgeOptions, RetryOptions } from "../../runtime/tool/tool.ts";
import type { AnyLanguageModel } from "../interface/any-model.ts";
import type { FactOverrides } from "../model-facts/facts-for.ts";
import { DEFAULT_REPEAT_LIMITS, type RepeatLimits } from "../portable/repeated-calls.ts";
import type { MidStream } from "./stream-sink.ts";
import {
  callable,
  described,
  either,
  flag,
  group,
  having,
  type Kind,
  listOf,
  number,
  oneOf,
  over,
  required,
  shape,
  text,
  whole,
} from "../../options/check-options.ts";
import { MAX_TIMEOUT_MS, RETRY_OPTIONS } from "../../runtime/option-shapes.ts";
import { type Timeouts, timeoutsKind } from "./watch.ts";

/** A model, or a model with options. */
export type ModelTarget<Model extends AnyLanguageModel = LanguageModelV4> = Model | ModelTargetOptions<Model>;

/** One model of a chain, with its options. */
export interface ModelTargetOptions<Model extends AnyLanguageModel = LanguageModelV4> {
  /** A language model of AI SDK 5, 6 or 7. */
  readonly model: Model;
  /** The target's name in events. Default: provider and model, as in `openai/gpt-5`. */
  readonly id?: string;
  /** The endpoint, as a base URL or a name of your choice. Default: read from the model. Targets at one endpoint fail together. */
  readonly endpoint?: string;
  /** Your name for the key or account it uses. Default: a short hash of the key. A rate limit on one credential does not affect another. */
  readonly credential?: string;
  /** Try it even while its breaker is open, if no other target is available. */
  readonly lastResort?: boolean;
  /** Corrections where the built-in facts about the model are missing or wrong. */
  readonly facts?: FactOverrides;
  /** How long to wait for this model, in milliseconds. Default: the chain's timeouts. */
  readonly timeouts?: Partial<Timeouts>;
  /** How many requests may run at the same time. Default: no limit. */
  readonly maxConcurrent?: number;
  /** How many requests may start in a minute, evenly spread. Default: no limit. */
  readonly maxPerMinute?: number;
}

/** Options of a chain of models. */
export interface ModelOptions {
  /** How long to wait for each model, in milliseconds. */
  readonly timeouts?: Partial<Timeouts>;
  /** How often and how long a target is retried while another can answer: two attempts, waits up to 2 s. The last target gets the policy's own retries. */
  readonly retryBeforeFallback?: RetryOptions;
  /**
   * What to do when a stream breaks after part of the answer has arrived. `fail` (the default): throw a typed error. `restart`: start
   * over; the caller sees an answer only when it is complete. `continue`: another model continues the text, if it supports that.
   */
  readonly midStream?: MidStream;
  /**
   * Asks the next model, too, when one is silent for longer than usual; the first that answers is used. Both cost money. Calls of a
   * session are not hedged. Default: off.
   */
  readonly hedge?: HedgeOptions;
  /** The minimum speed of a stream, measured over ten seconds from its first content on. Default: no limit. */
  readonly minCharactersPerSecond?: number;
  /** Shortens a prompt that a model rejected as too long. Return null if it cannot be shortened. */
  readonly compact?: (
    prompt: LanguageModelV4CallOptions["prompt"],
    about: { readonly fault: Fault; readonly signal: AbortSignal },
  ) => Prompt | null | Promise<Prompt | null>;
  /** Refreshes the credential when the provider rejects it; the models must read the new one themselves. Called once per call. */
  readonly refreshCredential?: (about: { readonly fault: Fault; readonly signal: AbortSignal }) => void | Promise<void>;
  /** Ask the model once more, with the reason, if its answer is empty, truncated or does not match its schema. Default: true. */
  readonly regenerate?: boolean;
  /**
   * Limits for a model that repeats a failing tool call with the same arguments. After `tellAfter` failures (3) the model gets a note;
   * after `stopAfter` (12) the call fails with `ToolLoop`. Other arguments, a success or a user message reset the count. `Infinity`: never.
   */
  readonly repeatedFailures?: Partial<RepeatLimits>;
  /** The output length assumed when a price is estimated and the request sets no limit. */
  readonly assumedOutputTokens?: number;
}

type Prompt = LanguageModelV4CallOptions["prompt"];

export interface ResolvedModelOptions {
  readonly timeouts: Partial<Timeouts>;
  readonly retryBeforeFallback: RetryOptions;
  readonly midStream: MidStream;
  readonly hedge: HedgeOptions | null;
  readonly minCharactersPerSecond: number;
  readonly compact: NonNullable<ModelOptions["compact"]> | null;
  readonly refreshCredential: NonNullable<ModelOptions["refreshCredential"]> | null;
  readonly regenerate: boolean;
  readonly assumedOutputTokens: number;
  readonly repeatedFailures: RepeatLimits;
}

export const RETRY_BEFORE_FALLBACK: RetryOptions = {
  maxAttempts: 2,
  backoff: { kind: "exponential", initialMs: 500, maxMs: 2_000, multiplier: 2 },
  jitter: 0.2,
  maxWaitMs: 2_000,
  maxTotalWaitMs: 4_000,
};

const hedgeAfter = described('milliseconds, or "p95"', either(oneOf(["p95"]), number(1, MAX_TIMEOUT_MS)));

export const MODEL_OPTIONS = shape<ModelOptions>({
  timeouts: timeoutsKind,
  retryBeforeFallback: group(RETRY_OPTIONS),
  midStream: oneOf(["fail", "restart", "continue"]),
  hedge: group(shape<HedgeOptions>({ after: required(hedgeAfter) })),
  minCharactersPerSecond: number(0),
  compact: callable,
  refreshCredential: callable,
  regenerate: flag,
  repeatedFailures: group(shape<RepeatLimits>({ tellAfter: whole(2), stopAfter: whole(2) })),
  assumedOutputTokens: number(0),
});

const pattern: Kind = { says: "a RegExp", fits: (value) => value instanceof RegExp };
const nothing: Kind = { says: "null", fits: (value) => value === null };

export const MODEL_TARGET_OPTIONS = shape<ModelTargetOptions>({
  model: required(having("a language model of the AI SDK", "doGenerate")),
  id: text,
  endpoint: text,
  credential: text,
  lastResort: flag,
  facts: group(
    shape<FactOverrides>({
      contextWindowTokens: number(1),
      maxOutputTokens: number(1),
      capabilities: listOf(text),
      quietMs: number(0),
      refusedParameters: listOf(text),
      refusedWhileReasoning: listOf(text),
      namespaces: listOf(text),
      signsReasoning: flag,
      bindsReasoning: flag,
      acceptsEmptyText: flag,
      toolNames: pattern,
      toolCallIds: either(pattern, nothing),
      keepsState: flag,
    }),
  ),
  timeouts: timeoutsKind,
  maxConcurrent: whole(1),
  maxPerMinute: number(0.01),
});

export function resolveModelOptions(options: ModelOptions): ResolvedModelOptions {
  return {
    timeouts: options.timeouts ?? {},
    retryBeforeFallback: over(RETRY_BEFORE_FALLBACK, options.retryBeforeFallback),
    midStream: options.midStream ?? "fail",
    hedge: options.hedge ?? null,
    minCharactersPerSecond: options.minCharactersPerSecond ?? 0,
    compact: options.compact ?? null,
    refreshCredential: options.refreshCredential ?? null,
    regenerate: options.regenerate ?? true,
    assumedOutputTokens: options.assumedOutputTokens ?? 4_096,
    repeatedFailures: over(DEFAULT_REPEAT_LIMITS, options.repeatedFailures),
  };
}
