// The chain a call runs on, as `decide` sees it: which targets there are, which can be had now and when the others are back,
// and what the request needs of them.

import { type Chain, NO_CHAIN, nextTarget, scopeOf, type Target } from "../../core/decide/fallback.ts";
import { type FaultCode, traitsOf } from "../../core/fault/catalogue.ts";
import { fault, type Fault } from "../../core/fault/fault.ts";
import type { Policy } from "../../core/policy/policy.ts";
import type { LiveCall } from "./live-call.ts";

/** What the targets look like after this fault. */
export function chainOf(run: LiveCall, seen: Fault, now: number): Chain {
  const part = run.binding.tool.chain;
  if (part === null) return NO_CHAIN;
  const { capabilities, inputTokens } = part.needsOf(run.input);
  const { id } = run.binding.tool;
  const isOverflow = traitsOf(seen.code).cause === "context-overflow";
  return {
    targets: part.members.map((member) => targetOf(run, member, now)),
    current: part.members.findIndex((member) => member.id === id),
    needs: capabilities,
    minContextTokens: isOverflow ? Math.max(inputTokens, part.facts.contextWindowTokens + 1) : inputTokens,
  };
}

type Member = NonNullable<LiveCall["binding"]["tool"]["chain"]>["members"][number];

function targetOf({ binding }: LiveCall, member: Member, now: number): Target {
  const { target } = binding.bindings.bind(member);
  const { endpoint, account, model, capabilities, contextWindowTokens, lastResort } = member.chain?.facts ?? NO_FACTS;
  const backAt = Math.max(target.retryAt(now) ?? Infinity, target.pausedUntil);
  const available = lastResort || backAt <= now;
  return { id: member.id, endpoint, account, model, capabilities, contextWindowTokens, available, backAt };
}

const NO_FACTS = {
  endpoint: "",
  account: "",
  model: "",
  capabilities: [] as readonly string[],
  contextWindowTokens: Infinity,
  lastResort: false,
};

/** While a target that does not share the fault can be had, this one is not waited for long; otherwise the policy's own patience applies. */
export function policyFor({ binding }: LiveCall, seen: Fault, chain: Chain): Policy {
  if (chain === NO_CHAIN) return binding.policy;
  const { cause } = traitsOf(seen.code);
  const { target, isLastResort } = nextTarget(chain, scopeOf(seen));
  const isLast = target === null || isLastResort;
  const policy = isLast ? binding.policy : binding.hurried;
  // Who was silent once is not waited for a second time while somebody else can answer.
  const isOver = !canGoOn(chain) || (cause === "timeout" && !isLast);
  return isOver ? { ...policy, rows: policy.rows.map((row) => ({ ...row, retry: null })) } : policy;
}

/** What a request needs grows when part of its answer is out: then not every target that began it can go on with it. */
function canGoOn({ targets, current, needs }: Chain): boolean {
  const capabilities = targets[current]?.capabilities ?? [];
  return needs.every((need) => capabilities.includes(need));
}

/** Nobody can be asked now: whoever is told of it learns when the first of them is back. */
export function withFirstReturn(seen: Fault, { targets, current }: Chain, now: number): Fault {
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
  const part = binding.tool.chain;
  if (part === null) return null;
  const { model, capabilities, contextWindowTokens } = part.facts;
  const needs = part.needsOf(input);
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
