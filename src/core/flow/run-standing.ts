// Where a run stands, for a list: one of a few states with its label, and one line that says why. Made from the run's line alone, so
// that a list folds nothing.

import { isFaultCode } from "../fault/catalogue.ts";
import { formatMs } from "../fault/words/time-words.ts";
import { type Locale, wordsFor } from "../fault/words/words.ts";
import type { HeldReason } from "./call.ts";
import { isEnded, type RunStatus } from "./run-state.ts";

/** Where a run stands. */
export const RUN_STANDINGS = [
  "queued", //    it has something to do, and a process will take it up
  "running",
  "asking", //    it waits for a person
  "retrying", //  it has failed, and tries again at a known time
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
  /** The nodes it is at, or the one that failed. */
  readonly nodes: readonly string[];
  /** The target that the current or failed node asked last; of a completed run, the one that answered last. Left out by older programs. */
  readonly target?: string | null;
  /** What it failed with; null otherwise. */
  readonly code: string | null;
  readonly questions: readonly string[];
  readonly wakeAt: number | null;
  /** What it waits for while a process holds it; null when something of it works. Older programs leave it out. */
  readonly wait?: RunWait | null;
  readonly successor: string | null;
  readonly startedAt?: number;
  /** 0 while it is not over. */
  readonly endedAt?: number;
}

/** What a run waits for that a process holds: nothing of it works until then. */
export interface RunWait {
  /** The target or tool that is waited for; empty when a node waits for its next attempt. */
  readonly target: string;
  readonly attempt: number;
  /** 0 when that is not known. */
  readonly of: number;
  /** What failed before; null when nothing did. */
  readonly code: string | null;
  readonly held: HeldReason | null;
  readonly nextAt: number;
}

export interface Surroundings {
  readonly now: number;
  /** A live process advances the run. */
  readonly isHeld: boolean;
  /** A driver advances runs that are due. */
  readonly isDriven: boolean;
}

export function standingOf(line: RunLine, { now, isHeld, isDriven }: Surroundings): RunStanding {
  const { status, questions, wakeAt, code } = line;
  if (isEnded({ status })) return status as "completed" | "failed" | "cancelled";
  if (isHeld && status === "running") return currentWait(line, now) === null ? "running" : laterAfter(code);
  if (questions.length > 0) return "asking";
  if (wakeAt !== null && wakeAt > now) return laterAfter(code);
  if (isHeld) return "running";
  return isDriven ? "queued" : "stopped";
}

function laterAfter(code: string | null): RunStanding {
  return code === null ? "waiting" : "retrying";
}

/** null when its time has come: the next event says more. */
export function currentWait({ wait = null }: Pick<RunLine, "wait">, now: number): RunWait | null {
  return wait !== null && wait.nextAt > now ? wait : null;
}

/** The label of each state. */
export const STANDING_WORDS: Readonly<Record<Locale, Readonly<Record<RunStanding, string>>>> = {
  "en": {
    queued: "queued",
    running: "running",
    asking: "needs you",
    retrying: "retrying",
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
    retrying: "重试中",
    waiting: "等待中",
    stopped: "已停止",
    completed: "已完成",
    failed: "失败",
    cancelled: "已取消",
  },
};

/** Why the run stands where it stands, in one line. `asks`: what it asks a person; empty when that is not known. */
export function reasonOf(line: RunLine, standing: RunStanding, locale: Locale, asks = ""): string {
  const words = REASONS[locale];
  const { startedAt = 0, endedAt = 0 } = line;
  if (line.successor !== null) return words.continued(line.successor);
  return words[standing]({
    nodes: line.nodes.slice(0, MAX_NODES).join(words.comma),
    title: line.code === null ? "" : titleOf(line.code, locale),
    target: targetIn(line, standing) ?? "",
    held: line.wait?.held ?? null,
    outcome: line.outcome === line.status ? "" : line.outcome,
    questions: line.questions.length,
    asks: asks.slice(0, MAX_ASKED),
    attempt: line.wait?.attempt ?? 0,
    of: line.wait?.of ?? 0,
    took: endedAt === 0 ? "" : formatMs(endedAt - startedAt, locale),
  });
}

const MAX_ASKED = 200;

