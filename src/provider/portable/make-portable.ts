// Makes a request that was written for one target acceptable to another, as a list of declared changes that can be journaled.
// Always start from the request as the user gave it, not from one that was made portable for some target in between.
// P1  a second time changes nothing; P2  no change gives the same object; P3  a user's text is never touched;
// P4  every tool call has its answer afterwards; P5  changes say where and why, and hold nothing of the conversation.

import type { LanguageModelV4CallOptions } from "@ai-sdk/provider";
import { placesOf, type Pass } from "./pass.ts";
import { DEFAULT_REPEAT_LIMITS } from "./repeated-calls.ts";
import { PORTABLE_RULES, type PortableRule } from "./rules.ts";
import type { PortableFacts } from "./target-facts.ts";

export interface PortableChange {
  readonly rule: string;
  /** In the request as it was given: `messages[3].content[0]`. */
  readonly where: string;
  readonly why: string;
}

export interface Portable {
  readonly options: LanguageModelV4CallOptions;
  readonly changes: readonly PortableChange[];
  /** The names under which tools go out, with the caller's own names for them: an answer is given back under those. */
  readonly toolNames: ReadonlyMap<string, string>;
}

/** All rules. `from` is the target the request was made for, when it is known: some models cannot read their siblings' thoughts. */
export function makePortable(
  options: LanguageModelV4CallOptions,
  to: PortableFacts,
  from: PortableFacts | null = null,
  tellAfter = DEFAULT_REPEAT_LIMITS.tellAfter,
): Portable {
  return applyRules(PORTABLE_RULES, options, to, from, tellAfter);
}

/** The rules that hold for the first target too: an interrupted turn, or a history that another vendor's model made. */
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

/** One line per rule, for a journal: a long history may have hundreds of changes of one kind. */
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
