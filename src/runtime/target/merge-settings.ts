// Merges the settings of several tools that share one target. A setting left at its default does not count. Of the others the
// strictest wins, so the order in which the tools are used does not matter.

import { DEFAULT_POLICY } from "../../core/policy/matrix.ts";
import type { BreakerRule } from "../../core/policy/policy.ts";

export interface TargetSettings {
  readonly rule: BreakerRule;
  readonly maxConcurrent: number;
  readonly maxQueued: number;
  /** Attempts that may start in a minute. */
  readonly maxPerMinute: number;
}

/** `defaults` applies where no tool sets a value. */
export function mergeSettings(known: TargetSettings, added: TargetSettings, defaults: TargetSettings): TargetSettings {
  const addsNothing = added.rule === defaults.rule || added.rule === known.rule;
  return {
    rule: addsNothing ? known.rule : strictestRule(known.rule, added.rule, defaults.rule),
    maxConcurrent: chosen(Math.min, known.maxConcurrent, added.maxConcurrent, defaults.maxConcurrent),
    maxQueued: chosen(Math.min, known.maxQueued, added.maxQueued, defaults.maxQueued),
    maxPerMinute: chosen(Math.min, known.maxPerMinute, added.maxPerMinute, defaults.maxPerMinute),
  };
}

/** Applies `defaultMaxOpenMs` to a rule whose `maxOpenMs` was never set; other rules are returned unchanged. */
export function settledRule(rule: BreakerRule): BreakerRule {
  const { defaultMaxOpenMs, ...settled } = rule;
  if (defaultMaxOpenMs === undefined) return rule;
  const { openMs, maxOpenMs } = settled;
  if (maxOpenMs !== DEFAULT_POLICY.breaker.maxOpenMs) return settled;
  return { ...settled, maxOpenMs: Math.min(maxOpenMs, Math.max(openMs, defaultMaxOpenMs)) };
}

type Stricter = (one: number, other: number) => number;

/** Which of two values is stricter: fewer failures open the breaker; a larger value of any other field holds calls back longer. */
const STRICTER: Readonly<Record<Exclude<keyof BreakerRule, "counts" | "defaultMaxOpenMs">, Stricter>> = {
  failures: Math.min,
  successes: Math.max,
  openMs: Math.max,
  growth: Math.max,
  maxOpenMs: Math.max,
  probeTimeoutMs: Math.max,
};

function strictestRule(known: BreakerRule, added: BreakerRule, defaults: BreakerRule): BreakerRule {
  const pick = (field: keyof typeof STRICTER): number =>
    chosen(STRICTER[field], known[field], added[field], defaults[field]);
  return {
    failures: pick("failures"),
    successes: pick("successes"),
    openMs: pick("openMs"),
    growth: pick("growth"),
    maxOpenMs: pick("maxOpenMs"),
    probeTimeoutMs: pick("probeTimeoutMs"),
    // Each tool decides for its own calls whether a call counts once or with each attempt.
    counts: known.counts,
  };
}

function chosen(stricter: Stricter, known: number, added: number, byDefault: number): number {
  if (added === byDefault) return known;
  return known === byDefault ? added : stricter(known, added);
}
