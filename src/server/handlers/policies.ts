// The policy in force, texts to check, past decisions under another policy, and failures to try out.

import type { z } from "zod";
import type { policyRow, policyView } from "../../api/policy-shapes.ts";
import type { Role } from "../../api/route.ts";
import { recourseWord } from "../../core/decide/explain.ts";
import type { Locale } from "../../core/fault/words/words.ts";
import { schedule } from "../../core/policy/backoff.ts";
import { describeMatch, type Policy, type PolicyRow } from "../../core/policy/policy.ts";
import { PRESET_NAMES, type PresetName, PRESETS } from "../../core/policy/presets.ts";
import { tellReplayLimit } from "../../core/record/replay-words.ts";
import { replayPolicy } from "../../journal/replay-policy.ts";
import { parsePolicy } from "../../policy-file/parse.ts";
import type { TriedFailure } from "../../runtime/report/try-out.ts";
import { renderDiagnostic } from "../../yaml-file/diagnostic.ts";
import type { HandlersOf } from "../asked.ts";
import type { ServerParts } from "../parts.ts";
import { Refused } from "../problems.ts";
import { decisionFor, faultFor, placeFor } from "../views.ts";

/** The name under which diagnostics and rows show a text that was sent. */
const SENT_NAME = "policy.yaml";

export function policyHandlers({
  faultline,
  journal,
}: ServerParts): HandlersOf<"showPolicy" | "checkPolicy" | "replayPolicy" | "classify"> {
  return {
    async showPolicy({ query: { preset }, who, locale }) {
      const policy = preset === undefined ? await faultline.policyInForce() : PRESETS[preset];
      return viewOf(policy, who.role, locale);
    },
    checkPolicy({ body: { text }, who, locale }) {
      const { policy, diagnostics } = parsePolicy(text, SENT_NAME);
      return {
        usable: policy !== null,
        diagnostics: diagnostics.map((diagnostic) => {
          const { file: _file, hides: _hides, ...shown } = diagnostic;
          return { ...shown, shown: renderDiagnostic(diagnostic, text) };
        }),
        policy: policy === null ? null : viewOf(policy, who.role, locale),
      };
    },
    async replayPolicy({ body, locale }) {
      const { sinceAt, session, limit } = body;
      const policy = policyIn(body) ?? PRESETS.default;
      const summary = await replayPolicy(journal, policy, {
        examples: limit,
        locale,
        ...(sinceAt === undefined ? {} : { sinceAt }),
        ...(session === undefined ? {} : { session }),
      });
      const { examples, limits, table, ...figures } = summary;
      const isRun = await Promise.all(examples.map(async (one) => (await journal.kept("run", one.session)) !== null));
      return {
        ...figures,
        unknown: { ...figures.unknown },
        table: [...table],
        examples: examples.map((one, index) => ({ ...one, why: [...one.why], isRun: isRun[index] ?? false })),
        limits: limits.map((id) => ({ id, says: tellReplayLimit(id, locale) })),
      };
    },
    async classify({ body, who, locale, correlationId }) {
      const { text: _text, preset: _preset, ...failure } = body;
      const policy = policyIn(body);
      const tried = { ...failure, ...(policy === null ? {} : { policy }) } as TriedFailure;
      const { fault, policy: name, row, decisions } = await faultline.tryOut(tried);
      const schedule = decisions.map((decision) => decisionFor({ role: who.role, locale }, decision));
      const [decision] = schedule;
      if (decision === undefined) throw new Error("there is a decision about every fault");
      return {
        fault: faultFor({ role: who.role, locale }, fault, correlationId),
        policy: name,
        row: rowOf(row, who.role, locale),
        decision,
        schedule,
      };
    },
  };
}

/** The policy that a request names; null when it names none. */
function policyIn({
  text,
  preset,
}: {
  readonly text?: string | undefined;
  readonly preset?: PresetName | undefined;
}): Policy | null {
  if (preset !== undefined) return PRESETS[preset];
  if (text === undefined) return null;
  const { policy, diagnostics } = parsePolicy(text, SENT_NAME);
  if (policy !== null) return policy;
  const errors = diagnostics
    .filter(({ severity }) => severity === "error")
    .map(({ line, column, message }) => ({ pointer: "/text", detail: `line ${line}, column ${column}: ${message}` }));
  throw new Refused("invalid", { errors: errors.slice(0, 20) });
}

function viewOf(policy: Policy, role: Role, locale: Locale): z.output<typeof policyView> {
  const { name, rows, breaker, retryBudget, learnsAfter } = policy;
  return {
    name: placeFor(role, name),
    presets: [...PRESET_NAMES],
    rows: rows.map((row) => rowOf(row, role, locale)),
    breaker: { ...breaker },
    retryBudget: { ...retryBudget },
    learnsAfter,
  };
}

function rowOf({ match, retry, then, origin }: PolicyRow, role: Role, locale: Locale): z.output<typeof policyRow> {
  const lists = Object.entries(match).map(([field, values]) => [field, [...(values as readonly string[])]] as const);
  return {
    match: Object.fromEntries(lists),
    matches: describeMatch(match),
    maxAttempts: retry?.maxAttempts ?? 1,
    waits: retry === null ? [] : [...schedule(retry)],
    then: then.map((recourse) => ({ recourse, says: recourseWord(recourse, locale) })),
    origin: { layer: origin.layer, at: placeFor(role, origin.at) },
  };
}
