// The state of a target in a sentence.

import type { BreakerState } from "../../core/decide/breaker.ts";
import { isoTime } from "../../core/decide/explain.ts";
import type { Locale } from "../../core/fault/words/words.ts";
import type { TargetReport } from "./report-targets.ts";

type Facts = Pick<TargetReport, "breaker" | "retryAt" | "pausedUntil">;

export function tellTarget({ breaker, retryAt, pausedUntil }: Facts, locale: Locale): string {
  const { states, paused } = WORDS[locale];
  if (breaker === "closed" && pausedUntil !== null) return paused(isoTime(pausedUntil));
  return states[breaker](retryAt === null ? "" : isoTime(retryAt));
}

interface TargetWords {
  readonly states: Readonly<Record<BreakerState, (retryAt: string) => string>>;
  readonly paused: (until: string) => string;
}

const WORDS: Readonly<Record<Locale, TargetWords>> = {
  "en": {
    states: {
      "closed": () => "In service.",
      "open": (at) => `Out of service after repeated failures. One call may try it from ${at} on.`,
      "half-open": () => "Being tried, one call at a time.",
      "isolated": () => "Taken out of service by a person, until one puts it back.",
    },
    paused: (until) => `It asked callers to wait until ${until}.`,
  },
  "zh-CN": {
    states: {
      "closed": () => "正常服务。",
      "open": (at) => `多次失败后已停用。自 ${at} 起允许一次试探调用。`,
      "half-open": () => "正在逐次试探。",
      "isolated": () => "已由人停用，直到有人恢复。",
    },
    paused: (until) => `它要求调用方等到 ${until}。`,
  },
};
