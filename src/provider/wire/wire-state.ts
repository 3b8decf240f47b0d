// The state of an answer while its bytes pass through: the read side of a wire reader.

import type { Evidence } from "../../core/index.ts";

/** Token counts with the same meaning for all providers: totals include their parts. */
export interface WireUsage {
  /** All input tokens, including cache reads and cache writes. */
  readonly inputTokens: number;
  readonly cachedInputTokens: number;
  readonly cacheWriteTokens: number;
  /** The part of these that lasts an hour. */
  readonly hourCacheWriteTokens: number;
  /** All output tokens, including reasoning. */
  readonly outputTokens: number;
  readonly reasoningTokens: number;
  /** The service tier, as the provider spells it; null if it does not say. */
  readonly serviceTier: string | null;
}

/** What was too large to inspect. The bytes still pass through. */
export type LookedAway = "event" | "body" | "text";

/** Success is `isComplete` with `failure` null. If `lookedAway` is set, the result is unknown. */
export interface WireState {
  /** Text, reasoning, a tool call or other output arrived: from here on the caller would notice a failure. Refusals do not count. */
  readonly sawContent: boolean;
  readonly sawToolCall: boolean;
  /** The last content was reasoning. */
  readonly isThinking: boolean;
  /** Changes with every piece of content and with nothing else. Only the fact that it changed is meaningful. */
  readonly progress: number;
  /** UTF-16 units of the first choice's text, without reasoning. */
  readonly textLength: number;
  /** That text, if `keepText` is set. */
  readonly text: string | null;
  /** UTF-16 units of all output: text of every choice, readable reasoning, arguments of tool calls. For estimates. */
  readonly outputLength: number;
  /** As the provider spells it. */
  readonly stopReason: string | null;
  /** The last reported usage; for a truncated stream, a lower bound. */
  readonly usage: WireUsage | null;
  /** The end mark arrived, without an error. Becomes false again if another choice starts. */
  readonly isComplete: boolean;
  /** For `classify`. An error appears as soon as it is seen; a bad stop, an empty or a truncated answer once `hasEnded`. */
  readonly failure: Evidence | null;
  /** The end was judged, at the protocol's last event or at `end()`. Nothing changes after it. */
  readonly hasEnded: boolean;
  /** Nothing was inspected from there on, so neither success nor failure is known. */
  readonly lookedAway: LookedAway | null;
}
