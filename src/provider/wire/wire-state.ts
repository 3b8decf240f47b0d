// What can be known of an answer while its bytes go by: the readable side of a wire reader.

import type { Evidence } from "../../core/index.ts";

/** Tokens, in one meaning for all providers: the parts are contained in their whole. */
export interface WireUsage {
  /** All that went in, cached and newly cached tokens included. */
  readonly inputTokens: number;
  readonly cachedInputTokens: number;
  readonly cacheWriteTokens: number;
  /** Of these, those that last an hour. */
  readonly hourCacheWriteTokens: number;
  /** All that came out, reasoning included. */
  readonly outputTokens: number;
  readonly reasoningTokens: number;
  /** The tier that served it, as the provider spells it; null when it does not say. */
  readonly serviceTier: string | null;
}

/** What was too large to look at. The bytes pass all the same. */
export type LookedAway = "event" | "body" | "text";

/** Success is `isComplete` with `failure` null, unless `lookedAway` says that nobody knows. */
export interface WireState {
  /** Text, reasoning, a tool call or any other output came: from here on a failure can no longer be hidden. Refusals do not count. */
  readonly sawContent: boolean;
  readonly sawToolCall: boolean;
  /** The last that came was reasoning. */
  readonly isThinking: boolean;
  /** Moves with every piece of the answer and with nothing else; only whether it moved means something. */
  readonly progress: number;
  /** UTF-16 units of the (first) answer's text, reasoning not included. */
  readonly textLength: number;
  /** That text, if `keepText` was asked for. */
  readonly text: string | null;
  /** UTF-16 units of all that came: every answer's text, reasoning that can be read, arguments of tool calls. For estimates. */
  readonly outputLength: number;
  /** As the provider spells it. */
  readonly stopReason: string | null;
  /** The last that was said; of a stream that was cut a lower bound. */
  readonly usage: WireUsage | null;
  /** The mark came that proves a proper end, and no error beside it. Taken back when one more of several answers begins. */
  readonly isComplete: boolean;
  /** For `classify`. An error is here as soon as it is seen; a bad stop, an empty or a cut answer once `hasEnded`. */
  readonly failure: Evidence | null;
  /** The end was judged: at the protocol's last event or at `end()`. Nothing changes after it. */
  readonly hasEnded: boolean;
  /** Nothing was looked at from there on, so neither success nor failure is known. */
  readonly lookedAway: LookedAway | null;
}
