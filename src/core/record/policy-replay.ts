// Decides past decisions again from what their entries recorded: about calls under another policy, about stages by their own rules.

import type { Decision } from "../decide/decision.ts";
import { decide } from "../decide/decide.ts";
import { type EffectivePolicy, effectivePolicy, policyFor, situationOf } from "../decide/situation.ts";
import type { RunEvent } from "../flow/run-event.ts";
import { stageDecidedAgain, type StageDecision } from "../flow/stage.ts";
import type { Policy } from "../policy/policy.ts";
import { policyOfRuns } from "../policy/presets.ts";
import type { Entry } from "./event.ts";

/**
 * Makes past decisions about calls again under one policy. Entries without a recorded situation give null. Calls of workflow runs,
 * and calls reported to a server, are decided as runs do it: the built-in rows do not ask a person.
 */
export function replayUnder(policy: Policy): (entry: Entry) => Decision | null {
  const inSessions = effectivePolicies(policy);
  const inRuns = effectivePolicies(policyOfRuns(policy));
  return ({ event, at }) => {
    if ((event.type !== "call-failed" && event.type !== "call-decided") || event.saw === undefined) return null;
    const seen = situationOf(event, event.saw, at);
    const { situation } = seen;
    const isAttended = situation.place.stage === "" && event.saw.unattended !== true;
    const effective = (isAttended ? inSessions : inRuns)(seen);
    return decide(situation, policyFor(situation, effective));
  };
}

type Seen = ReturnType<typeof situationOf>;

/** Remembers the effective policy of each place: to work it out costs more than a decision. */
function effectivePolicies(policy: Policy): (seen: Seen) => EffectivePolicy {
  const known = new Map<string, EffectivePolicy>();
  return ({ situation: { place }, changes }) => {
    const key = JSON.stringify([place.surface, place.provider, place.tool, changes]);
    let effective = known.get(key);
    if (effective === undefined) known.set(key, (effective = effectivePolicy(policy, place, changes)));
    return effective;
  };
}

/** An event that ends an attempt of a stage with a decision. */
export type StageDecisionEvent = Extract<
  RunEvent,
  { readonly type: "node-retrying" | "node-deferred" | "node-failed" | "node-skipped" }
>;

/** Makes a past decision about a stage again. No policy takes part in it: the stage's own rules decide. */
export function replayStage(event: StageDecisionEvent, at: number): StageDecision | null {
  const { saw, fault } = event;
  return saw === undefined || fault === null ? null : stageDecidedAgain({ ...event, fault }, saw, at);
}

const DONE: Readonly<Record<StageDecisionEvent["type"], StageDecision["do"]>> = {
  "node-retrying": "retry",
  "node-deferred": "defer",
  "node-failed": "fail",
  "node-skipped": "skip",
};

/** What was done about a stage. */
export function doneAbout(event: StageDecisionEvent): StageDecision["do"] {
  return DONE[event.type];
}
