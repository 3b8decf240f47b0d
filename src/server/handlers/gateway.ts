// The gateway on the server's port: its keys and routes, what was spent, and its calls. Without a gateway there is nothing here.

import type { Shaped } from "../../api/route.ts";
import { defined } from "../../core/defined.ts";
import { z } from "zod";
import type { gatewayCall, gatewayView } from "../../api/gateway.ts";
import { type Locale, wordsFor } from "../../core/fault/words/words.ts";
import type { Gateway } from "../../gateway/gateway.ts";
import type { GatewayReport, ReportedBudget, ReportedRoute, ReportedStep } from "../../gateway/gateway-report.ts";
import { type WindowName, windowStart } from "../../gateway/key/key-account.ts";
import { CALL_WORDS, endingWords, stateOf, stateWord } from "../../gateway/ledger/call-ending.ts";
import { decisionId, type LedgerLine } from "../../gateway/ledger/ledger-line.ts";
import { findCall, readCallId } from "../../gateway/ledger/find-call.ts";
import { textIn } from "../../gateway/ledger/kept-text.ts";
import { gatewayRecourse } from "../../gateway/ledger/recourse-word.ts";
import { readLedger } from "../../gateway/ledger/read-ledger.ts";
import { transcriptOf } from "../../gateway/ledger/transcripts.ts";
import { type DayUsage, usageOfDays } from "../../gateway/ledger/usage.ts";
import { modelInKey } from "../../runtime/target/targets.ts";
import type { TargetReport } from "../../runtime/target/report-targets.ts";
import { serviceRank } from "./targets.ts";
import { describeTarget, targetPill } from "../../runtime/target/target-words.ts";
import { fromCursor, pageFrom } from "../cursor.ts";
import type { HandlersOf } from "../handler.ts";
import type { ServerParts } from "../parts.ts";
import { Refused } from "../problems.ts";
import type { Identity } from "../tokens.ts";
import { titleOf } from "../views.ts";

type View = Shaped<typeof gatewayView>;
type CallView = Shaped<typeof gatewayCall>;

const PLACE = z.strictObject({ at: z.number(), key: z.string(), index: z.number() });
const DAYS = 14;
const DAY_MS = 86_400_000;

export function gatewayHandlers({
  gateway,
  journal,
  clock,
  faultline,
}: ServerParts): HandlersOf<"showGateway" | "listGatewayCalls" | "showGatewayCall"> {
  function served(): Gateway {
    if (gateway === null) throw new Refused("not-there");
    return gateway;
  }

  async function keptFor({ call, isKept, dialect }: LedgerLine, { role }: Identity): Promise<CallView["kept"]> {
    const kept = role === "operator" && isKept === true ? await transcriptOf(journal, call, clock.now()) : null;
    if (kept === null) return null;
    return { ...kept, text: kept.answer === null ? null : textIn(kept.answer, dialect) };
  }

  return {
    async showGateway({ locale, who }) {
      const report = served().report();
      const { keys, routes, unwritten } = report;
      const names = namesFor(report, who);
      const targets = faultline.targets();
      const now = clock.now();
      return {
        keys: keys.map((key) => ({
          name: key.name,
          otherPaths: key.otherPaths,
          routes: key.routes,
          regions: key.regions,
          budgets: key.budgets.map((budget) => budgetFor(budget, locale)),
        })),
        routes: routes.map((route) => routeFor(route, targets, names, locale)),
        unwritten:
          unwritten === null
            ? null
            : { since: unwritten.since, says: wordsFor(unwritten.fault.code, locale).operator, lines: unwritten.lines },
        spend: spendOf(await usageOfDays(journal, DAYS, now), now, names.targetName),
      };
    },
    async listGatewayCalls({ query: { limit, cursor, key, state }, locale, who }) {
      const names = namesFor(served().report(), who);
      const after = fromCursor(cursor, PLACE);
      const found = await readLedger(journal, {
        limit: limit + 1,
        ...defined({ after }),
        where: (line) => (key === undefined || line.key === key) && (state === undefined || stateOf(line) === state),
      });
      const shown = await Promise.all(
        found.map(async ({ line, place }) => ({
          place,
          view: { ...callFor(line, names, locale), kept: await keptFor(line, who) },
        })),
      );
      return pageFrom(
        shown,
        limit,
        ({ view }) => view,
        ({ place }) => ({ ...place }),
      );
    },
    async showGatewayCall({ params: { call }, locale, who }) {
      const names = namesFor(served().report(), who);
      const id = readCallId(call);
      const line = id === null ? undefined : (await findCall(journal, id.call))?.line;
      if (line === undefined) throw new Refused("not-there");
      return { ...callFor(line, names, locale), kept: await keptFor(line, who) };
    },
  };
}

