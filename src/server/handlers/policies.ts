// The policy in force, texts to check, past decisions under another policy, and failures to try out.

import { defined } from "../../core/defined.ts";
import type { policyRow, policyView, triedFailure } from "../../api/policy.ts";
import type { Role, Shaped } from "../../api/route.ts";
import { recourseStep, recourseWord } from "../../core/decide/explain.ts";
import { readPasted } from "../../core/classify/read-pasted.ts";
import { type Locale, LOCALES, wordsFor, wordsOf } from "../../core/fault/words/words.ts";
import { describeMatch, type Policy, type PolicyRow, schedule } from "../../core/policy/policy.ts";
import { PRESET_NAMES, type PresetName, PRESETS } from "../../core/policy/presets.ts";
import { describeReplayLimit } from "../../core/record/replay-tally.ts";
import { type ReplayProgress, replayPolicy } from "../../journal/replay-policy.ts";
import { parsePolicy } from "../../policy-file/parse.ts";
import type { TriedDecision, TriedFailure } from "../../runtime/report/try-out.ts";
import { renderDiagnostic } from "../../yaml-file/diagnostic.ts";
import type { HandlersOf } from "../handler.ts";
import { isRun, type ServerParts } from "../parts.ts";
import { Refused } from "../problems.ts";
import { causeFor } from "../run-views.ts";
import { decisionFor, faultFor, placeFor, type Reader } from "../views.ts";

/** The name under which diagnostics and rows show a text that was sent. */
const SENT_NAME = "policy.yaml";

export function policyHandlers({
  clock,
  faultline,
  journal,
}: ServerParts): HandlersOf<"showPolicy" | "checkPolicy" | "replayPolicy" | "replayProgress" | "classify"> {
  const replays = new Map<string, ReplayProgress>();
  return {
    async showPolicy({ query: { preset }, who, locale }) {
      const policy = preset === undefined ? await faultline.policyInForce() : PRESETS[preset];
      return viewOf(policy, who.role, locale);
    },
    checkPolicy({ body: { text }, who, locale }) {
      const { policy, diagnostics } = parsePolicy(text, SENT_NAME, locale);
      return {
        usable: policy !== null,
        diagnostics: diagnostics.map((diagnostic) => {
          const { file: _file, hides: _hides, ...shown } = diagnostic;
          return { ...shown, shown: renderDiagnostic(diagnostic, text) };
        }),
        policy: policy === null ? null : viewOf(policy, who.role, locale),
      };
    },
    async replayPolicy({ body, locale, request }) {
      const { sinceAt, session, last, limit, progress } = body;
      const policy = policyIn(body, locale) ?? PRESETS.default;
      const summary = await replayPolicy(journal, policy, {
        examples: limit,
        locale,
        ...defined({ sinceAt, session, last }),
        // A client that hangs up ends the replay.
        signal: request.signal,
        onProgress: async (read) => {
          if (progress !== undefined) replays.set(progress, read);
          await new Promise<void>((resolve) => clock.soon(resolve));
        },
      }).finally(() => replays.delete(progress ?? ""));
      const { examples, limits, table, ...figures } = summary;
      const areRuns = await Promise.all(examples.map(({ session: name }) => isRun(journal, name)));
      return {
        ...figures,
        table: table.map((row) => ({
          ...row,
          says: {
            from: recourseWord(row.from, locale),
            to: recourseWord(row.to, locale),
            fault: wordsFor(row.code, locale).title,
          },
        })),
        examples: examples.map((one, index) => ({ ...one, isRun: areRuns[index] ?? false })),
        limits: limits.map((id) => ({ id, says: describeReplayLimit(id, locale) })),
      };
    },
    replayProgress({ query: { progress } }) {
      const known = replays.get(progress);
      return { isRunning: known !== undefined, ...(known ?? { read: 0, of: 0 }) };
    },
    async classify({ body, who, locale, correlationId }) {
      const { text: _text, preset: _preset, pasted, evidence, ...failure } = body;
      const policy = policyIn(body, locale);
      const read = pasted === undefined ? null : readPasted(pasted);
      const tried = {
        ...(read === null ? { evidence } : { surface: read.surface, evidence: read.evidence }),
        ...failure,
        ...(policy === null ? {} : { policy }),
      } as TriedFailure;
      const { fault, policy: name, row, decisions } = await faultline.tryOut(tried);
      const reader = { who, locale };
      const schedule = scheduleFor(reader, decisions);
      const [decision] = schedule;
      if (decision === undefined) throw new Error("there is a decision about every fault");
      return {
        read: read === null ? null : { kind: read.kind, surface: read.surface },
        fault: faultFor(reader, fault, correlationId),
        cause: causeFor(fault.code, locale),
        words: LOCALES.map((language) => ({ language, ...wordsOf(fault, language) })),
        policy: name,
        row: rowOf(row, who.role, locale),
        decision,
        schedule,
        total: { minMs: sumOf(decisions, "minMs"), maxMs: sumOf(decisions, "maxMs") },
      };
    },
  };
}

/** Each decision with its wait, and when it comes if the attempts take no time. */
function scheduleFor(reader: Reader, decisions: readonly TriedDecision[]): Shaped<typeof triedFailure>["schedule"] {
  return decisions.map(({ decision, wait }, index) => {
    const before = decisions.slice(0, index);
    return {
      ...decisionFor(reader, decision),
      at: { minMs: sumOf(before, "minMs"), maxMs: sumOf(before, "maxMs") },
      wait,
    };
  });
}

function sumOf(decisions: readonly TriedDecision[], bound: keyof TriedDecision["wait"]): number {
  return decisions.reduce((sum, { wait }) => sum + wait[bound], 0);
}

/** The policy that a request names; null when it names none. */
function policyIn(
  { text, preset }: { readonly text?: string | undefined; readonly preset?: PresetName | undefined },
  locale: Locale,
): Policy | null {
  if (preset !== undefined) return PRESETS[preset];
  if (text === undefined) return null;
  const { policy, diagnostics } = parsePolicy(text, SENT_NAME, locale);
  if (policy !== null) return policy;
  const errors = diagnostics
    .filter(({ severity }) => severity === "error")
    .map(({ line, column, message }) => ({ pointer: "/text", detail: `line ${line}, column ${column}: ${message}` }));
  throw new Refused("invalid", { errors: errors.slice(0, 20) });
}

function viewOf(policy: Policy, role: Role, locale: Locale): Shaped<typeof policyView> {
  const { name, rows, breaker, retryBudget, learnsAfter } = policy;
  return {
    name: placeFor(role, name),
    presets: PRESET_NAMES,
    rows: rows.map((row) => rowOf(row, role, locale)),
    breaker: { ...breaker },
    retryBudget,
    learnsAfter,
  };
}

function rowOf({ match, retry, then, origin }: PolicyRow, role: Role, locale: Locale): Shaped<typeof policyRow> {
  const lists = Object.entries(match).map(([field, values]) => [field, [...(values as readonly string[])]] as const);
  return {
    match: Object.fromEntries(lists),
    matches: describeMatch(match),
    maxAttempts: retry?.maxAttempts ?? 1,
    waits: retry === null ? [] : [...schedule(retry)],
    then: then.map((recourse) => ({ recourse, says: recourseStep(recourse, locale) })),
    origin: { layer: origin.layer, at: placeFor(role, origin.at) },
  };
}
