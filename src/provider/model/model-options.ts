// What a program may say about a chain of models, and what is meant when it says nothing. Resolved once, here.

import type { LanguageModelV4, LanguageModelV4CallOptions } from "@ai-sdk/provider";
import type { Fault } from "../../core/fault/fault.ts";
import type { RetryOptions } from "../../runtime/tool/tool.ts";
import type { FactOverrides } from "../model-facts/facts-for.ts";
import { DEFAULT_REPEAT_LIMITS, type RepeatLimits } from "../portable/repeated-calls.ts";
import type { MidStream } from "./stream-sink.ts";
import {
  callable,
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
} from "../../options/kind.ts";
import { RETRY_OPTIONS } from "../../runtime/option-shapes.ts";
import { type Timeouts, timeoutsKind } from "./timeouts.ts";

/** A model, or a model with what is special about it here. */
export type ModelTarget = LanguageModelV4 | ModelTargetOptions;

/** One model of a chain, with what is special about it. */
export interface ModelTargetOptions {
  /** A language model of the AI SDK. */
  readonly model: LanguageModelV4;
  /** Names it in events; `openai/gpt-5` when left out. */
  readonly id?: string;
  /** Where it is reached, as a base URL or a name of yours. Read from the model when left out. Targets of one endpoint fail together. */
  readonly endpoint?: string;
  /** Which key or account it uses, by a name of yours. A short hash of the key when left out. A limit on one does not hold for another. */
  readonly credential?: string;
  /** Tried even while its breaker is open, when all others are out. */
  readonly lastResort?: boolean;
  /** What it can do, where the table does not know or is wrong. */
  readonly facts?: FactOverrides;
  /** How long to wait for this model, in milliseconds. Default: as the chain has it. */
  readonly timeouts?: Partial<Timeouts>;
  /** How many requests may run at the same time. Default: no limit. */
  readonly maxConcurrent?: number;
}

/** Options of a chain of models. */
export interface ModelOptions {
  /** How long to wait for each model, in milliseconds. */
  readonly timeouts?: Partial<Timeouts>;
  /** How often and how long a target is retried while another can answer: two attempts, waits up to 2 s. The last target gets the policy's own retries. */
  readonly retryBeforeFallback?: RetryOptions;
  /**
   * What to do when a stream breaks after some of its answer has come. `fail` (the default): a typed error. `restart`: begin
   * again; the caller sees an answer only when it is whole. `continue`: another model that is able to goes on with the text.
   */
  readonly midStream?: MidStream;
  /** The slowest a stream may be, over ten seconds from its first content on. No limit when left out. */
  readonly minCharactersPerSecond?: number;
  /** Makes a prompt smaller when a model says it is too long; null when it cannot. */
  readonly compact?: (
    prompt: LanguageModelV4CallOptions["prompt"],
    about: { readonly fault: Fault; readonly signal: AbortSignal },
  ) => Prompt | null | Promise<Prompt | null>;
  /** Gets a new credential when one is refused; the models must read it from there. Called once a call. */
  readonly refreshCredential?: (about: { readonly fault: Fault; readonly signal: AbortSignal }) => void | Promise<void>;
  /** One more try, with what was wrong told to the model, when an answer is empty, cut or does not fit its schema. On by default. */
  readonly regenerate?: boolean;
  /**
   * A model that makes the same failing call in a row, with the same arguments, is told after `tellAfter` failures (3) and stopped with
   * the fault `ToolLoop` after `stopAfter` (12). Other arguments, a success or a message of a person begin a new row. `Infinity`: never.
   */
  readonly repeatedFailures?: Partial<RepeatLimits>;
  /** The most answers are taken to be when a price is guessed and the request sets no limit. */
  readonly assumedOutputTokens?: number;
}

type Prompt = LanguageModelV4CallOptions["prompt"];

export interface ResolvedModelOptions {
  readonly timeouts: Partial<Timeouts>;
  readonly retryBeforeFallback: RetryOptions;
  readonly midStream: MidStream;
  readonly minCharactersPerSecond: number;
  readonly compact: ModelOptions["compact"] | null;
  readonly refreshCredential: ModelOptions["refreshCredential"] | null;
  readonly regenerate: boolean;
  readonly assumedOutputTokens: number;
  readonly repeatedFailures: RepeatLimits;
}

const RETRY_BEFORE_FALLBACK: RetryOptions = {
  maxAttempts: 2,
  backoff: { kind: "exponential", initialMs: 500, maxMs: 2_000, multiplier: 2 },
  jitter: 0.2,
  maxWaitMs: 2_000,
  maxTotalWaitMs: 4_000,
};

export const MODEL_OPTIONS = shape<ModelOptions>({
  timeouts: timeoutsKind,
  retryBeforeFallback: group(RETRY_OPTIONS),
  midStream: oneOf(["fail", "restart", "continue"]),
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
});

export function resolveModelOptions(options: ModelOptions): ResolvedModelOptions {
  return {
    timeouts: options.timeouts ?? {},
    retryBeforeFallback: over(RETRY_BEFORE_FALLBACK, options.retryBeforeFallback),
    midStream: options.midStream ?? "fail",
    minCharactersPerSecond: options.minCharactersPerSecond ?? 0,
    compact: options.compact ?? null,
    refreshCredential: options.refreshCredential ?? null,
    regenerate: options.regenerate ?? true,
    assumedOutputTokens: options.assumedOutputTokens ?? 4_096,
    repeatedFailures: over(DEFAULT_REPEAT_LIMITS, options.repeatedFailures),
  };
}