interface ShownNames {
  /** The shown name of a model or a route that a client asked for. */
  readonly askedName: (name: string) => string;
  readonly targetName: (id: string) => string;
  readonly omitted: (where: readonly string[]) => readonly string[];
}

/** A client chooses the models it names, so only operators see names that are not in the gateway's file. */
function namesFor({ routes }: GatewayReport, { role }: Identity): ShownNames {
  const known = new Set(routes.flatMap(({ name, steps }) => [name, ...steps.map(stepName)]));
  const isShown = (name: string): boolean => role === "operator" || known.has(name);
  return {
    askedName: (name) => (isShown(name) ? name : ""),
    targetName: (id) => (isShown(id) ? id : (id.split("/", 1)[0] ?? "")),
    omitted: (where) => (role === "operator" ? where : []),
  };
}

function stepName({ target, model }: ReportedStep): string {
  return model === null ? target : `${target}/${model}`;
}

const LOW_SHARE = 0.8;

function budgetFor(budget: ReportedBudget, locale: Locale): View["keys"][number]["budgets"][number] {
  const { window, limitMicrocents, spentMicrocents, resetsAt } = budget;
  const share = spentMicrocents / limitMicrocents;
  const id: BudgetState = share >= 1 ? "spent" : share >= LOW_SHARE ? "low" : "fine";
  const { windows, budgets } = SERVED_GATEWAY_WORDS[locale];
  return {
    limitMicrocents,
    spentMicrocents,
    resetsAt,
    window: { id: window, label: windows[window] },
    state: { id, label: budgets[id] },
  };
}

function routeFor(
  { name, midStream, hedgeAfter, steps }: ReportedRoute,
  targets: readonly TargetReport[],
  names: ShownNames,
  locale: Locale,
): View["routes"][number] {
  return { name, midStream, hedgeAfter, steps: steps.map((step) => stepFor(step, targets, names, locale)) };
}

function stepFor(
  step: ReportedStep,
  targets: readonly TargetReport[],
  { askedName }: ShownNames,
  locale: Locale,
): View["routes"][number]["steps"][number] {
  const { model, dialects, region, isKeyOf, mayAsk } = step;
  // The same rows as on the page of targets, so the two never differ.
  const rows = targets
    .filter(({ target }) => isKeyOf(target))
    .toSorted((one, other) => serviceRank(one) - serviceRank(other));
  const { unused, unusedSays } = SERVED_GATEWAY_WORDS[locale];
  const asked = rows.filter(({ target }) => mayAsk(target));
  // One model that fails says nothing about the others at the same address; one that answers shows that the address is there.
  const working = rows.findLast(({ breaker }) => breaker === "closed");
  const shown = model === null ? (asked.at(-1) ?? working) : rows[0];
  const health =
    shown === undefined
      ? { state: { id: "unused" as const, label: unused }, says: unusedSays }
      : { state: targetPill(shown, locale), says: describeTarget(shown, locale) };
  const worse = asked.filter((row) => model === null && shown !== undefined && serviceRank(row) < serviceRank(shown));
  const except = worse.map((row) => ({
    model: askedName(modelInKey(row.target) ?? ""),
    state: targetPill(row, locale),
  }));
  return { name: stepName(step), dialects, region, ...health, except };
}

