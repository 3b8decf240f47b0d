// Decides a past decision again under another policy, from what its entry recorded.

import type { Decision } from "../decide/decision.ts";
import { decide } from "../decide/decide.ts";
import { type EffectivePolicy, effectivePolicy, policyFor } from "../decide/effective-policy.ts";
import type { Policy } from "../policy/policy.ts";
import type { Entry } from "./event.ts";
import { situationOf } from "../decide/seen-situation.ts";

/** Makes past decisions again under one policy. Entries without a recorded situation give null. */
export function replayUnder(policy: Policy): (entry: Entry) => Decision | null {
  const known = new Map<string, EffectivePolicy>();
  return ({ event, at }) => {
    if ((event.type !== "call-failed" && event.type !== "call-decided") || event.saw === undefined) return null;
    const { situation, changes } = situationOf(event, event.saw, at);
    const { surface, provider, tool } = situation.place;
    const key = JSON.stringify([surface, provider, tool, changes]);
    let effective = known.get(key);
    if (effective === undefined) known.set(key, (effective = effectivePolicy(policy, situation.place, changes)));
    return decide(situation, policyFor(situation, effective));
  };
}
