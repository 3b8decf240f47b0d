// What `faultline policy show` says.

import type { Locale, Policy } from "../../../core/index.ts";

interface PolicyWords {
  readonly policy: (name: string) => string;
  readonly firstMatch: string;
  readonly once: string;
  readonly breaker: (breaker: Policy["breaker"]) => string;
  readonly retryBudget: (budget: Policy["retryBudget"]) => string;
}

export const POLICY_WORDS: Readonly<Record<Locale, PolicyWords>> = {
  "en": {
    policy: (name) => `policy ${name}`,
    firstMatch: "first match wins",
    once: "once",
    breaker: ({ failures, counts, successes, openMs, growth, maxOpenMs }) =>
      `breaker       opens after ${failures} failed ${counts}, closes after ${successes}, open ${openMs} ms ×${growth} up to ${maxOpenMs} ms`,
    retryBudget: ({ capacity, perCall, perSecond }) =>
      `retry budget  ${capacity} saved at most, +${perCall} per call, +${perSecond} per second`,
  },
  "zh-CN": {
    policy: (name) => `策略 ${name}`,
    firstMatch: "先匹配者优先",
    once: "一次",
    breaker: ({ failures, counts, successes, openMs, growth, maxOpenMs }) =>
      `熔断      ${counts === "calls" ? "调用" : "尝试"}失败 ${failures} 次后断开，成功 ${successes} 次后恢复，断开 ${openMs} ms ×${growth}，最长 ${maxOpenMs} ms`,
    retryBudget: ({ capacity, perCall, perSecond }) =>
      `重试预算  最多积累 ${capacity}，每次调用 +${perCall}，每秒 +${perSecond}`,
  },
};
