// The chain a call runs on, as `decide` sees it: its targets, which of them can answer now and when the others are back, and what
// the request needs of them.

import { policyFor } from "../../core/decide/effective-policy.ts";
import {
  type ChainState,
  NO_CHAIN,
  NO_TARGET,
  type NextTarget,
  nextTarget,
  scopeOf,
  SCOPES_THAT_ADVANCE,
  type Target,
} from "../../core/decide/fallback.ts";
import { type FaultCode, traitsOf } from "../../core/fault/catalogue.ts";
import { fault, type Fault } from "../../core/fault/fault.ts";
import type { Policy } from "../../core/policy/policy.ts";
import type { ChainRequest, MemberTool } from "../tool/tool.ts";
import type { LiveCall } from "./live-call.ts";

/** What a fault leaves of a chain. */
export interface ChainAfter {
  readonly chain: ChainState;
  readonly next: NextTarget;
  /** The policy in force: with `retryBeforeFallback` while a target that does not share the fault can answer, else as it is. */
  readonly policy: Policy;
}

export function chainAfter(run: LiveCall, seen: Fault, now: number): ChainAfter {
  const { binding } = run;
  const { id, member } = binding.tool;
  if (member === null) return { chain: NO_CHAIN, next: NO_TARGET, policy: binding.policy };
  const { members, needsOf } = member.chain;
  const { capabilities, inputTokens } = needsOf(run.input as ChainRequest);
  const isOverflow = traitsOf(seen.code).cause === "context-overflow";
  const chain: ChainState = {
    targets: members.map((each) => targetOf(run, each, now)),
    current: members.findIndex((each) => each.id === id),
    needs: capabilities,
    minContextTokens: isOverflow ? Math.max(inputTokens, member.facts.contextWindowTokens + 1) : inputTokens,
  };
  const next = nextTarget(chain, scopeOf(seen));
  return { chain, next, policy: policyFor({ fault: seen, chain, next }, binding.effective) };
}

function targetOf({ binding }: LiveCall, each: MemberTool, now: number): Target {
  const { target } = binding.bindings.bind(each);
  const { lastResort, ...facts } = each.member.facts;
  const backAt = Math.max(target.retryAt(now) ?? Infinity, target.pausedUntil);
  return { ...facts, id: each.id, available: lastResort || backAt <= now, backAt };
}

/** Whether a target behind this one could take over; with `why`, one that can answer now and would not fail the same way. */
export function hasFallback(run: LiveCall, why: Fault | undefined): boolean {
  const { id, member } = run.binding.tool;
  if (member === null) return false;
  if (why === undefined) return member.chain.members.at(-1)?.id !== id;
  const { target, isLastResort } = chainAfter(run, why, run.engine.clock.now()).next;
  return SCOPES_THAT_ADVANCE.has(scopeOf(why)) && target !== null && !isLastResort;
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
