// One model of a chain, and what an attempt at it needs: its price as it runs, and a way to give it up.

import type { LanguageModelV4, LanguageModelV4Usage } from "@ai-sdk/provider";
import type { Fault } from "../../core/fault/fault.ts";
import { isA } from "../../core/try-read.ts";
import type { Clock } from "../../host/clock.ts";
import type { RunContext } from "../../runtime/tool/tool.ts";
import { costOfAnswer, type Seen } from "../price/cost.ts";
import type { Price } from "../price/price-table.ts";
import { askedTier, servedTier } from "../price/service-tier.ts";
import type { ModelRequest } from "./model-request.ts";
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
  private readonly request: ModelRequest;
  private readonly context: RunContext;
  /** Characters of the answer that go out with the request. */
  private readonly continuedCharacters: number;

  constructor(upstream: Upstream, request: ModelRequest, context: RunContext) {
    this.upstream = upstream;
    this.request = request;
    this.context = context;
    this.continuedCharacters = request.sink?.continuable?.length ?? 0;
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
    const tier = servedTier(model.provider, this.request.options, usage, metadata);
    const { microcents, basis } = costOfAnswer(usage, isWhole, this.seen(characters), price, tier);
    this.context.cost(microcents, basis);
  }

  /**
   * It failed without a usage. A request that was refused with an error, or that never went out, costs nothing; one that was cut,
   * given up or left without an answer has cost what went out and what came.
   */
  failed(error: unknown, outputCharacters: number): void {
    const { status, sent } = this.context.classify(error).context;
    const isRefused = (typeof status === "number" && status >= 400) || sent === false;
    const isFree = outputCharacters === 0 && isRefused;
    const microcents = isFree ? 0 : this.guess(outputCharacters);
    if (microcents !== null) this.context.cost(microcents, isFree ? "reported" : "estimated");
  }

  private guess(outputCharacters: number): number | null {
    const { price, model } = this.upstream;
    if (price === null) return null;
    const tier = askedTier(model.provider, this.request.options);
    return costOfAnswer(null, false, this.seen(outputCharacters), price, tier).microcents;
  }

  private seen(outputCharacters: number): Seen {
    return { inputTokens: () => this.request.tokens(this.continuedCharacters), outputCharacters };
  }
}

type Metadata = Readonly<Record<string, unknown>>;

/** Gives an upstream up at any point: before it has begun to answer, or while a read of it hangs. */
export class UpstreamAbort<Answer> {
  private readonly stop = new AbortController();
  private reject: (reason: unknown) => void = nothing;
  /** Told when it is given up. */
  whenLeft: (reason: Error) => void = nothing;
  /** Why the clock gave it up; null when it did not. */
  late: Fault | null = null;
  error: Error | null = null;

  get signal(): AbortSignal {
    return this.stop.signal;
  }

  /** What it answers, unless it is given up first. */
  orLeave(answer: PromiseLike<Answer>): Promise<Answer> {
    return new Promise((resolve, reject) => {
      this.reject = reject;
      answer.then(resolve, reject);
    });
  }

  leave(late: Fault | null, reason: unknown): void {
    if (this.stop.signal.aborted) return;
    this.late = late;
    this.error = isA(reason, Error) ? reason : new Error("given up", { cause: reason });
    this.stop.abort(reason);
    this.reject(reason);
    this.whenLeft(this.error);
  }
}

const nothing = (): void => undefined;
