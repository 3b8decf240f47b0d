// What the options take that several doors share.

import { MODEL_DETAILS } from "../core/fault/view.ts";
import { type BudgetOptions, ON_EXCEED } from "../core/flow/money.ts";
import type { RetryChange } from "../core/policy/layer.ts";
import type { Backoff, BreakerRule, Policy, RetryBudgetRule } from "../core/policy/policy.ts";
import { PRESET_NAMES } from "../core/policy/presets.ts";
import {
  anyText,
  described,
  either,
  flag,
  group,
  having,
  type Kind,
  listOf,
  mapOf,
  number,
  oneOf,
  required,
  shape,
  text,
  whole,
} from "../options/check-options.ts";

export const MAX_TIMEOUT_MS = 30 * 24 * 3_600_000;

export const RETRY_OPTIONS = shape<RetryChange>({
  maxAttempts: whole(1, 1000),
  backoff: group(
    shape<Backoff>({
      kind: oneOf(["fixed", "linear", "exponential"]),
      initialMs: number(0, MAX_TIMEOUT_MS),
      maxMs: number(0, MAX_TIMEOUT_MS),
      multiplier: number(1, 100),
    }),
  ),
  jitter: number(0, 1),
  maxWaitMs: number(0),
  maxTotalWaitMs: number(0),
});

export const retryKind: Kind = described(
  '"none", or an object with what is different, as in { maxAttempts: 3 }',
  either(oneOf(["none"]), group(RETRY_OPTIONS)),
);

const BREAKER_OPTIONS = shape<BreakerRule>({
  failures: whole(1),
  successes: whole(1),
  openMs: number(0, MAX_TIMEOUT_MS),
  growth: number(1, 1000),
  maxOpenMs: number(0, MAX_TIMEOUT_MS),
  defaultMaxOpenMs: number(0, MAX_TIMEOUT_MS),
  probeTimeoutMs: number(0),
  counts: oneOf(["calls", "attempts"]),
});
export const breakerKind = group(BREAKER_OPTIONS);

export const rulesKind = listOf(having("a rule, as in { id, when, means, example }", "id", "when", "means"));
export const toolKind = having('a tool, as in tool({ id: "search", run: search })', "id", "run", "checkInput");
export const alternativesKind = listOf(described("a tool or the id of one", either(text, toolKind)));
export const modelDetailKind = oneOf(MODEL_DETAILS);
export const environmentKind = mapOf(
  described("a string or undefined", either(anyText, { says: "", fits: (value) => value === undefined })),
);

export const budgetKind = group(
  shape<BudgetOptions>({ maxUsd: number(0), onExceed: oneOf(ON_EXCEED), warnAtPercent: number(0) }),
);

const wholePolicy = group(
  shape<Policy>({
    name: required(anyText),
    rows: required(listOf(having("a row, as in { match, retry, then, origin }", "match", "retry", "then", "origin"))),
    breaker: required(breakerKind),
    retryBudget: required(
      group(shape<RetryBudgetRule>({ capacity: number(0), perCall: number(0), perSecond: number(0) })),
    ),
    learnsAfter: required(number(0)),
    unattended: flag,
  }),
);
export const policyKind: Kind = {
  ...either(oneOf(PRESET_NAMES), wholePolicy),
  says: `a preset (${PRESET_NAMES.map((name) => JSON.stringify(name)).join(", ")}) or a whole policy`,
  showsText: true,
};

export const journalKind = described(
  'a file\'s name, as in "agent.db", or an open journal',
  either(text, having("", "append", "kept", "subscribe")),
);

export const labelsKind = mapOf(anyText);
