// The gateway in words: windows of budgets, how full they are, and how calls ended.

import type { Locale } from "../core/fault/words/words.ts";
import type { WindowName } from "../gateway/key/key-account.ts";

export type BudgetState = "fine" | "low" | "spent";
export type GatewayEnding = "completed" | "failed" | "cancelled";

interface ServedGatewayWords {
  readonly windows: Readonly<Record<WindowName, string>>;
  readonly budgets: Readonly<Record<BudgetState, string>>;
  readonly calls: Readonly<Record<GatewayEnding, string>>;
  /** A target that said nothing for long, and what was done: another one was asked beside it. */
  readonly silent: string;
  readonly hedged: string;
  readonly unused: string;
  readonly unusedSays: string;
}

export const SERVED_GATEWAY_WORDS: Readonly<Record<Locale, ServedGatewayWords>> = {
  "en": {
    windows: { hour: "this hour", day: "today", month: "this month" },
    budgets: { fine: "Within budget", low: "Running low", spent: "Used up" },
    calls: { completed: "Answered", failed: "Failed", cancelled: "Client left" },
    silent: "Silent for longer than usual",
    hedged: "asked another target, too",
    unused: "Not used yet",
    unusedSays: "No call has reached it since the server started.",
  },
  "zh-CN": {
    windows: { hour: "本小时", day: "今天", month: "本月" },
    budgets: { fine: "预算充足", low: "预算将尽", spent: "预算用尽" },
    calls: { completed: "已回答", failed: "失败", cancelled: "客户端已离开" },
    silent: "沉默时间超过平常",
    hedged: "同时询问另一个目标",
    unused: "尚未使用",
    unusedSays: "服务器启动以来还没有调用到达这里。",
  },
};
