// What a program may say about a chain of models, and what is meant when it says nothing. Resolved once, here.

import type { LanguageModelV4, LanguageModelV4CallOptions } from "@ai-sdk/provider";
import { FaultError } from "../../core/fault/fault-error.ts";
import { fault, type Fault } from "../../core/fault/fault.ts";
import type { Retry } from "../../core/policy/policy.ts";
import { retryOf, type RetryOptions } from "../../runtime/tool/tool.ts";
import type { FactOverrides } from "../model-facts/facts-for.ts";
import type { MidStream } from "./stream-sink.ts";
import type { Timeouts } from "./watch.ts";

/** A model, or a model with what is special about it here. */
export type ModelTarget = LanguageModelV4 | ModelTargetOptions;

export interface ModelTargetOptions {
  readonly model: LanguageModelV4;
  /** Names it in events; `openai/gpt-5` when left out. */
  readonly id?: string;
  /** Which key or account it uses, by a name of yours: a limit on one does not hold for another. */
  readonly credential?: string;
  /** Tried even while its breaker is open, when all others are out. */
  readonly lastResort?: boolean;
  /** What it can do, where the table does not know or is wrong. */
  readonly facts?: FactOverrides;
  readonly timeouts?: Partial<Timeouts>;
  readonly maxConcurrent?: number;
}

export interface ModelOptions {
  readonly timeouts?: Partial<Timeouts>;
  /** How patient one is with a target while another can be had. With the last one the policy's own patience applies. */
  readonly hurried?: RetryOptions;
  /**
   * What to do when a stream breaks after the caller has seen some of it. `fail` (the default): a typed error. `restart`: begin
   * anew after telling `onDiscard`. `continue`: another model that is able to goes on with the text.
   */
  readonly midStream?: MidStream;
  /** Needed for `restart`: what has been seen of the stream is void, the answer begins again. */
  readonly onDiscard?: () => void;
  /** Makes a prompt smaller when a model says it is too long; null when it cannot. */
  readonly compact?: (
    prompt: LanguageModelV4CallOptions["prompt"],
    about: { readonly fault: Fault; readonly signal: AbortSignal },
  ) => Prompt | null | Promise<Prompt | null>;
  /** Gets a new credential when one is refused; the models must read it from there. Called once a call. */
  readonly refreshCredential?: (about: { readonly fault: Fault; readonly signal: AbortSignal }) => void | Promise<void>;
  /** One more try, with what was wrong told to the model, when an answer is empty, cut or does not fit its schema. On by default. */
  readonly regenerate?: boolean;
  /** The most answers are taken to be when a price is guessed and the request sets no limit. */
  readonly assumedOutputTokens?: number;
}

type Prompt = LanguageModelV4CallOptions["prompt"];

export interface ResolvedModelOptions {
  readonly timeouts: Timeouts;
  readonly hurried: Retry;
  readonly midStream: MidStream;
  readonly onDiscard: () => void;
  readonly compact: ModelOptions["compact"] | null;
  readonly refreshCredential: ModelOptions["refreshCredential"] | null;
  readonly regenerate: boolean;
  readonly assumedOutputTokens: number;
}

/** Some SDKs hand a stream over only with its first content, so headers get as long as that. */
const DEFAULT_TIMEOUTS: Timeouts = { headersMs: 120_000, firstTokenMs: 120_000, idleMs: 60_000, totalMs: 600_000 };

const DEFAULT_HURRY: RetryOptions = {
  maxAttempts: 2,
  backoff: { kind: "exponential", initialMs: 500, maxMs: 2_000, multiplier: 2 },
  jitter: 0.2,
  maxWaitMs: 2_000,
  maxTotalWaitMs: 4_000,
};

export function resolveModelOptions(options: ModelOptions): ResolvedModelOptions {
  const midStream = options.midStream ?? "fail";
  if (!["fail", "restart", "continue"].includes(midStream)) {
    throw invalid("midStream", `midStream is ${JSON.stringify(midStream)}; there are fail, restart, continue`);
  }
  if (midStream === "restart" && options.onDiscard === undefined) {
    throw invalid(
      "onDiscard",
      "midStream: restart needs onDiscard: the caller has to be told to forget what it has seen",
    );
  }
  return {
    timeouts: timeoutsOf({ ...DEFAULT_TIMEOUTS, ...options.timeouts }),
    hurried: retryOf({ ...DEFAULT_HURRY, ...options.hurried }),
    midStream,
    onDiscard: options.onDiscard ?? (() => undefined),
    compact: options.compact ?? null,
    refreshCredential: options.refreshCredential ?? null,
    regenerate: options.regenerate ?? true,
    assumedOutputTokens: options.assumedOutputTokens ?? 4_096,
  };
}

export function timeoutsOf(timeouts: Timeouts): Timeouts {
  for (const [name, value] of Object.entries(timeouts) as [string, unknown][]) {
    if (typeof value === "number" && value > 0) continue;
    throw invalid(`timeouts.${name}`, `timeouts.${name} is ${String(value)}; it must be a number above 0`);
  }
  return timeouts;
}

export function invalid(field: string, message: string): FaultError {
  return new FaultError(fault("ConfigSchemaViolation", { message, context: { field } }));
}
