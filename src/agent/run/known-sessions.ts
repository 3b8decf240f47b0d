// What is known about the sessions of agent CLIs, which outlive the runs in them.

import type { AgentRunResult } from "./agent-request.ts";

const MAX_SESSIONS = 1_000;

interface KnownSession {
  readonly costUsd: number;
  /** The last answer of a run that succeeded. */
  readonly text: string;
}

export class KnownSessions {
  readonly #known = new Map<string, KnownSession>();

  /** What the session has cost so far: some CLIs report the cost of the session, not of the run. */
  costOf(sessionId: string | null): number {
    return this.#known.get(sessionId ?? "")?.costUsd ?? 0;
  }

  textOf(sessionId: string): string {
    return this.#known.get(sessionId)?.text ?? "";
  }

  /** A failed run has also cost something, but its text is not an answer. A failed run may report less than the session has cost. */
  note({ sessionId, totalCostUsd, text, errorSubtype }: AgentRunResult): void {
    if (sessionId === null) return;
    const costUsd = Math.max(this.costOf(sessionId), totalCostUsd ?? 0);
    const known = { costUsd, text: errorSubtype === null ? text : this.textOf(sessionId) };
    this.#known.delete(sessionId);
    this.#known.set(sessionId, known);
    for (const oldest of this.#known.keys()) {
      if (this.#known.size <= MAX_SESSIONS) break;
      this.#known.delete(oldest);
    }
  }
}
