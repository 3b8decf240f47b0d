// What an agent is asked, and what comes of it: the fields of a run as channels expect them.

import type { ErrorCategory } from "../../core/fault/vocabulary.ts";
import type { ChainRequest } from "../../runtime/tool/tool.ts";
import type { AgentEvent, AgentUsage } from "../event/agent-event.ts";
import type { PermissionDenial } from "../parse/agent-state.ts";

/** An event of the run, or word that another attempt begins: what was said before it is void. */
export type AgentRunEvent =
  | AgentEvent
  | { readonly type: "attempt"; readonly target: string; readonly attempt: number };

/** Which of its two streams a process printed a line on. */
export type OutputStream = "stdout" | "stderr";

/** How a process ended by its own account; both are null when it never ran. */
export interface AgentExit {
  readonly exitCode: number | null;
  readonly signal: string | null;
}

/** Whoever reads along. Called while the CLI runs, so they must be quick. */
export interface AgentListeners {
  readonly onEvent: (event: AgentRunEvent) => void;
  /** A promise asks for time: until it is settled, nothing more of that stream is read. */
  readonly onLine: (stream: OutputStream, line: string) => Promise<void> | void;
  /** Every byte, as it was printed. A promise asks for time; "closed" closes the pipe of the process. */
  readonly onBytes: (stream: OutputStream, chunk: Uint8Array) => Promise<void> | "closed" | undefined;
  readonly onExit: (exit: AgentExit) => void;
  /** What each run came to, whether it worked or not. */
  readonly onResult: (result: AgentRunResult) => void;
}

/** What a run of an agent came to: its answer, what it used and what it did. */
export interface AgentRunResult {
  readonly text: string;
  /** null when the CLI named none. */
  readonly sessionId: string | null;
  readonly durationMs: number;
  readonly usage: AgentUsage | null;
  readonly aborted: boolean;
  /** The end of what it said beside its answer. */
  readonly stderr: string;
  readonly totalCostUsd: number | null;
  readonly apiDurationMs: number | null;
  readonly numTurns: number | null;
  readonly stopReason: string | null;
  /** Why it failed, in the five categories of the CLI error classifier; null for a run that worked. */
  readonly errorSubtype: ErrorCategory | null;
  readonly permissionDenials: readonly PermissionDenial[];
  /** The CLI that ran. */
  readonly target: string;
}

export class AgentRequest implements ChainRequest {
  readonly prompt: string;
  /** The session to go on with, by target: a CLI cannot resume another one's. */
  readonly sessions: Readonly<Record<string, string>>;
  readonly listeners: AgentListeners;

  constructor(prompt: string, sessions: Readonly<Record<string, string>>, listeners: AgentListeners) {
    this.prompt = prompt;
    this.sessions = sessions;
    this.listeners = listeners;
  }

  get isResuming(): boolean {
    return Object.keys(this.sessions).length > 0;
  }

  /** The same in a fresh session, with what has to be known from the old one. */
  afresh(summary: string): AgentRequest {
    return new AgentRequest(`${summary}\n\n${this.prompt}`, {}, this.listeners);
  }

  revived(kept: unknown): AgentRequest {
    const { prompt, sessions } = kept as Pick<AgentRequest, "prompt" | "sessions">;
    return new AgentRequest(prompt, sessions, this.listeners);
  }

  toJSON(): unknown {
    return { prompt: this.prompt, sessions: this.sessions };
  }
}
