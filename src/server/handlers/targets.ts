// Targets: their state, and what operators do by hand.

import type { Shaped } from "../../api/route.ts";
import type { targetView } from "../../api/targets.ts";
import { SHAPE_REDACTOR } from "../../core/fault/redact.ts";
import { wordsFor } from "../../core/fault/words/words.ts";
import type { ToolMetrics } from "../../core/record/metrics.ts";
import type { Gateway } from "../../gateway/gateway.ts";
import type { ReportedStep } from "../../gateway/gateway-report.ts";
import type { TargetReport } from "../../runtime/target/report-targets.ts";
import { targetActions, targetPill, describeTarget } from "../../runtime/target/target-words.ts";
import { modelInKey } from "../../runtime/target/targets.ts";
import type { HandlersOf } from "../handler.ts";
import type { ServerParts } from "../parts.ts";
import type { Reader } from "../views.ts";
import { Refused } from "../problems.ts";

export function targetHandlers({
  faultline,
  gateway,
}: ServerParts): HandlersOf<"listTargets" | "isolateTarget" | "resetTarget" | "probeTarget"> {
  function shown(target: string, reader: Reader): Shaped<typeof targetView> {
    const report = faultline.targets().find((one) => one.target === target);
    if (report === undefined) throw new Refused("not-there");
    return targetFor(report, faultline.metrics(), reader, stepsOf(gateway));
  }

  return {
    listTargets({ who, locale }) {
      const metrics = faultline.metrics();
      const steps = stepsOf(gateway);
      const items = faultline.targets().map((report) => targetFor(report, metrics, { who, locale }, steps));
      return {
        items: items.toSorted((a, b) => serviceRank(a) - serviceRank(b) || (a.target < b.target ? -1 : 1)),
        next: null,
      };
    },
    async isolateTarget({ params: { target }, body: { reason }, who, locale }) {
      // Also a target that no call has used yet: it can be taken out of service before.
      await faultline.isolate(target, reason, who.name);
      return shown(target, { who, locale });
    },
    async resetTarget({ params: { target }, who, locale }) {
      shown(target, { who, locale });
      await faultline.release(target, who.name);
      return shown(target, { who, locale });
    },
    async probeTarget({ params: { target }, who, locale }) {
      shown(target, { who, locale });
      await faultline.probe(target, who.name);
      return shown(target, { who, locale });
    },
  };
}

/** What is out of service comes first. */
export function serviceRank({ breaker, pausedUntil }: Pick<TargetReport, "breaker" | "pausedUntil">): number {
  return breaker === "closed" ? (pausedUntil === null ? 2 : 1) : 0;
}

export function stepsOf(gateway: Gateway | null): readonly ReportedStep[] {
  return gateway?.report().routes.flatMap(({ steps }) => steps) ?? [];
}

/** A target that only the journal knows has the name of the gateway's file: several targets may have the same model. */
function nameOf({ target, name, tools }: TargetReport, steps: readonly ReportedStep[]): string {
  const model = modelInKey(target);
  const step = tools.length > 0 || model === null ? undefined : steps.find(({ isKeyOf }) => isKeyOf(target));
  return step === undefined ? name : `${step.target}/${model}`;
}

/** `steps`: those of the gateway's routes. */
export function targetFor(
  report: TargetReport,
  metrics: Readonly<Record<string, ToolMetrics>>,
  { who, locale }: Reader,
  steps: readonly ReportedStep[],
): Shaped<typeof targetView> {
  const { target, kind, tools, breaker, since, retryAt, cause, reason, pausedUntil, running, queued } = report;
  const { usedAt, limits, recent } = report;
  const isOperator = who.role === "operator";
  return {
    target,
    name: nameOf(report, steps),
    kind,
    breaker,
    since,
    retryAt,
    pausedUntil,
    running,
    queued,
    usedAt,
    recent,
    limits,
    state: targetPill(report, locale),
    says: describeTarget(report, locale),
    cause:
      cause === null
        ? null
        : {
            code: cause.code,
            title: wordsFor(cause.code, locale).title,
            ...(isOperator ? { message: SHAPE_REDACTOR.text(cause.message) } : {}),
          },
    reason: reason === null || !isOperator ? null : SHAPE_REDACTOR.text(reason),
    tools,
    figures: figuresOf(tools.flatMap((tool) => metrics[tool] ?? [])),
    actions: targetActions(report, locale),
  };
}

function figuresOf(rows: readonly ToolMetrics[]): Shaped<typeof targetView>["figures"] {
  if (rows.length === 0) return null;
  const sum = (of: (row: ToolMetrics) => number): number => rows.reduce((all, row) => all + of(row), 0);
  const calls = sum((row) => row.call_count);
  const errors = sum((row) => row.error_count);
  return {
    calls,
    errors,
    // A call that is retried may meet several errors.
    errorRate: calls === 0 ? null : Math.min(1, errors / calls),
    retries: sum((row) => row.retry_count),
    timeouts: sum((row) => row.timeout_count),
    breakerOpens: sum((row) => row.circuit_breaker_opens),
    spentMicrocents: sum((row) => row.cost_microcents),
    unpricedAttempts: sum((row) => row.unpriced_count),
  };
}
