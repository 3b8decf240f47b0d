// What is known of a run of an agent CLI at any moment. The parser writes it, everybody else reads it.

import type { AgentError, AgentRetry, AgentUsage } from "../event/agent-event.ts";

/** The CLIs whose output we read; `generic` is any command, whose answer is what it prints. */
export const AGENT_KINDS = ["claude", "codex", "gemini", "opencode", "qwen", "goose", "generic"] as const;
/** The agent CLIs that Faultline can read. */
export type AgentKind = (typeof AGENT_KINDS)[number];

export interface PermissionDenial {
  readonly tool: string;
  /** The CLI's words; empty when it gave none. */
  readonly reason: string;
}

/** Lines that were not understood: how many, and the first few, shortened. */
export interface LineLog {
  readonly count: number;
  readonly first: readonly string[];
}

/** An error with what the classifier can read beside its words: headers and body of a response, identifiers. */
export interface RecordedError extends AgentError {
  readonly detail: Readonly<Record<string, unknown>> | null;
}

/** A usage limit that was said apart from the error it causes. */
export interface UsageLimit {
  readonly window: string;
  readonly resetAt: number | null;
}

export interface AgentState {
  /** The answer as far as it is known; of attempts that the CLI repeated, the last. */
  readonly text: string;
  readonly sessionId: string | null;
  readonly model: string | null;
  readonly usage: AgentUsage | null;
  readonly costUsd: number | null;
  /** True where the number is of the whole session: subtract what was known before this run. */
  readonly cumulative: { readonly usage: boolean; readonly cost: boolean };
  readonly numTurns: number | null;
  readonly apiDurationMs: number | null;
  readonly stopReason: string | null;
  readonly permissionDenials: readonly PermissionDenial[];
  /** Denials since the last tool that was let run: three in a row are a loop. */
  readonly consecutiveDenials: number;
  /** A tool is at work: silence means nothing. */
  readonly toolRunning: boolean;
  readonly lastError: RecordedError | null;
  /** The CLI's own retry that has not been followed by output. */
  readonly lastRetry: AgentRetry | null;
  /** How often in a row it has announced to try again. */
  readonly ownRetries: number;
  readonly limit: UsageLimit | null;
  /** The line that proves a proper end was there. */
  readonly sawResult: boolean;
  /** Nothing on stdout was an event: the CLI runs in text mode, and the text is what it printed. */
  readonly isPlainText: boolean;
  /** Its stderr also holds the prompt and the model's prose: only marked error lines of it may be read. */
  readonly hasTranscriptOnStderr: boolean;
  /** Steps in a row that ended for no known reason; a CLI may go on like this for ever. */
  readonly stalledSteps: number;
  /** How often in a row it said that it waits for the network, in a run that has done nothing yet. */
  readonly networkWaits: number;
  readonly unknownLines: LineLog;
  readonly brokenLines: LineLog;
}