function spendOf(used: readonly DayUsage[], now: number, targetName: ShownNames["targetName"]): View["spend"] {
  const today = windowStart("day", now);
  const days = Array.from({ length: DAYS }, (_none, index) => today - (DAYS - 1 - index) * DAY_MS);
  return {
    since: days[0] ?? today,
    total: sumOf(used),
    byDay: days.map((at) => ({ at, ...sumOf(used.filter((one) => one.at === at)) })),
    byKey: grouped(used, ({ client }) => client),
    byTarget: grouped(used.filter(({ target }) => target !== "").map(attemptsAt), ({ target }) => targetName(target)),
  };
}

/** For a target, attempts count instead of calls: one call may ask several targets, and each of them several times. */
function attemptsAt(one: DayUsage): DayUsage {
  const { calls, failed, failedAttempts } = one;
  return { ...one, calls: calls - failed + failedAttempts, failed: failedAttempts };
}

function grouped(used: readonly DayUsage[], nameOf: (one: DayUsage) => string): View["spend"]["byKey"] {
  const rows = [...Map.groupBy(used, nameOf)].map(([name, some]) => ({ name, ...sumOf(some) }));
  return rows.toSorted((a, b) => b.microcents - a.microcents || b.calls - a.calls || (a.name < b.name ? -1 : 1));
}

function sumOf(used: readonly DayUsage[]): View["spend"]["total"] {
  const sum = (of: (one: DayUsage) => number): number => used.reduce((all, one) => all + of(one), 0);
  return {
    calls: sum(({ calls }) => calls),
    failed: sum(({ failed }) => failed),
    microcents: sum(({ microcents }) => microcents),
    unpriced: sum(({ unpriced }) => unpriced),
  };
}

function callFor(
  line: LedgerLine,
  { askedName, targetName, omitted }: ShownNames,
  locale: Locale,
): Omit<CallView, "kept"> {
  const { call, at, tookMs, key, dialect, target, attempts, microcents, isExact, code } = line;
  const { silent, hedged } = CALL_WORDS[locale];
  return {
    call,
    at,
    tookMs,
    key,
    dialect,
    attempts,
    microcents,
    isExact,
    isUnpriced: line.isUnpriced === true,
    route: askedName(line.route),
    model: askedName(line.model),
    target: target === null ? null : targetName(target),
    state: { id: stateOf(line), label: stateWord(line, locale) },
    says: endingWords(line, locale),
    fault: code === null ? null : { code, title: titleOf(code, locale) },
    omitted: omitted(line.omitted),
    decisions: line.decisions.map((decision, index) => ({
      ...decision,
      target: targetName(decision.target),
      id: decisionId(call, index),
      title: decision.code === null ? silent : titleOf(decision.code, locale),
      says: decision.code === null ? hedged : gatewayRecourse(decision.recourse, locale),
    })),
  };
}

// The gateway in words: windows of budgets, and how full they are.

type BudgetState = "fine" | "low" | "spent";

interface ServedGatewayWords {
  readonly windows: Readonly<Record<WindowName, string>>;
  readonly budgets: Readonly<Record<BudgetState, string>>;
  readonly unused: string;
  readonly unusedSays: string;
}

const SERVED_GATEWAY_WORDS: Readonly<Record<Locale, ServedGatewayWords>> = {
  "en": {
    windows: { hour: "this hour", day: "today", month: "this month" },
    budgets: { fine: "Within budget", low: "Running low", spent: "Used up" },
    unused: "Not used yet",
    unusedSays: "No call has reached it since the server started.",
  },
  "zh-CN": {
    windows: { hour: "本小时", day: "今天", month: "本月" },
    budgets: { fine: "预算充足", low: "预算将尽", spent: "预算用尽" },
    unused: "尚未使用",
    unusedSays: "服务器启动以来还没有调用到达这里。",
  },
};
