// One model of a chain, with what an attempt at it needs.

import type { LanguageModelV4, LanguageModelV4CallOptions, LanguageModelV4Usage } from "@ai-sdk/provider";
import { classify } from "../../core/classify/classify.ts";
import type { Clock } from "../../host/clock.ts";
import type { RunContext } from "../../runtime/tool/tool.ts";
import type { ModelRequest } from "./model-request.ts";
import type { Timeouts } from "./watch.ts";

export interface Upstream {
  readonly model: LanguageModelV4;
  readonly provider: string;
  readonly clock: Clock;
  readonly timeouts: Timeouts;
  /** In micro-cents; null when there is no price. */
  readonly costOf: (usage: LanguageModelV4Usage) => number | null;
  /** What so much of an answer has cost, when nobody said; null when there is no price. */
  readonly guessCost: (options: LanguageModelV4CallOptions, outputCharacters: number) => number | null;
  /** Answers are kept in a session's journal, so they must be plain data. */
  readonly isKept: boolean;
  /** Told before an attempt that makes the caller forget what it has seen. */
  readonly discarded: () => void;
}

export function tellCost({ costOf }: Upstream, context: RunContext, usage: LanguageModelV4Usage): void {
  const microcents = costOf(usage);
  if (microcents !== null) context.cost(microcents);
}

/**
 * What an attempt without a usage has cost. A request that was refused with an error costs nothing; one that was cut, given up
 * or left without an answer has cost something, and nobody says how much.
 */
export function tellUnansweredCost(
  { guessCost, provider }: Upstream,
  { options }: ModelRequest,
  context: RunContext,
  error: unknown,
  outputCharacters: number,
): void {
  const { context: seen } = classify({ surface: "http", provider, error });
  const isRefused = outputCharacters === 0 && typeof seen["status"] === "number" && seen["status"] >= 400;
  const microcents = isRefused ? 0 : guessCost(options, outputCharacters);
  if (microcents !== null) context.cost(microcents, isRefused ? "reported" : "estimated");
}
