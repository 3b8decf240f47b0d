// Between a channel — a chat, an issue, a terminal — and agent CLIs: one session per channel, failures acted upon, and a result that
// always says how it went.
// B1  a run that failed never replaces the session of one that worked.
// B2  the messages of one channel run one after another.

import type { Fault } from "../../core/fault/fault.ts";
import { VOCABULARY } from "../../core/fault/vocabulary.ts";
import { hasValue, type Outcome } from "../../runtime/call/outcome.ts";
import type { Agent, AgentRunOptions } from "./agent.ts";
import type { AgentRunResult } from "./agent-request.ts";

/** What `ChannelBridge` gives back. */
export interface BridgeResult extends AgentRunResult {
  /** What went wrong; null when nothing did. */
  readonly fault: Fault | null;
}

/** Runs agent CLIs for a chat channel and gives results in that channel's words. */
export class ChannelBridge {
  readonly #agent: Agent;
  readonly #sessions = new Map<string, Readonly<Record<string, string>>>();
  readonly #running = new Map<string, Promise<unknown>>();

  constructor(agent: Agent) {
    this.#agent = agent;
  }

  /** The sessions a channel goes on with, by target. */
  sessionsOf(channel: string): Readonly<Record<string, string>> {
    return this.#sessions.get(channel) ?? {};
  }

  /** The next message of the channel begins anew. */
  forget(channel: string): void {
    this.#sessions.delete(channel);
  }

  /** Never rejects for a failing CLI: the result says what it was. */
  async handle(channel: string, text: string, options: Omit<AgentRunOptions, "sessions"> = {}): Promise<BridgeResult> {
    const before = this.#running.get(channel) ?? Promise.resolve();
    const mine = before.then(() => this.#handle(channel, text, options));
    this.#running.set(channel, mine);
    try {
      return await mine;
    } finally {
      if (this.#running.get(channel) === mine) this.#running.delete(channel);
    }
  }

  async #handle(channel: string, text: string, options: Omit<AgentRunOptions, "sessions">): Promise<BridgeResult> {
    let last = NOTHING_RAN;
    const onResult = (result: AgentRunResult): void => {
      last = result;
      options.onResult?.(result);
    };
    const outcome = await this.#agent.run(text, { ...options, onResult, sessions: this.sessionsOf(channel) });
    if (hasValue(outcome)) {
      const { value } = outcome;
      if (value.sessionId !== null) {
        this.#sessions.set(channel, { ...this.sessionsOf(channel), [value.target]: value.sessionId });
      }
      return { ...value, fault: null };
    }
    return failedResult(outcome, last);
  }
}

/** What the last run that failed had come to, with what the whole of it is called. */
function failedResult(outcome: Outcome<AgentRunResult>, last: AgentRunResult): BridgeResult {
  const seen = "fault" in outcome ? outcome.fault : null;
  const isCancelled = outcome.status === "cancelled";
  return {
    ...last,
    aborted: isCancelled,
    errorSubtype: isCancelled ? "aborted" : seen === null ? "fatal" : subtypeIn(seen),
    fault: seen,
  };
}

const NOTHING_RAN: AgentRunResult = {
  text: "",
  sessionId: null,
  durationMs: 0,
  usage: null,
  aborted: false,
  stderr: "",
  totalCostUsd: null,
  apiDurationMs: null,
  numTurns: null,
  stopReason: null,
  errorSubtype: null,
  permissionDenials: [],
  target: "",
};

/** The watchdog names its phase; words are asked only about the rest. */
function subtypeIn({ code, context }: Fault): AgentRunResult["errorSubtype"] {
  return context["phase"] === undefined ? VOCABULARY[code].cli : "timeout";
}
