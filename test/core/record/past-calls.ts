// Past calls as a journal has them: decided by a policy, step by step, with what `decide` saw in each entry.

import { decide, type Entry, fault, type FaultCode, type Policy, type Recourse } from "../../../src/core/index.ts";
import {
  effectivePolicy,
  NO_CHANGES,
  policyFor,
  seenSituation,
  situation,
} from "../../../src/core/decide/situation.ts";
import { NO_CHAIN, type Target } from "../../../src/core/decide/fallback.ts";
import type { JournalEvent } from "../../../src/core/record/event.ts";
import { NOWHERE } from "../../../src/core/policy/policy.ts";

export interface PastCall {
  readonly session: string;
  readonly call: string;
  readonly tool: string;
  /** One for each attempt that fails; an attempt behind them succeeds. */
  readonly fails: readonly FaultCode[];
  readonly retryAfterMs?: number;
  /** Of each attempt. */
  readonly microcents?: number | null;
  /** Another target that can take over. */
  readonly other?: string;
  readonly offers?: readonly Recourse[];
}

const ENDS: readonly string[] = ["default", "partial", "skip", "surface", "fail"];
const STORE = { contextWindowTokens: 1_000, capabilities: [], account: "k", available: true } as const;

export function entriesOf(past: readonly PastCall[], policy: Policy, startAt = 1_000_000): readonly Entry[] {
  const entries: Entry[] = [];
  let at = startAt;
  for (const one of past) {
    const write = (event: JournalEvent): void => {
      const seq = entries.filter(({ session }) => session === one.session).length + 1;
      entries.push(JSON.parse(JSON.stringify({ session: one.session, seq, at, event })) as Entry);
    };
    at = callOf(one, policy, at, write);
  }
  return entries;
}

function callOf(past: PastCall, policy: Policy, startAt: number, write: (event: JournalEvent) => void): number {
  const { call, tool, fails, microcents = null } = past;
  const cost = microcents === null ? null : ({ microcents, basis: "reported" } as const);
  let [at, attempt, waitedMs, current] = [startAt, 1, 0, 0];
  for (const code of fails) {
    at += 1_000;
    const about = fault(code, past.retryAfterMs === undefined ? {} : { retryAfterMs: past.retryAfterMs });
    const place = { ...NOWHERE, surface: "tool", tool } as const;
    const offers = new Set<Recourse>(["surface", "fail", ...(past.other === undefined ? [] : ["fallback" as const])]);
    for (const offered of past.offers ?? []) offers.add(offered);
    const chain =
      past.other === undefined ? NO_CHAIN : { ...NO_CHAIN, targets: targetsOf(tool, past.other, at), current };
    const seen = situation(about, { place, attempt, waitedMs, now: at, idempotent: true, offers, chain, roll: 0.5 });
    const decision = decide(seen, policyFor(seen, effectivePolicy(policy, place, NO_CHANGES)));
    const saw = seenSituation(seen, NO_CHANGES, {}, about);
    const common = { call, tool, attempt, fault: about, decision, breaker: "closed", durationMs: 1_000, cost } as const;
    write({ type: "call-failed", ...common, saw });
    if (ENDS.includes(decision.recourse)) return at;
    if (decision.recourse === "retry") {
      attempt += 1;
      waitedMs += decision.delayMs;
      at += decision.delayMs;
    } else {
      attempt = 1;
      if (decision.recourse === "fallback") current += 1;
    }
  }
  at += 1_000;
  write({ type: "call-succeeded", call, tool, attempt, durationMs: 1_000, cost, errors: [], output: null });
  return at;
}

function targetsOf(first: string, second: string, now: number): readonly Target[] {
  return [first, second].map((id) => ({ ...STORE, id, endpoint: id, model: id, backAt: now }));
}
