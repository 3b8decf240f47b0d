// One model of a chain, and the parts of an attempt at it: a running cost and a way to abort.

import type { LanguageModelV4, LanguageModelV4CallOptions, LanguageModelV4Usage } from "@ai-sdk/provider";
import type { Fault } from "../../core/fault/fault.ts";
import { isA } from "../../core/try-read.ts";
import type { Clock } from "../../host/clock.ts";
import type { RunContext } from "../../runtime/tool/tool.ts";
import { outgoingHeaders } from "../../telemetry/otel.ts";
import { askedTier, costOfAnswer, type Seen, servedTier } from "../price/cost.ts";
import type { Price } from "../price/price-table.ts";
import type { ModelRequest } from "./model-request.ts";
import type { ModelTimeouts } from "./watch.ts";

export interface Upstream {
  readonly model: LanguageModelV4;
  readonly provider: string;
  readonly clock: Clock;
  readonly timeouts: ModelTimeouts;
  /** 0: no limit. */
  readonly minCharactersPerSecond: number;
  /** null when there is no price. */
  readonly price: Price | null;
  /** A session records the answers in its journal, so they must be plain data. */
  readonly isKept: boolean;
}

/** The options with headers that tell the other side which trace the request belongs to. Headers of the caller come first. */
export function withTrace<Options extends Pick<LanguageModelV4CallOptions, "headers">>(options: Options): Options {
  const trace = outgoingHeaders();
  return Object.keys(trace).length === 0 ? options : { ...options, headers: { ...trace, ...options.headers } };
}

/** Reports what an attempt costs, while it runs and when it has ended. */
export class Meter {
  private readonly upstream: Upstream;
  private readonly request: ModelRequest;
  private readonly context: RunContext;
  /** Characters of the answer that are sent with the request. */
  private readonly continuedCharacters: number;

  constructor(upstream: Upstream, request: ModelRequest, context: RunContext) {
    this.upstream = upstream;
    this.request = request;
    this.context = context;
    this.continuedCharacters = request.sink?.continuable?.length ?? 0;
  }

  /** Called with the length of the answer streamed so far. */
  streamed(outputCharacters: number): void {
    const microcents = this.estimate(outputCharacters);
    if (microcents !== null) this.context.costSoFar(microcents);
  }

  /** Called with the provider's usage. `isWhole`: the provider reported it at a proper end. */
  answered(usage: LanguageModelV4Usage, metadata: Metadata | undefined, isWhole: boolean, characters: number): void {
    const { price, model } = this.upstream;
    this.context.tokens({ inputTokens: usage.inputTokens.total, outputTokens: usage.outputTokens.total });
    if (price === null) return;
    const tier = servedTier(model.provider, this.request.options, usage, metadata);
    const { microcents, basis } = costOfAnswer(usage, isWhole, this.seen(characters), price, tier);
    this.context.cost(microcents, basis);
  }

  /**
   * Called when the attempt failed without a usage. A request that was rejected or never sent costs nothing. One that was cut,
   * aborted or left unanswered costs what was sent and received.
   */
  failed(error: unknown, outputCharacters: number): void {
    const { status, sent } = this.context.classify(error).context;
    const isRefused = (typeof status === "number" && status >= 400) || sent === false;
    const isFree = outputCharacters === 0 && isRefused;
    const microcents = isFree ? 0 : this.estimate(outputCharacters);
    if (microcents !== null) this.context.cost(microcents, isFree ? "reported" : "estimated");
  }

  private estimate(outputCharacters: number): number | null {
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

/** The message of an attempt when another attempt of its call has answered first. */
export const OUTRUN = "another attempt of this call has answered first";

/** Aborts an upstream at any point: before it has begun to answer, or while a read hangs. */
export class UpstreamAbort {
  private readonly controller = new AbortController();
  private reject: (reason: unknown) => void = nothing;
  /** Called when the upstream is aborted. */
  onAbort: (reason: Error) => void = nothing;
  /** The timeout that aborted it, if any. */
  late: Fault | null = null;
  error: Error | null = null;

  get signal(): AbortSignal {
    return this.controller.signal;
  }

  /** Resolves with the answer, or rejects if the upstream is aborted first. */
  orAbort<Answer>(answer: PromiseLike<Answer>): Promise<Answer> {
    return new Promise((resolve, reject) => {
      this.reject = reject;
      answer.then(resolve, reject);
    });
  }

  abort(late: Fault | null, reason: unknown): void {
    if (this.controller.signal.aborted) return;
    this.late = late;
    this.error = isA(reason, Error) ? reason : new Error("given up", { cause: reason });
    this.controller.abort(reason);
    this.reject(reason);
    this.onAbort(this.error);
  }
}

const nothing = (): void => undefined;
