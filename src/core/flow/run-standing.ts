// Where a run stands, for a list: one of a few states with its label, and one line that says why. Made from the run's line alone, so
// that a list folds nothing.

import { isFaultCode } from "../fault/catalogue.ts";
import { type Locale, wordsFor } from "../fault/words/words.ts";
import { isEnded, type RunStatus } from "./run-state.ts";

/** Where a run stands. */
export const RUN_STANDINGS = [
  "queued", //    it has something to do, and a process will take it up
  "running",
  "asking", //    it waits for a person
  "waiting", //   it waits for a time
  "stopped", //   it has something to do, and no process advances it
  "completed",
  "failed",
  "cancelled",
] as const;
export type RunStanding = (typeof RUN_STANDINGS)[number];

/** The parts of a run's line that say where it stands. */
export interface RunLine {
  readonly status: RunStatus;
  readonly outcome: string;
  readonly nodes: readonly string[];
  readonly target?: string | null;
  readonly code: string | null;
  readonly questions: readonly string[];
  readonly wakeAt: number | null;
  readonly successor: string | null;
}

export interface Surroundings {
  readonly now: number;
  /** A live process advances the run. */
  readonly isHeld: boolean;
  /** A driver takes up runs that are due. */
  readonly isDriven: boolean;
}

export function standingOf(line: RunLine, { now, isHeld, isDriven }: Surroundings): RunStanding {
  const { status, questions, wakeAt } = line;
  if (isEnded({ status })) return status as "completed" | "failed" | "cancelled";
  if (isHeld && status === "running") return "running";
  if (questions.length > 0) return "asking";
  if (wakeAt !== null && wakeAt > now) return "waiting";
  if (isHeld) return "running";
  return isDriven ? "queued" : "stopped";
}

/** The label of each state. */
export const STANDING_WORDS: Readonly<Record<Locale, Readonly<Record<RunStanding, string>>>> = {
  "en": {
    queued: "queued",
    running: "running",
    asking: "needs you",
    waiting: "waiting",
    stopped: "stopped",
    completed: "completed",
    failed: "failed",
    cancelled: "cancelled",
  },
  "zh-CN": {
    queued: "排队中",
    running: "运行中",
    asking: "需要您处理",
    waiting: "等待中",
    stopped: "已停止",
    completed: "已完成",
    failed: "失败",
    cancelled: "已取消",
  },
};

/** Why the run stands where it stands, in one line; empty when there is nothing to add to its state. */
export function reasonOf(line: RunLine, standing: RunStanding, locale: Locale): string {
  const words = REASONS[locale];
  if (line.successor !== null) return words.continued(line.successor);
  return words[standing]({
    nodes: line.nodes.slice(0, MAX_NODES).join(words.comma),
    title: line.code === null ? "" : titleOf(line.code, locale),
    target: line.target ?? "",
    outcome: line.outcome === line.status ? "" : line.outcome,
    questions: line.questions.length,
  });
}

const MAX_NODES = 3;

/** A newer program may write codes that this one does not know. */
function titleOf(code: string, locale: Locale): string {
  return isFaultCode(code) ? wordsFor(code, locale).title : code;
}

interface Facts {
  readonly nodes: string;
  readonly title: string;
  readonly target: string;
  readonly outcome: string;
  readonly questions: number;
}

type Reasons = Readonly<Record<RunStanding, (facts: Facts) => string>> & {
  readonly comma: string;
  readonly continued: (successor: string) => string;
};

const at = (node: string, text: string, colon: string): string => (node === "" ? text : `${node}${colon}${text}`);

const REASONS: Readonly<Record<Locale, Reasons>> = {
  "en": {
    comma: ", ",
    continued: (successor) => `Continued in ${successor}`,
    queued: () => "Due; a process takes it up next",
    running: ({ nodes, target }) =>
      `Working${nodes === "" ? "" : ` on ${nodes}`}${target === "" ? "" : ` (${target})`}`,
    asking: ({ nodes, questions }) =>
      at(nodes, questions === 1 ? "waits for an answer" : `waits for ${questions} answers`, ": "),
    waiting: ({ nodes, title }) => at(nodes, title === "" ? "waits for its time" : `${title}; tries again later`, ": "),
    stopped: () => "No process advances it; resume it",
    completed: ({ outcome }) => outcome,
    failed: ({ nodes, title, target, outcome }) =>
      at(nodes, `${title === "" ? outcome : title}${target === "" ? "" : ` (${target})`}`, ": "),
    cancelled: () => "",
  },
  "zh-CN": {
    comma: "、",
    continued: (successor) => `由 ${successor} 接续`,
    queued: () => "已到时间，即将由进程接手",
    running: ({ nodes, target }) => `正在执行${nodes === "" ? "" : ` ${nodes}`}${target === "" ? "" : `（${target}）`}`,
    asking: ({ nodes, questions }) => at(nodes, questions === 1 ? "等待答复" : `等待 ${questions} 个答复`, "："),
    waiting: ({ nodes, title }) => at(nodes, title === "" ? "等待到时间" : `${title}；稍后重试`, "："),
    stopped: () => "没有进程在推进；请恢复运行",
    completed: ({ outcome }) => outcome,
    failed: ({ nodes, title, target, outcome }) =>
      at(nodes, `${title === "" ? outcome : title}${target === "" ? "" : `（${target}）`}`, "："),
    cancelled: () => "",
  },
};
