// What an agent CLI says while it works, in one vocabulary for all of them. Plain data: it can be kept, sent and compared.

/** Tokens of a run. `input` is what was sent and neither read from nor written to a cache, so that the parts can be priced apart. */
export interface AgentUsage {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
}

/** The CLI tries again by itself; nothing has failed for us yet. What is null was not said. */
export interface AgentRetry {
  readonly attempt: number | null;
  readonly of: number | null;
  readonly delayMs: number | null;
  readonly reason: string;
  readonly status: number | null;
}

export interface AgentError {
  /** The CLI's own words about a failure, never a model's prose. */
  readonly message: string;
  readonly status: number | null;
  /** The identifier it gave, such as `authentication_failed` or `ContextOverflowError`. */
  readonly code: string | null;
  /** The run ends with it. An error that is not final may have been recovered from. */
  readonly isFinal: boolean;
}

export type NoticeAbout = "rate-limit" | "model-fallback" | "warning";

/** Something that an agent CLI reported while it ran, the same for every CLI. */
export type AgentEvent =
  | { readonly type: "started"; readonly sessionId: string | null; readonly model: string | null }
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "thinking"; readonly text: string }
  | { readonly type: "tool-use"; readonly id: string; readonly name: string }
  | { readonly type: "tool-result"; readonly id: string; readonly isError: boolean; readonly isDenied: boolean }
  | { readonly type: "usage"; readonly usage: AgentUsage }
  | ({ readonly type: "retrying" } & AgentRetry)
  | {
      readonly type: "notice";
      readonly about: NoticeAbout;
      readonly message: string;
      /** When the limit it speaks of lifts (epoch milliseconds). */
      readonly resetAt: number | null;
    }
  | ({ readonly type: "error" } & AgentError)
  | { readonly type: "finished"; readonly isError: boolean; readonly stopReason: string | null };
