// What a program may say when it makes a runtime, and what is meant when it says nothing. Resolved once, here.

import type { Rule } from "../core/classify/rule.ts";
import { FaultError } from "../core/fault/fault-error.ts";
import { fault } from "../core/fault/fault.ts";
import { createRedactor, type LearningRedactor } from "../core/fault/redact.ts";
import type { Locale } from "../core/fault/words/words.ts";
import { type BudgetRule, NO_BUDGET, ON_EXCEED } from "../core/flow/money.ts";
import type { Policy } from "../core/policy/policy.ts";
import { PRESETS, type PresetName } from "../core/policy/presets.ts";
import { type Chance, systemChance } from "../host/chance.ts";
import { type Clock, systemClock } from "../host/clock.ts";
import type { Journal } from "../journal/journal.ts";
import { createMemoryJournal } from "../journal/memory.ts";
import type { Extension } from "./extension/extension.ts";
import type { Interactor } from "./person/interactor.ts";
import type { SessionLimits } from "./session/session.ts";
import type { AnyTool } from "./tool/tool.ts";
import type { ToolOverride } from "./tool/overrides.ts";

export interface RuntimeOptions {
  /** Where sessions live. In memory when left out: nothing outlives the process. */
  readonly journal?: Journal;
  /** A preset's name, or a whole policy, e.g. from `faultline/policy-file`. */
  readonly policy?: PresetName | Policy;
  /** Tools that are found by their id, as alternatives are. */
  readonly tools?: readonly AnyTool[];
  /** What an operator says about tools, e.g. from `faultline/tool-file`; stands in front of what the tools say. */
  readonly manifests?: readonly ToolOverride[];
  /** Rows in front of the classifier's own. */
  readonly rules?: readonly Rule[];
  readonly interactors?: readonly Interactor[];
  readonly extensions?: readonly Extension[];
  readonly budget?: Partial<BudgetRule>;
  readonly limits?: Partial<SessionLimits>;
  /** Values that must not get out, whatever they look like: keys, passwords. */
  readonly secrets?: readonly (string | undefined)[];
  readonly locale?: Locale;
  /** How many targets are remembered, and how many tools that are not in `tools` have numbers of their own in `metrics()`. */
  readonly maxTargets?: number;
  /** How many events outside sessions are remembered. */
  readonly maxRecent?: number;
  /** Folders for rescue files, best first. Beside the journal when left out. */
  readonly rescueFolders?: readonly string[];
  readonly clock?: Clock;
  readonly chance?: Chance;
}

export interface ResolvedOptions {
  readonly journal: Journal;
  readonly policy: Policy;
  readonly tools: readonly AnyTool[];
  readonly manifests: readonly ToolOverride[];
  readonly rules: readonly Rule[];
  readonly interactors: readonly Interactor[];
  readonly extensions: readonly Extension[];
  readonly budget: BudgetRule;
  readonly limits: SessionLimits;
  readonly redactor: LearningRedactor;
  readonly locale: Locale;
  readonly maxTargets: number;
  readonly maxRecent: number;
  readonly rescueFolders: readonly string[];
  readonly clock: Clock;
  readonly chance: Chance;
}

const DEFAULT_LIMITS: SessionLimits = {
  maxTurns: 50,
  maxToolRounds: 16,
  turnTimeoutMs: 300_000,
  runTimeoutMs: Infinity,
  maxParallel: 16,
};

export function resolveOptions(options: RuntimeOptions): ResolvedOptions {
  refuseJournalPath(options.journal);
  const clock = options.clock ?? systemClock;
  const chance = options.chance ?? systemChance;
  const journal = options.journal ?? createMemoryJournal({ clock, chance });
  return {
    clock,
    chance,
    journal,
    policy: policyOf(options.policy ?? "default"),
    tools: options.tools ?? [],
    manifests: options.manifests ?? [],
    rules: options.rules ?? [],
    interactors: options.interactors ?? [],
    extensions: options.extensions ?? [],
    budget: budgetOf(options.budget),
    limits: checked("limits", { ...DEFAULT_LIMITS, ...options.limits }),
    redactor: createRedactor(options.secrets ?? []),
    locale: options.locale ?? "en",
    maxTargets: options.maxTargets ?? 1_000,
    maxRecent: options.maxRecent ?? 1_000,
    rescueFolders: options.rescueFolders ?? (journal.path === null ? [] : [folderOf(journal.path)]),
  };
}

/** Opening a file takes time, and making the object does not: the two are separate steps. */
function refuseJournalPath(journal: unknown): void {
  if (journal === undefined || (typeof journal === "object" && journal !== null && "append" in journal)) return;
  const path = typeof journal === "string" ? JSON.stringify(journal) : '"agent.db"';
  throw invalid("journal", `journal must be an open journal: createFaultline({ journal: await openJournal(${path}) })`);
}

export function budgetOf(given: Partial<BudgetRule> | undefined): BudgetRule {
  const budget: BudgetRule = { ...NO_BUDGET, ...given };
  if (!ON_EXCEED.includes(budget.onExceed)) {
    const list = ON_EXCEED.map((one) => JSON.stringify(one)).join(", ");
    throw invalid(
      "budget.onExceed",
      `budget.onExceed is ${JSON.stringify(budget.onExceed)}; it must be one of ${list}`,
    );
  }
  return checked("budget", budget, ["onExceed"]);
}

function invalid(field: string, message: string): FaultError {
  return new FaultError(fault("ConfigSchemaViolation", { message, context: { field } }));
}

export function policyOf(policy: PresetName | Policy): Policy {
  if (typeof policy !== "string") return policy;
  if (Object.hasOwn(PRESETS, policy)) return PRESETS[policy];
  const message = `there is no policy preset ${JSON.stringify(policy)}; there are ${Object.keys(PRESETS).join(", ")}`;
  throw invalid("policy", message);
}

/** Values that are no numbers, or negative, would switch a limit off without a word. */
export function checked<T extends object>(field: string, values: T, others: readonly (keyof T)[] = []): T {
  for (const [name, value] of Object.entries(values) as [string, unknown][]) {
    if (others.includes(name as keyof T) || (typeof value === "number" && value >= 0)) continue;
    const shown = typeof value === "string" ? JSON.stringify(value) : String(value);
    throw invalid(`${field}.${name}`, `${field}.${name} is ${shown}; it must be a number from 0 up`);
  }
  return values;
}

function folderOf(path: string): string {
  const end = Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\"));
  return end === -1 ? "." : path.slice(0, Math.max(1, end));
}
