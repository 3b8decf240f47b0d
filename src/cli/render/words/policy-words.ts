// What `faultline policy show` says.

import type { Locale, Policy } from "../../../core/index.ts";

const EN = {
  policy: (name: string) => `policy ${name}`,
  firstMatch: "first match wins",
  once: "once",
  breaker: ({ failures, counts, successes, openMs, growth, maxOpenMs }: Policy["breaker"]) =>
    `breaker       opens after ${failures} failed ${counts}, closes after ${successes}, open ${openMs} ms ×${growth} up to ${maxOpenMs} ms`,
  retryBudget: ({ capacity, perCall, perSecond }: Policy["retryBudget"]) =>
    `retry budget  ${capacity} saved at most, +${perCall} per call, +${perSecond} per second`,
};

const ZH: typeof EN = {
  policy: (name) => `策略 ${name}`,
  firstMatch: "先匹配者优先",
  once: "一次",
  breaker: ({ failures, counts, successes, openMs, growth, maxOpenMs }) =>
    `熔断      ${counts === "calls" ? "调用" : "尝试"}失败 ${failures} 次后断开，成功 ${successes} 次后恢复，断开 ${openMs} ms ×${growth}，最长 ${maxOpenMs} ms`,
  retryBudget: ({ capacity, perCall, perSecond }) =>
    `重试预算  最多积累 ${capacity}，每次调用 +${perCall}，每秒 +${perSecond}`,
};

export const POLICY_WORDS: Readonly<Record<Locale, typeof EN>> = { "en": EN, "zh-CN": ZH };