/** While it waits, what it waits for; a run that was put away tries again where it failed. */
function targetIn({ wait, target }: RunLine, standing: RunStanding): string | null | undefined {
  if (standing === "waiting") return wait?.target;
  return standing === "retrying" ? (wait?.target ?? target) : target;
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
  readonly asks: string;
  readonly held: HeldReason | null;
  /** The attempt that comes next, and how many there may be; 0 when that is not known. */
  readonly attempt: number;
  readonly of: number;
  /** How long it took; empty while it is not over. */
  readonly took: string;
}

type Reasons = Readonly<Record<RunStanding, (facts: Facts) => string>> & {
  readonly comma: string;
  readonly continued: (successor: string) => string;
};

/** Why the next attempt of a call is held back. */
export const HELD_WORDS: Readonly<Record<Locale, Readonly<Record<HeldReason, string>>>> = {
  "en": { paused: "the other side asked for a pause", paced: "requests are spread out" },
  "zh-CN": { paused: "对方要求暂停", paced: "请求分散发送" },
};

const named = (text: string, target: string): string => (target === "" ? text : `${text} (${target})`.trimStart());
const namedZh = (text: string, target: string): string => (target === "" ? text : `${text}（${target}）`);
const both = (one: string, comma: string, other: string): string =>
  [one, other].filter((part) => part !== "").join(comma);
const at = (node: string, text: string, colon: string): string => (node === "" ? text : `${node}${colon}${text}`);

const REASONS: Readonly<Record<Locale, Reasons>> = {
  "en": {
    comma: ", ",
    continued: (successor) => `Continued in ${successor}`,
    queued: ({ nodes }) => at(nodes, "due; a process takes it up next", ": "),
    running: ({ nodes, target }) =>
      `Working${nodes === "" ? "" : ` on ${nodes}`}${target === "" ? "" : ` (${target})`}`,
    asking: ({ nodes, questions, asks }) =>
      at(nodes, asks !== "" ? asks : questions === 1 ? "waits for an answer" : `waits for ${questions} answers`, ": "),
    retrying: ({ nodes, title, target, attempt, of }) =>
      at(
        nodes,
        both(named(title, target), "; ", of < 2 ? "tries again later" : `attempt ${attempt} of ${of} comes next`),
        ": ",
      ),
    waiting: ({ nodes, target, held }) =>
      at(nodes, held === null ? "continues at a set time" : named(HELD_WORDS["en"][held], target), ": "),
    stopped: ({ nodes }) => at(nodes, "no process advances it; resume it", ": "),
    completed: ({ outcome, took }) => both(outcome, ", ", took === "" ? "" : `in ${took}`),
    failed: ({ nodes, title, target, outcome }) => at(nodes, named(title === "" ? outcome : title, target), ": "),
    cancelled: ({ nodes, took }) =>
      both(nodes === "" ? "" : `stopped at ${nodes}`, ", ", took === "" ? "" : `after ${took}`),
  },
  "zh-CN": {
    comma: "、",
    continued: (successor) => `由 ${successor} 接续`,
    queued: ({ nodes }) => at(nodes, "已到时间，即将由进程接手", "："),
    running: ({ nodes, target }) => `正在执行${nodes === "" ? "" : ` ${nodes}`}${target === "" ? "" : `（${target}）`}`,
    asking: ({ nodes, questions, asks }) =>
      at(nodes, asks !== "" ? asks : questions === 1 ? "等待答复" : `等待 ${questions} 个答复`, "："),
    retrying: ({ nodes, title, target, attempt, of }) =>
      at(
        nodes,
        both(namedZh(title, target), "；", of < 2 ? "稍后重试" : `接下来是第 ${attempt} 次尝试，共 ${of} 次`),
        "：",
      ),
    waiting: ({ nodes, target, held }) =>
      at(nodes, held === null ? "到预定时间后继续" : namedZh(HELD_WORDS["zh-CN"][held], target), "："),
    stopped: ({ nodes }) => at(nodes, "没有进程在推进；请恢复运行", "："),
    completed: ({ outcome, took }) => both(outcome, "，", took === "" ? "" : `用时 ${took}`),
    failed: ({ nodes, title, target, outcome }) => at(nodes, namedZh(title === "" ? outcome : title, target), "："),
    cancelled: ({ nodes, took }) => both(nodes === "" ? "" : `停在 ${nodes}`, "，", took === "" ? "" : `历时 ${took}`),
  },
};
