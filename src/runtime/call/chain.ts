// The chain a call runs on, as `decide` sees it: which targets there are, which can be had now and when the others are back,
// and what the request needs of them.

import {
  type ChainState,
  NO_CHAIN,
  type NextTarget,
  nextTarget,
  scopeOf,
  SCOPES_THAT_ADVANCE,
  type Target,
} from "../../core/decide/fallback.ts";
import { type FaultCode, traitsOf } from "../../core/fault/catalogue.ts";
import { fault, type Fault } from "../../core/fault/fault.ts";
import type { Policy } from "../../core/policy/policy.ts";
import type { AnyTool, ChainRequest, TargetFacts } from "../tool/tool.ts";
import type { LiveCall } from "./live-call.ts";

/** What the targets look like after this fault. */
export function chainOf(run: LiveCall, seen: Fault, now: number): ChainState {
  const { id, member } = run.binding.tool;
  if (member === null) return NO_CHAIN;
  const { members, needsOf } = member.chain;
  const { capabilities, inputTokens } = needsOf(run.input as ChainRequest);
  const isOverflow = traitsOf(seen.code).cause === "context-overflow";
  return {
    targets: members.map((each) => targetOf(run, each, now)),
    current: members.findIndex((each) => each.id === id),
    needs: capabilities,
    minContextTokens: isOverflow ? Math.max(inputTokens, member.facts.contextWindowTokens + 1) : inputTokens,
  };
}

function targetOf({ binding }: LiveCall, each: AnyTool, now: number): Target {
  const { target } = binding.bindings.bind(each);
  const { endpoint, account, model, capabilities, contextWindowTokens, lastResort } = each.member?.facts ?? NO_FACTS;
  const backAt = Math.max(target.retryAt(now) ?? Infinity, target.pausedUntil);
  const available = lastResort || backAt <= now;
  return { id: each.id, endpoint, account, model, capabilities, contextWindowTokens, available, backAt };
}

const NO_FACTS: TargetFacts = {
  endpoint: "",
  account: "",
  model: "",
  capabilities: [],
  contextWindowTokens: Infinity,
  lastResort: false,
};

/** Whether a target behind this one could take over; with `why`, one that can answer now and would not fail the same way. */
export function hasFallback(run: LiveCall, why: Fault | undefined): boolean {
  const { id, member } = run.binding.tool;
  if (member === null) return false;
  if (why === undefined) return member.chain.members.at(-1)?.id !== id;
  const scope = scopeOf(why);
  const { target, isLastResort } = nextTarget(chainOf(run, why, run.engine.clock.now()), scope);
  return SCOPES_THAT_ADVANCE.has(scope) && target !== null && !isLastResort;
}

/** The retry rows in force: those of `retryBeforeFallback` while a target that does not share the fault can answer, else the policy's own. */
export function policyFor({ binding }: LiveCall, seen: Fault, chain: ChainState, next: NextTarget): Policy {
  if (chain === NO_CHAIN) return binding.policy;
  const isLast = next.target === null || next.isLastResort;
  const policy = isLast ? binding.policy : binding.policyBeforeFallback;
  // A target that was silent until its time limit is not tried again while another can answer.
  const isOver = !canGoOn(chain) || (traitsOf(seen.code).cause === "timeout" && !isLast);
  return isOver ? { ...policy, rows: policy.rows.map((row) => ({ ...row, retry: null })) } : policy;
}

/** A request needs more once part of its answer is out: the target that began it may not be able to continue it. */
function canGoOn({ targets, current, needs }: ChainState): boolean {
  const capabilities = targets[current]?.capabilities ?? [];
  return needs.every((need) => capabilities.includes(need));
}

/** No target can be asked now: the fault says when the first of them is back. */
export function withFirstReturn(seen: Fault, { targets, current }: ChainState, now: number): Fault {
  if (!traitsOf(seen.code).lifts || targets.length < 2) return seen;
  // The one that has just refused is out for as long as it said, although that is not noted yet.
  const ownBackAt = seen.resetAt ?? (seen.retryAfterMs === undefined ? null : now + seen.retryAfterMs);
  const backAts = targets.map(({ available, backAt }, index) =>
    index === current && ownBackAt !== null ? ownBackAt : available ? now : backAt,
  );
  const firstAt = Math.min(...backAts);
  return Number.isFinite(firstAt) && firstAt > now ? { ...seen, resetAt: firstAt } : seen;
}

/** What is missing when a target lacks a capability. */
const CODE_OF_NEED: Readonly<Record<string, FaultCode>> = {
  streaming: "MissingStreaming",
  tools: "MissingToolCalling",
  vision: "MissingModality",
  files: "MissingModality",
  audio: "MissingModality",
};

/** Asked before a target is tried, and again after each switch: null when it can do what the request needs. */
export function negotiate({ binding, input }: LiveCall): Fault | null {
  const { member } = binding.tool;
  if (member === null) return null;
  const { model, capabilities, contextWindowTokens } = member.facts;
  const needs = member.chain.needsOf(input as ChainRequest);
  if (needs.refusal !== null) return needs.refusal;
  const lacks = needs.capabilities.find((need) => !capabilities.includes(need));
  if (lacks !== undefined) {
    return fault(CODE_OF_NEED[lacks] ?? "MissingCapability", {
      message: `${model} cannot do what the request needs: ${lacks}`,
      context: { model, expected: lacks, ran: false },
    });
  }
  if (needs.inputTokens <= contextWindowTokens) return null;
  return fault("ContextWindowTooSmall", {
    message: `the request has at least ${needs.inputTokens} tokens; ${model} takes ${contextWindowTokens}`,
    context: { model, limit: contextWindowTokens, ran: false },
  });
}
