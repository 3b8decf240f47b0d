// The options of a runtime and their defaults, resolved once, here.

import type { Rule } from "../core/classify/rule.ts";
import { createRedactor, type LearningRedactor } from "../core/fault/redact.ts";
import { type Locale, LOCALES } from "../core/fault/words/words.ts";
import { type BudgetOptions, type BudgetRule, budgetRule, NO_BUDGET } from "../core/flow/money.ts";
import type { Policy } from "../core/policy/policy.ts";
import { PRESETS, type PresetName } from "../core/policy/presets.ts";
import { type Chance, systemChance } from "../host/chance.ts";
import { type Clock, systemClock } from "../host/clock.ts";
import type { Journal } from "../journal/journal.ts";
import { folderBeside } from "../journal/journal-place.ts";
import { createMemoryJournal } from "../journal/memory/memory-journal.ts";
import { openLater } from "../journal/open-later.ts";
import { hideInWarnings } from "../journal/warnings.ts";
import {
  anyText,
  chanceKind,
  clockKind,
  described,
  either,
  having,
  listOf,
  oneOf,
  over,
  shape,
  text,
  whole,
} from "../options/check-options.ts";
import { budgetKind, journalKind, policyKind, rulesKind, toolKind } from "./option-shapes.ts";
import { limitsKind } from "./session/session-options.ts";
import type { Extension } from "./extension/extension.ts";
import type { Interactor } from "./person/interactors.ts";
import type { SessionLimits } from "./session/session.ts";
import { type AnyTool, manifestKind } from "./tool/tool.ts";
import type { ToolOverride } from "../core/policy/layer.ts";

export interface RuntimeOptions {
  /** Where sessions live: a file, opened with the first session, or an open journal. In memory when left out: nothing outlives the process. */
  readonly journal?: string | Journal;
  /** A preset's name, or a whole policy, e.g. from `faultline/policy-file`. */
  readonly policy?: PresetName | Policy;
  /** Tools that others can name by id, for example as alternatives. */
  readonly tools?: readonly AnyTool[];
  /** An operator's settings for tools, e.g. from `faultline/tool-file`; they override the tools' own. */
  readonly manifests?: readonly ToolOverride[];
  /** Classifier rules of your own. They are tried before the built-in ones. */
  readonly rules?: readonly Rule[];
  /** Who answers questions. All are asked at the same time, and the first answer counts. Without one, questions of sessions wait in the journal. */
  readonly interactors?: readonly Interactor[];
  /** Bundles of tools, rules, policy rows and interactors; they start with the first call or session. */
  readonly extensions?: readonly Extension[];
  /** The money that calls outside sessions may spend, and each session by default. No limit when left out. */
  readonly budget?: BudgetOptions;
  /** Time limits and maximum numbers for each session, such as `turnTimeoutMs` and `maxTurns`. */
  readonly limits?: Partial<SessionLimits>;
  /** Secrets to mask everywhere, whatever they look like: keys, passwords. */
  readonly secrets?: readonly (string | undefined)[];
  /** The language of messages for users: `en` (default) or `zh-CN`. */
  readonly locale?: Locale;
  /** How many targets Faultline remembers, and how many tools that are not in `tools` have a row of their own in `metrics()`. */
  readonly maxTargets?: number;
  /** How many events outside sessions are remembered. */
  readonly maxRecent?: number;
  /** Folders for rescue files, best first. Beside the journal when left out. */
  readonly rescueFolders?: readonly string[];
  /** Time and timers. The system's by default; tests pass a fake one from `faultline/testing`. */
  readonly clock?: Clock;
  /** Random numbers and ids. The system's by default; tests pass a seeded one from `faultline/testing`. */
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

export const RUNTIME_OPTIONS = shape<RuntimeOptions>({
  journal: journalKind,
  policy: policyKind,
  tools: listOf(toolKind),
  manifests: listOf(manifestKind),
  rules: rulesKind,
  interactors: listOf(having("an interactor, with a name and answer()", "name", "answer")),
  extensions: listOf(having("an extension made by defineExtension", "name", "setup")),
  budget: budgetKind,
  limits: limitsKind,
  secrets: listOf(
    described("a string or undefined", either(anyText, { says: "", fits: (value) => value === undefined })),
  ),
  locale: oneOf(LOCALES),
  maxTargets: whole(1),
  maxRecent: whole(0),
  rescueFolders: listOf(text),
  clock: clockKind,
  chance: chanceKind,
});

const DEFAULT_LIMITS: SessionLimits = {
  maxTurns: 50,
  maxToolRounds: 16,
  turnTimeoutMs: 300_000,
  runTimeoutMs: Infinity,
  maxParallel: 16,
};

export function resolveOptions(options: RuntimeOptions): ResolvedOptions {
  const clock = options.clock ?? systemClock;
  const chance = options.chance ?? systemChance;
  const journal = journalOf(options.journal, { clock, chance });
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
    budget: budgetRule(NO_BUDGET, options.budget),
    limits: over(DEFAULT_LIMITS, options.limits),
    redactor: hideInWarnings(createRedactor(options.secrets ?? [])),
    locale: options.locale ?? "en",
    maxTargets: options.maxTargets ?? 1_000,
    maxRecent: options.maxRecent ?? 1_000,
    rescueFolders: options.rescueFolders ?? (journal.path === null ? [] : [folderBeside(journal.path)]),
  };
}

export function journalOf(
  given: string | Journal | undefined,
  home: { readonly clock: Clock; readonly chance: Chance },
): Journal {
  return typeof given === "string" ? openLater(given, home) : (given ?? createMemoryJournal(home));
}

export function policyOf(policy: PresetName | Policy): Policy {
  return typeof policy === "string" ? PRESETS[policy] : policy;
}
