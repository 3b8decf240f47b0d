// The state of a target in words, and what a person can do about it.

import type { BreakerState } from "../../core/decide/breaker.ts";
import { minuteOf } from "../../core/fault/words/time-words.ts";
import type { Locale } from "../../core/fault/words/words.ts";
import type { TargetReport } from "./report-targets.ts";

type Facts = Pick<TargetReport, "breaker" | "retryAt" | "pausedUntil">;

type TargetState = "in-service" | "paused" | "out-of-service" | "tried" | "isolated";
type TargetActionId = "probe" | "reset" | "isolate";

/** What a person can do to a target, the gentlest first. */
interface TargetAction {
  readonly id: TargetActionId;
  readonly label: string;
  /** What it does, in a sentence. */
  readonly effect: string;
}

const STATE_OF: Readonly<Record<BreakerState, TargetState>> = {
  "closed": "in-service",
  "open": "out-of-service",
  "half-open": "tried",
  "isolated": "isolated",
};

const ACTIONS_IN: Readonly<Record<TargetState, readonly TargetActionId[]>> = {
  "in-service": ["isolate"],
  "paused": ["reset", "isolate"],
  "out-of-service": ["probe", "reset", "isolate"],
  "tried": ["reset", "isolate"],
  "isolated": ["reset"],
};

function stateOf({ breaker, pausedUntil }: Omit<Facts, "retryAt">): TargetState {
  return breaker === "closed" && pausedUntil !== null ? "paused" : STATE_OF[breaker];
}

export function targetPill(
  facts: Omit<Facts, "retryAt">,
  locale: Locale,
): { readonly id: TargetState; readonly label: string } {
  const id = stateOf(facts);
  return { id, label: WORDS[locale].labels[id] };
}

export function targetActions(facts: Omit<Facts, "retryAt">, locale: Locale): TargetAction[] {
  const { actions } = WORDS[locale];
  return ACTIONS_IN[stateOf(facts)].map((id) => ({ id, ...actions[id] }));
}

export function describeTarget({ breaker, retryAt, pausedUntil }: Facts, locale: Locale): string {
  const { states, paused } = WORDS[locale];
  if (breaker === "closed" && pausedUntil !== null) return paused(minuteOf(pausedUntil));
  return states[breaker](retryAt === null ? "" : minuteOf(retryAt));
}

interface TargetWords {
  readonly states: Readonly<Record<BreakerState, (retryAt: string) => string>>;
  readonly paused: (until: string) => string;
  readonly labels: Readonly<Record<TargetState, string>>;
  readonly actions: Readonly<Record<TargetActionId, Omit<TargetAction, "id">>>;
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
    labels: {
      "in-service": "In service",
      "paused": "Paused",
      "out-of-service": "Out of service",
      "tried": "Being tried",
      "isolated": "Isolated",
    },
    actions: {
      probe: { label: "Probe now", effect: "Lets the next call through as a test, without the wait." },
      reset: {
        label: "Put back into service",
        effect: "Closes its breaker and ends its pause. All calls go through again, in every process of the journal.",
      },
      isolate: {
        label: "Isolate",
        effect:
          "No call reaches it until a person puts it back, in every process of the journal. Calls fall back where they can.",
      },
    },
  },
  "zh-CN": {
    states: {
      "closed": () => "正常服务。",
      "open": (at) => `多次失败后已停用。自 ${at} 起允许一次试探调用。`,
      "half-open": () => "正在逐次试探。",
      "isolated": () => "已由人停用，直到有人恢复。",
    },
    paused: (until) => `它要求调用方等到 ${until}。`,
    labels: {
      "in-service": "正常",
      "paused": "已暂停",
      "out-of-service": "已停用",
      "tried": "试探中",
      "isolated": "已隔离",
    },
    actions: {
      probe: { label: "立即试探", effect: "不再等待，让下一次调用作为试探通过。" },
      reset: { label: "恢复服务", effect: "关闭其熔断器并结束暂停。同一日志的所有进程中，调用都会再次通过。" },
      isolate: {
        label: "隔离",
        effect: "同一日志的所有进程中，在有人恢复之前，没有调用会到达它。可以回退的调用会使用其他目标。",
      },
    },
  },
};
