// The events of a running agent CLI, with the same vocabulary for every CLI. They are plain data, so they can be stored, sent and compared.

/** Tokens of a run. `input` excludes cache reads and cache writes, so that each part can be priced separately. */
export interface AgentUsage {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
}

/** The CLI retries by itself, so the run has not failed yet. Fields that the CLI did not report are null. */
export interface AgentRetry {
  readonly attempt: number | null;
  readonly of: number | null;
  readonly delayMs: number | null;
  readonly reason: string;
  readonly status: number | null;
}

export interface AgentError {
  /** The CLI's own error message, never a model's text. */
  readonly message: string;
  readonly status: number | null;
  /** The CLI's error identifier, such as `authentication_failed` or `ContextOverflowError`. */
  readonly code: string | null;
  /** The run ends with this error. The CLI may recover from an error that is not final. */
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
      /** When the limit resets (epoch milliseconds). */
      readonly resetAt: number | null;
    }
  | ({ readonly type: "error" } & AgentError)
  | { readonly type: "finished"; readonly isError: boolean; readonly stopReason: string | null };
