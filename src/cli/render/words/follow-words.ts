// The texts about a run while it happens and when it has stopped, in each language. Core provides the words for faults.

import type { Locale } from "../../../core/index.ts";
import type { RunStatus } from "../../../core/flow/run-state.ts";
import { HELD_WORDS, STANDING_WORDS } from "../../../core/flow/run-standing.ts";
import { PAUSE_WORDS, SKIP_WORDS } from "../../../core/flow/run-words.ts";
import { plural } from "./cli-words.ts";

function statusesOf(locale: Locale): Readonly<Record<RunStatus, string>> {
  const { running, waiting: paused, completed, failed, cancelled } = STANDING_WORDS[locale];
  return { running, paused, completed, failed, cancelled };
}

const EN = {
  begins: (run: string, workflow: string) => `run ${run} of ${workflow}`,
  goesOnFrom: (run: string, predecessor: string) => `run ${run} continues ${predecessor}`,
  nodeBegins: "starts",
  round: (execution: number) => `round ${execution}`,
  attempt: (attempt: number, of: number) => (of > 0 ? `attempt ${attempt}/${of}` : `attempt ${attempt}`),
  calls: (count: number) => (count === 1 ? "1 call" : `${count} calls`),
  callAgain: (target: string, why: string, attempt: number, of: number | null) =>
    `${target}: ${why}, try ${attempt}${of === null ? "" : `/${of}`}`,
  callReasons: HELD_WORDS["en"],
  switched: (from: string, to: string) => `${from} → ${to}`,
  regenerates: (target: string) => `${target} is asked again`,
  inTime: (left: string) => `in ${left}`,
  at: (time: string) => `at ${time}`,
  pauses: PAUSE_WORDS["en"],
  asks: (prompt: string) => `asks: ${prompt}`,
  answered: (by: string) => `answered by ${by}`,
  done: "done",
  failed: "failed",
  skipped: SKIP_WORDS["en"],
  goesTo: (nodes: string) => `→ ${nodes}`,
  resumed: "resumed",
  instructed: (action: string, by: string) => `${action}, by ${by}`,
  spent: (spent: string, most: string) => `${spent} of ${most} spent`,
  more: (count: number) => `… and ${count} more`,
  leaveHint: "Ctrl-C stops it; resume continues",
  watched: (run: string) => `another process works on ${run}; watching it`,
  statuses: statusesOf("en"),
  survived: (list: string) => `survived ${list}`,
  failedAfter: (list: string) => `after ${list}`,
  retries: (count: number) => (count === 1 ? "1 retry" : `${count} retries`),
  switches: (count: number) => (count === 1 ? "1 fallback" : `${count} fallbacks`),
  waits: (count: number) => (count === 1 ? "1 wait" : `${count} waits`),
  regenerations: (count: number) => (count === 1 ? "1 regeneration" : `${count} regenerations`),
  comma: ", ",
  cost: (sum: string, unpriced: number) =>
    unpriced === 0 ? `cost ${sum}` : `cost ${sum}, and ${plural(unpriced, "attempt")} of unknown price`,
  files: (folder: string, count: number) => `${count === 1 ? "1 file" : `${count} files`} in ${folder}`,
  youCan: "You can:",
  next: "Next: ",
  causes: "Causes: ",
  ended: (outcome: string) => (outcome === "completed" ? "completed." : `completed: ${outcome}.`),
  failedWith: (outcome: string, node: string, why: string) =>
    `failed${node === "" ? "" : ` at ${node}`}: ${why} (${outcome}).`,
  cancelled: "cancelled.",
  waitsForPerson: (questions: number) => (questions > 1 ? `waits for ${questions} answers.` : "waits for a person."),
  parkedUntil: (time: string, left: string) => `parked until ${time} (in ${left}).`,
  left: "stopped here; the run is unchanged and nothing is lost.",
  /** After Ctrl-C, when these nodes were running. */
  stopped: (nodes: string) => `stopped; nothing is lost. What was running (${nodes}) runs again when you resume.`,
  allFailed: (title: string, detail: string) => `every agent failed: ${title}: ${detail}`,
  mendThen: (remedy: string, command: string) => `${remedy} Then: ${command}`,
  afterTime: (time: string, command: string) => `after ${time}: ${command}`,
};

export type FollowWords = typeof EN;

const ZH: FollowWords = {
  begins: (run, workflow) => `运行 ${run}，工作流 ${workflow}`,
  goesOnFrom: (run, predecessor) => `运行 ${run} 接续 ${predecessor}`,
  nodeBegins: "开始",
  round: (execution) => `第 ${execution} 轮`,
  attempt: (attempt, of) => (of > 0 ? `第 ${attempt}/${of} 次` : `第 ${attempt} 次`),
  calls: (count) => `${count} 次调用`,
  callAgain: (target, why, attempt, of) => `${target}：${why}，第 ${attempt}${of === null ? "" : `/${of}`} 次`,
  callReasons: HELD_WORDS["zh-CN"],
  switched: (from, to) => `${from} → ${to}`,
  regenerates: (target) => `${target} 重新生成一次`,
  inTime: (left) => `${left}后`,
  at: (time) => `于 ${time}`,
  pauses: PAUSE_WORDS["zh-CN"],
  asks: (prompt) => `询问：${prompt}`,
  answered: (by) => `由 ${by} 答复`,
  done: "完成",
  failed: "失败",
  skipped: SKIP_WORDS["zh-CN"],
  goesTo: (nodes) => `→ ${nodes}`,
  resumed: "继续运行",
  instructed: (action, by) => `${by} 选择 ${action}`,
  spent: (spent, most) => `已花费 ${spent}，上限 ${most}`,
  more: (count) => `……另有 ${count} 个`,
  leaveHint: "Ctrl-C 停止，可用 resume 继续",
  watched: (run) => `${run} 正由另一个进程推进，此处只观看`,
  statuses: statusesOf("zh-CN"),
  survived: (list) => `经受住 ${list}`,
  failedAfter: (list) => `已经过 ${list}`,
  retries: (count) => `${count} 次重试`,
  switches: (count) => `${count} 次切换`,
  waits: (count) => `${count} 次等待`,
  regenerations: (count) => `${count} 次重新生成`,
  comma: "、",
  cost: (sum, unpriced) => (unpriced === 0 ? `费用 ${sum}` : `费用 ${sum}，另有 ${unpriced} 次尝试价格未知`),
  files: (folder, count) => `${folder} 中有 ${count} 个文件`,
  youCan: "可以：",
  next: "下一步：",
  causes: "原因：",
  ended: (outcome) => (outcome === "completed" ? "已完成。" : `已完成：${outcome}。`),
  failedWith: (outcome, node, why) => `${node === "" ? "" : `在 ${node} `}失败：${why}（${outcome}）。`,
  cancelled: "已取消。",
  waitsForPerson: (questions) => (questions > 1 ? `等待 ${questions} 个答复。` : "等待人工处理。"),
  parkedUntil: (time, left) => `已推迟到 ${time}（${left}后）。`,
  left: "保持原状，没有任何丢失。",
  stopped: (nodes) => `已停止，没有任何丢失。继续时会重新执行正在运行的节点（${nodes}）。`,
  allFailed: (title, detail) => `所有智能体都失败了：${title}：${detail}`,
  mendThen: (remedy, command) => `${remedy}然后：${command}`,
  afterTime: (time, command) => `${time} 之后：${command}`,
};

export const FOLLOW_WORDS: Readonly<Record<Locale, FollowWords>> = { "en": EN, "zh-CN": ZH };
