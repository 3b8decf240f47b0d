// Connects a channel (a chat, an issue, a terminal) to agent CLIs: one session per channel, handled failures, and a result that always
// says how the run ended.
// B1  A failed run never replaces the session of a successful one.
// B2  The messages of one channel run one after another.

import type { Fault } from "../../core/fault/fault.ts";
import { KeyedMutex } from "../../host/keyed-mutex.ts";
import { having, invalidOption } from "../../options/check-options.ts";
import { hasValue, type Outcome } from "../../runtime/call/outcome.ts";
import type { Agent, AgentRunOptions } from "./agent.ts";
import { type AgentRunResult, errorSubtypeOf } from "./agent-request.ts";

/** The result of `ChannelBridge.handle`. */
export interface BridgeResult extends AgentRunResult {
  /** The fault of a failed run; null on success. */
  readonly fault: Fault | null;
}

const agentKind = having("an agent", "run");

/** Runs agent CLIs for a channel and returns results in the form that channels expect. */
export class ChannelBridge {
  readonly #agent: Agent;
  readonly #sessions = new Map<string, Readonly<Record<string, string>>>();
  readonly #channels = new KeyedMutex();

  constructor(agent: Agent) {
    if (!agentKind.fits(agent))
      throw invalidOption(
        "ChannelBridge",
        "agent",
        "it needs an agent, as in new ChannelBridge(fl.agent([cli('claude')]))",
      );
    this.#agent = agent;
  }

  /** The sessions that the next message of a channel resumes, by target. */
  sessionsOf(channel: string): Readonly<Record<string, string>> {
    return this.#sessions.get(channel) ?? {};
  }

  /** Forgets the channel's sessions: its next message starts a new one. */
  forget(channel: string): void {
    this.#sessions.delete(channel);
  }

  /** Does not reject when a CLI fails; the result contains the fault. */
  handle(channel: string, text: string, options: Omit<AgentRunOptions, "sessions"> = {}): Promise<BridgeResult> {
    return this.#channels.run(channel, () => this.#handle(channel, text, options));
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

/** The result of the last failed run, with the fault of the whole call. */
function failedResult(outcome: Outcome<AgentRunResult>, last: AgentRunResult): BridgeResult {
  const seen = "fault" in outcome ? outcome.fault : null;
  const isCancelled = outcome.status === "cancelled";
  return {
    ...last,
    aborted: isCancelled,
    errorSubtype: seen === null ? "fatal" : errorSubtypeOf(seen),
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
