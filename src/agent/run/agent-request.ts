// The request to an agent and the result of a run, with the fields that channels expect.

import type { Fault } from "../../core/fault/fault.ts";
import { type ErrorCategory, VOCABULARY } from "../../core/fault/vocabulary.ts";
import type { ChainRequest } from "../../runtime/tool/tool.ts";
import type { AgentEvent, AgentUsage } from "../event/agent-event.ts";
import type { PermissionDenial } from "../parse/agent-state.ts";

/** An event of the run, or the start of another attempt, which voids the events before it. */
export type AgentRunEvent =
  | AgentEvent
  | { readonly type: "attempt"; readonly target: string; readonly attempt: number };

/** Which of its two streams a process printed a line on. */
export type OutputStream = "stdout" | "stderr";

/** How a process ended; both fields are null if it never ran. */
export interface AgentExit {
  readonly exitCode: number | null;
  readonly signal: string | null;
}

/** Listeners of a run. They are called while the CLI runs, so they must be quick. */
export interface AgentListeners {
  readonly onEvent: (event: AgentRunEvent) => void;
  /** If it returns a promise, reading of that stream pauses until the promise settles. */
  readonly onLine: (stream: OutputStream, line: string) => Promise<void> | void;
  /** Gets every byte, unchanged. If it returns a promise, reading pauses; "closed" closes the pipe of the process. */
  readonly onBytes: (stream: OutputStream, chunk: Uint8Array) => Promise<void> | "closed" | undefined;
  readonly onExit: (exit: AgentExit) => void;
  /** Gets the result of each run, successful or not. */
  readonly onResult: (result: AgentRunResult) => void;
}

/** The result of an agent run: its answer, its usage and what it did. */
export interface AgentRunResult {
  readonly text: string;
  /** null if the CLI reported none. */
  readonly sessionId: string | null;
  readonly durationMs: number;
  readonly usage: AgentUsage | null;
  readonly aborted: boolean;
  /** The end of its stderr. */
  readonly stderr: string;
  readonly totalCostUsd: number | null;
  readonly apiDurationMs: number | null;
  readonly numTurns: number | null;
  readonly stopReason: string | null;
  /** Why it failed, as one of the five categories of the CLI error classifier; null for a successful run. */
  readonly errorSubtype: ErrorCategory | null;
  readonly permissionDenials: readonly PermissionDenial[];
  /** The CLI that ran. */
  readonly target: string;
}

/** The category of a fault. One with a phase comes from the watchdog, so it is a timeout; others are mapped by their code. */
export function errorSubtypeOf({ code, context }: Fault): ErrorCategory {
  return context["phase"] === undefined ? VOCABULARY[code].cli : "timeout";
}

export class AgentRequest implements ChainRequest {
  readonly prompt: string;
  /** The session to resume, by target: a CLI cannot resume another CLI's session. */
  readonly sessions: Readonly<Record<string, string>>;
  readonly listeners: AgentListeners;

  constructor(prompt: string, sessions: Readonly<Record<string, string>>, listeners: AgentListeners) {
    this.prompt = prompt;
    this.sessions = sessions;
    this.listeners = listeners;
  }

  /** The same request in a new session of this target, which begins with a summary of the old session. */
  inNewSession(target: string, summary: string): AgentRequest {
    const { [target]: _old, ...others } = this.sessions;
    return new AgentRequest(`${summary}\n\n${this.prompt}`, others, this.listeners);
  }

  revived(kept: unknown): AgentRequest {
    const { prompt, sessions } = kept as Pick<AgentRequest, "prompt" | "sessions">;
    return new AgentRequest(prompt, sessions, this.listeners);
  }

  toJSON(): unknown {
    return { prompt: this.prompt, sessions: this.sessions };
  }
}
