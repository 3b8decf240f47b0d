// Adapts a request that was written for one target to another, as a list of declared changes that can be recorded. Always start from
// the caller's original request, not from one that was already adapted to another target.
// P1  Applying the rules twice changes nothing more.
// P2  A request that needs no change is returned as the same object.
// P3  The text of a user is never changed.
// P4  Afterwards every tool call has its result.
// P5  Each change says where and why, and contains nothing of the conversation.

import type { LanguageModelV4CallOptions } from "@ai-sdk/provider";
import { placesOf, type Pass } from "./pass.ts";
import { DEFAULT_REPEAT_LIMITS } from "./repeated-calls.ts";
import { PORTABLE_RULES, type PortableRule } from "./rules.ts";
import type { PortableFacts } from "./target-facts.ts";

export interface PortableChange {
  readonly rule: string;
  /** The place in the original request: `messages[3].content[0]`. */
  readonly where: string;
  readonly why: string;
}

export interface Portable {
  readonly options: LanguageModelV4CallOptions;
  readonly changes: readonly PortableChange[];
  /** The tool names that are sent, mapped to the caller's own names, which the answer gets back. */
  readonly toolNames: ReadonlyMap<string, string>;
}

/** Applies all rules. `from` is the target the request was written for, if known: some models cannot read the reasoning of related models. */
export function makePortable(
  options: LanguageModelV4CallOptions,
  to: PortableFacts,
  from: PortableFacts | null = null,
  tellAfter = DEFAULT_REPEAT_LIMITS.tellAfter,
): Portable {
  return applyRules(PORTABLE_RULES, options, to, from, tellAfter);
}

/** Applies the rules that the first target needs, too: for an interrupted turn, or a history from another vendor's model. */
export function repairHistory(
  options: LanguageModelV4CallOptions,
  to: PortableFacts,
  tellAfter = DEFAULT_REPEAT_LIMITS.tellAfter,
): Portable {
  return applyRules(ALWAYS, options, to, null, tellAfter);
}

export interface ChangeSummary {
  readonly rule: string;
  readonly why: string;
  readonly count: number;
  /** The first place. */
  readonly where: string;
}

/** One line per rule, for a journal. A long history may have hundreds of changes of one kind. */
export function summarizeChanges(changes: readonly PortableChange[]): readonly ChangeSummary[] {
  const byRule = new Map<string, ChangeSummary>();
  for (const { rule, why, where } of changes) {
    const before = byRule.get(rule);
    byRule.set(rule, before === undefined ? { rule, why, count: 1, where } : { ...before, count: before.count + 1 });
  }
  return [...byRule.values()];
}

const ALWAYS = PORTABLE_RULES.filter(({ when }) => when === "always");

function applyRules(
  rules: readonly PortableRule[],
  given: LanguageModelV4CallOptions,
  to: PortableFacts,
  from: PortableFacts | null,
  tellAfter: number,
): Portable {
  const changes: PortableChange[] = [];
  const toolNames = new Map<string, string>();
  const { options: start, whereOf, replace } = placesOf(given);
  const options = rules.reduce((before, { name, why, apply }) => {
    const note = (where: string): void => void changes.push({ rule: name, where, why });
    const pass: Pass = { to, from, note, toolNames, tellAfter, whereOf, replace };
    return apply(before, pass);
  }, start);
  return { options: changes.length === 0 ? given : options, changes, toolNames };
}
