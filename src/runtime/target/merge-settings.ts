// What several tools say about the target they share, as one rule. A number that a tool leaves as it is anyway is no opinion; of
// those that differ from it the strictest holds, so that it does not matter which tool was used first.

import { DEFAULT_POLICY } from "../../core/policy/matrix.ts";
import type { BreakerRule } from "../../core/policy/policy.ts";

export interface TargetSettings {
  readonly rule: BreakerRule;
  readonly maxConcurrent: number;
  readonly maxQueued: number;
}

/** `defaults` applies where no tool sets a value. */
export function mergeSettings(known: TargetSettings, added: TargetSettings, defaults: TargetSettings): TargetSettings {
  const isSilent = added.rule === defaults.rule || added.rule === known.rule;
  return {
    rule: isSilent ? known.rule : strictestRule(known.rule, added.rule, defaults.rule),
    maxConcurrent: chosen(Math.min, known.maxConcurrent, added.maxConcurrent, defaults.maxConcurrent),
    maxQueued: chosen(Math.min, known.maxQueued, added.maxQueued, defaults.maxQueued),
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

/** Fewer failures break it; everything else holds calls back for longer the larger it is. */
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
    // Whether a call counts once or with each attempt is up to the tool that makes it.
    counts: known.counts,
  };
}

function chosen(stricter: Stricter, known: number, added: number, byDefault: number): number {
  if (added === byDefault) return known;
  return known === byDefault ? added : stricter(known, added);
}
