// The words for spans and steps of a plan: how each ended, what it waits for, and which step it could not do without.

import { isFaultCode } from "../fault/catalogue.ts";
import type { Fault } from "../fault/fault.ts";
import { type Locale, wordsFor } from "../fault/words/words.ts";
import { type RunStanding, STANDING_WORDS } from "../flow/run-standing.ts";
import type { VisitStanding } from "../flow/run-words.ts";
import type { SessionStatus } from "./event.ts";
import type { GraphNode, Span, SpanStatus, WaitReason } from "./span.ts";

type StepStatus = SpanStatus | "unstarted";

interface SpanWords {
  readonly statuses: Readonly<Record<StepStatus, string>>;
  readonly open: string;
  readonly waits: Readonly<Record<WaitReason, string>>;
  /** What is said of a step that another one needed and could not have; for all others, the status. */
  readonly told: Readonly<Partial<Record<StepStatus, string>>>;
  readonly needs: (need: string, told: string) => string;
  readonly joined: (parts: readonly string[]) => string;
}

/** How a status looks: as one of the states of a run's stages. */
const STANDINGS: Readonly<Record<StepStatus, VisitStanding>> = {
  unstarted: "queued",
  running: "running",
  waiting: "waiting",
  done: "completed",
  partial: "completed",
  defaulted: "completed",
  skipped: "skipped",
  surfaced: "failed",
  failed: "failed",
  cancelled: "cancelled",
  interrupted: "stopped",
};

const SESSION_STANDINGS: Readonly<Record<SessionStatus, RunStanding>> = {
  open: "running",
  waiting: "waiting",
  done: "completed",
  failed: "failed",
  cancelled: "cancelled",
};

export interface StatePill {
  readonly id: VisitStanding;
  readonly label: string;
}

interface RunPill {
  readonly id: RunStanding;
  readonly label: string;
}

export function statusPill(status: StepStatus, locale: Locale): StatePill {
  return { id: STANDINGS[status], label: WORDS[locale].statuses[status] };
}

/** The state of a program's session, in the words of runs. We cannot tell whether its program is running, so an open one is just open. */
export function sessionPill(status: SessionStatus, isAsking: boolean, locale: Locale): RunPill {
  const id = isAsking ? "asking" : SESSION_STANDINGS[status];
  return { id, label: status === "open" && !isAsking ? WORDS[locale].open : STANDING_WORDS[locale][id] };
}

/** How a span ended and why, or what it waits for, in a few words. */
export function describeSpan({ why, status, fault }: Pick<Span, "why" | "status" | "fault">, locale: Locale): string {
  const { waits, statuses, joined } = WORDS[locale];
  return why === null ? joined([statuses[status], titleOf(fault, locale)]) : waits[why];
}

/** Where a failure led to. */
export function describeSentTo(nodes: readonly string[], locale: Locale): string {
  return SENT_TO[locale](nodes.join(", "));
}

const SENT_TO: Readonly<Record<Locale, (nodes: string) => string>> = {
  "en": (nodes) => `The workflow continues after this failure: → ${nodes}`,
  "zh-CN": (nodes) => `工作流在此故障后继续：→ ${nodes}`,
};

/** How a step of a plan ended and why. `need`: the step it could not do without; null when it ended for a reason of its own. */
export function describeStep(
  { status, fault }: Pick<GraphNode, "status" | "fault">,
  need: Pick<GraphNode, "node" | "status" | "fault"> | null,
  locale: Locale,
): string {
  const { statuses, told, needs, joined } = WORDS[locale];
  if (need === null) return joined([statuses[status], titleOf(fault, locale)]);
  const { node, status: ended } = need;
  return joined([statuses[status], needs(node, told[ended] ?? statuses[ended]), titleOf(need.fault, locale)]);
}

/** A journal may hold codes of a newer program. */
function titleOf(fault: Fault | null, locale: Locale): string {
  if (fault === null) return "";
  return isFaultCode(fault.code) ? wordsFor(fault.code, locale).title : String(fault.code);
}

const filled = (parts: readonly string[], between: string): string => parts.filter((part) => part !== "").join(between);

const WORDS: Readonly<Record<Locale, SpanWords>> = {
  "en": {
    statuses: {
      unstarted: "not started",
      running: "running",
      waiting: "waiting",
      done: "completed",
      partial: "completed in part",
      defaulted: "default used",
      skipped: "skipped",
      surfaced: "told the model",
      failed: "failed",
      cancelled: "cancelled",
      interrupted: "interrupted",
    },
    open: "open",
    waits: {
      queue: "waits for a free slot",
      retry: "waits to retry",
      paused: "waits because the target asked for a pause",
      paced: "waits because the target's limit is nearly reached",
      parked: "parked until the limit lifts",
      gate: "waits for a person",
      question: "waits for a person",
      budget: "waits because the budget is used up",
      stopped: "stopped",
    },
    told: { skipped: "was skipped", surfaced: "failed", failed: "failed", cancelled: "was cancelled" },
    needs: (need, told) => `needs ${need}, which ${told}`,
    joined: (parts) => filled(parts, ": "),
  },
  "zh-CN": {
    statuses: {
      unstarted: "未开始",
      running: "运行中",
      waiting: "等待中",
      done: "已完成",
      partial: "部分完成",
      defaulted: "使用默认值",
      skipped: "跳过",
      surfaced: "已告知模型",
      failed: "失败",
      cancelled: "已取消",
      interrupted: "中断",
    },
    open: "进行中",
    waits: {
      queue: "等待空闲名额",
      retry: "等待重试",
      paused: "目标要求暂停，等待中",
      paced: "接近目标的限额，等待中",
      parked: "已推迟到限额恢复",
      gate: "等待人工处理",
      question: "等待人工处理",
      budget: "预算已用完，等待中",
      stopped: "已停止",
    },
    told: { skipped: "被跳过", surfaced: "失败", failed: "失败", cancelled: "被取消" },
    needs: (need, told) => `依赖的 ${need} ${told}`,
    joined: (parts) => filled(parts, "："),
  },
};
