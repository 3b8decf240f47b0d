// One model of a chain, with what an attempt at it needs.

import type { LanguageModelV4, LanguageModelV4CallOptions, LanguageModelV4Usage } from "@ai-sdk/provider";
import { classify } from "../../core/classify/classify.ts";
import type { Clock } from "../../host/clock.ts";
import type { RunContext } from "../../runtime/tool/tool.ts";
import { estimateTokens } from "../model-facts/needs-of.ts";
import { costOfAnswer, type Seen } from "../price/cost.ts";
import type { Price } from "../price/price-table.ts";
import { askedTier, servedTier } from "../price/service-tier.ts";
import type { ModelTimeouts } from "./timeouts.ts";

export interface Upstream {
  readonly model: LanguageModelV4;
  readonly provider: string;
  readonly clock: Clock;
  readonly timeouts: ModelTimeouts;
  /** Characters a second, of a stream; 0 when any speed will do. */
  readonly leastPerSecond: number;
  /** null when there is no price. */
  readonly price: Price | null;
  /** Answers are kept in a session's journal, so they must be plain data. */
  readonly isKept: boolean;
}

/** What an attempt costs, told as it goes and when it has ended. */
export class Meter {
  private readonly upstream: Upstream;
  private readonly asked: LanguageModelV4CallOptions;
  private readonly context: RunContext;
  private inputTokens: number | null = null;

  constructor(upstream: Upstream, asked: LanguageModelV4CallOptions, context: RunContext) {
    this.upstream = upstream;
    this.asked = asked;
    this.context = context;
  }

  /** So much of a streamed answer has come. */
  came(outputCharacters: number): void {
    const microcents = this.guess(outputCharacters);
    if (microcents !== null) this.context.costSoFar(microcents);
  }

  /** It was answered, and this is what the provider said about it. `isWhole`: it said so at a proper end. */
  answered(usage: LanguageModelV4Usage, metadata: Metadata | undefined, isWhole: boolean, characters: number): void {
    const { price, model } = this.upstream;
    if (price === null) return;
    const tier = servedTier(model.provider, this.asked, usage, metadata);
    const { microcents, basis } = costOfAnswer(usage, isWhole, this.seen(characters), price, tier);
    this.context.cost(microcents, basis);
  }

  /**
   * It failed without a usage. A request that was refused with an error, or that never went out, costs nothing; one that was cut,
   * given up or left without an answer has cost what went out and what came.
   */
  failed(error: unknown, outputCharacters: number): void {
    const { context } = classify({ surface: "http", provider: this.upstream.provider, error });
    const { status, sent } = context;
    const isRefused = (typeof status === "number" && status >= 400) || sent === false;
    const isFree = outputCharacters === 0 && isRefused;
    const microcents = isFree ? 0 : this.guess(outputCharacters);
    if (microcents !== null) this.context.cost(microcents, isFree ? "reported" : "estimated");
  }

  private guess(outputCharacters: number): number | null {
    const { price, model } = this.upstream;
    if (price === null) return null;
    const tier = askedTier(model.provider, this.asked);
    return costOfAnswer(null, false, this.seen(outputCharacters), price, tier).microcents;
  }

  private seen(outputCharacters: number): Seen {
    return { inputTokens: () => (this.inputTokens ??= estimateTokens(this.asked)), outputCharacters };
  }
}

type Metadata = Readonly<Record<string, unknown>>;
