// What a failure looked like from outside, before it was classified. Every field is optional and none is trusted:
// adapters put in what they saw, `readSignals` takes out what can be recognised.

/** Where the failure was seen. */
export const SURFACES = ["http", "sse", "node", "cli", "tool", "mcp", "schema", "stop", "store"] as const;
/** Where a failure was seen. */
export type Surface = (typeof SURFACES)[number];

/** What was cancelled: a session, a turn or a tool. */
export type CancelScope = "session" | "turn" | "tool";

/** What a program saw of a failure. Give what you have; everything but `surface` may be left out. */
export interface Evidence {
  readonly surface: Surface;
  /** Who it came from: `openai`, `anthropic`, `claude-cli` … */
  readonly provider?: string | null | undefined;
  /** The caller's own signal had fired. This decides before anything else is looked at. */
  readonly aborted?: boolean | CancelScope | undefined;
  readonly status?: number | undefined;
  /** Anything that holds headers: a Headers object, a Map, a plain object in any letter case. */
  readonly headers?: unknown;
  /** The body of a response or event: text, parsed JSON, or whatever came. */
  readonly body?: unknown;
  /** Error text: stderr, an error's message. Never a model's prose. */
  readonly message?: string | undefined;
  /** A thrown value: an Error with its causes, an SDK's error, a string. */
  readonly error?: unknown;
  /** An errno such as `ECONNRESET`. */
  readonly code?: string | undefined;
  readonly exitCode?: number | null | undefined;
  readonly signal?: string | null | undefined;
  /** Why a model stopped, e.g. `max_tokens`. */
  readonly stopReason?: string | undefined;
  /** When it was seen (epoch milliseconds): turns "at 5pm" and HTTP dates into times. */
  readonly observedAt?: number | undefined;
}
