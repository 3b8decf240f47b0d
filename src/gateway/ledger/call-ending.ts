// How a call of a gateway ended, and what was decided about it, in words: for the dashboard, and for `faultline explain`.

import { fault } from "../../core/fault/fault.ts";
import type { Locale } from "../../core/fault/words/words.ts";
import type { LedgerLine } from "./ledger-line.ts";

/** Why the gateway cancels the calls that are left when it stops. */
export const STOPPING = fault("SessionCancelled", {
  message: "the gateway is stopping; ask again",
  retryAfterMs: 1_000,
});

export type CallEndState = "completed" | "failed" | "cancelled";

export function stateOf({ status, code }: LedgerLine): CallEndState {
  return status === "cancelled" ? "cancelled" : code === null ? "completed" : "failed";
}

/** The state in a word or two. */
export function stateWord(line: LedgerLine, locale: Locale): string {
  const { states, stopped } = CALL_WORDS[locale];
  return line.code === STOPPING.code ? stopped : states[stateOf(line)];
}

/** A sentence. */
export function endingWords(line: LedgerLine, locale: Locale): string {
  return CALL_WORDS[locale].endings[endingOf(line)];
}

function endingOf({ code, status, attempts, decisions }: LedgerLine): CallEnding {
  if (code === STOPPING.code) return "stopped";
  if (status === "cancelled") return "left";
  if (code === null) return decisions.length === 0 ? "first" : "later";
  return attempts === 0 ? "unasked" : "failed";
}

type CallEnding = "first" | "later" | "unasked" | "failed" | "left" | "stopped";

interface CallWords {
  readonly states: Readonly<Record<CallEndState, string>>;
  /** How a call ended that the gateway itself cancelled. */
  readonly stopped: string;
  readonly endings: Readonly<Record<CallEnding, string>>;
  /** A target that said nothing for long, and what was done: another one was asked beside it. */
  readonly silent: string;
  readonly hedged: string;
}

export const CALL_WORDS: Readonly<Record<Locale, CallWords>> = {
  "en": {
    states: { completed: "Answered", failed: "Failed", cancelled: "Client left" },
    stopped: "Gateway stopped",
    endings: {
      first: "The first attempt answered.",
      later: "A target answered in the end. The decisions say how.",
      unasked: "No target was asked.",
      failed: "No target gave a whole answer.",
      left: "The client left before it had the whole answer.",
      stopped: "The gateway stopped before the client had the whole answer.",
    },
    silent: "Silent for longer than usual",
    hedged: "asked another target, too",
  },
  "zh-CN": {
    states: { completed: "已回答", failed: "失败", cancelled: "客户端已离开" },
    stopped: "网关已停止",
    endings: {
      first: "第一次尝试即得到回答。",
      later: "最终有目标作出回答，经过见各项决定。",
      unasked: "没有询问任何目标。",
      failed: "没有目标给出完整的回答。",
      left: "客户端在收到完整回答之前已离开。",
      stopped: "网关在客户端收到完整回答之前已停止。",
    },
    silent: "沉默时间超过平常",
    hedged: "同时询问另一个目标",
  },
};
