// The state of an agent CLI run. The parser writes it; all other code only reads it.

import type { AgentError, AgentRetry, AgentUsage } from "../event/agent-event.ts";

/** The CLIs whose output Faultline can parse. `generic` is any command; its output is the answer. */
export const AGENT_KINDS = ["claude", "codex", "gemini", "opencode", "qwen", "goose", "generic"] as const;
/** The agent CLIs that Faultline can read. */
export type AgentKind = (typeof AGENT_KINDS)[number];

export interface PermissionDenial {
  readonly tool: string;
  /** The CLI's message; empty if it gave none. */
  readonly reason: string;
}

/** Lines that could not be parsed: how many, and the first few, shortened. */
export interface LineLog {
  readonly count: number;
  readonly first: readonly string[];
}

/** An error with further evidence for the classifier: headers and body of a response, identifiers. */
export interface RecordedError extends AgentError {
  readonly detail: Readonly<Record<string, unknown>> | null;
}

/** A usage limit that the CLI reported separately from the error it causes. */
export interface UsageLimit {
  readonly window: string;
  readonly resetAt: number | null;
}

export interface AgentState {
  /** The answer so far. If the CLI repeated an attempt, the last one counts. */
  readonly text: string;
  readonly sessionId: string | null;
  readonly model: string | null;
  readonly usage: AgentUsage | null;
  readonly costUsd: number | null;
  /** True if the number is for the whole session: subtract the value from before this run. */
  readonly cumulative: { readonly usage: boolean; readonly cost: boolean };
  readonly numTurns: number | null;
  readonly apiDurationMs: number | null;
  readonly stopReason: string | null;
  readonly permissionDenials: readonly PermissionDenial[];
  /** Denials since the last tool that was allowed to run. Three in a row are a loop. */
  readonly consecutiveDenials: number;
  /** A tool is running, so silence means nothing. */
  readonly toolRunning: boolean;
  readonly lastError: RecordedError | null;
  /** The CLI's own retry, if no output has followed it yet. */
  readonly lastRetry: AgentRetry | null;
  /** How many retries in a row the CLI has announced. */
  readonly ownRetries: number;
  readonly limit: UsageLimit | null;
  /** The line that proves a proper end was read. */
  readonly sawResult: boolean;
  /** stdout contained no event: the CLI runs in text mode, and its output is the text. */
  readonly isPlainText: boolean;
  /** Its stderr also contains the prompt and the model's text, so only marked error lines may be read. */
  readonly hasTranscriptOnStderr: boolean;
  /** Steps in a row that ended for an unknown reason. A CLI may repeat this forever. */
  readonly stalledSteps: number;
  /** How often in a row it reported that it waits for the network, in a run that has done nothing yet. */
  readonly networkWaits: number;
  readonly unknownLines: LineLog;
  readonly brokenLines: LineLog;
}
