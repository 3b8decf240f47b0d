// The texts about a run while it happens and when it has stopped, in each language. Core provides the words for faults.

import type { Locale } from "../../../core/index.ts";
import type { HeldReason } from "../../../core/flow/call.ts";
import type { PauseReason, SkipReason } from "../../../core/flow/visit.ts";
import type { RunStatus } from "../../../core/flow/run-state.ts";
import { HELD_WORDS, STANDING_WORDS } from "../../../core/flow/run-standing.ts";
import { PAUSE_WORDS, SKIP_WORDS } from "../../../core/flow/run-words.ts";
import { plural } from "./cli-words.ts";

export interface FollowWords {
  readonly begins: (run: string, workflow: string) => string;
  readonly goesOnFrom: (run: string, predecessor: string) => string;
  readonly nodeBegins: string;
  readonly round: (execution: number) => string;
  readonly attempt: (attempt: number, of: number) => string;
  readonly calls: (count: number) => string;
  readonly callAgain: (target: string, why: string, attempt: number, of: number | null) => string;
  readonly callReasons: Readonly<Record<HeldReason, string>>;
  readonly switched: (from: string, to: string) => string;
  readonly regenerates: (target: string) => string;
  readonly inTime: (left: string) => string;
  readonly at: (time: string) => string;
  readonly pauses: Readonly<Record<PauseReason | "retry", string>>;
  readonly asks: (prompt: string) => string;
  readonly answered: (by: string) => string;
  readonly done: string;
  readonly failed: string;
  readonly skipped: Readonly<Record<SkipReason, string>>;
  readonly goesTo: (nodes: string) => string;
  readonly resumed: string;
  readonly instructed: (action: string, by: string) => string;
  readonly spent: (spent: string, most: string) => string;
  readonly more: (count: number) => string;
  readonly leaveHint: string;
  readonly watched: (run: string) => string;
  readonly statuses: Readonly<Record<RunStatus, string>>;
  readonly survived: (list: string) => string;
  readonly retries: (count: number) => string;
  readonly switches: (count: number) => string;
  readonly waits: (count: number) => string;
  readonly regenerations: (count: number) => string;
  readonly comma: string;
  readonly cost: (sum: string, unpriced: number) => string;
  readonly files: (folder: string, count: number) => string;
  readonly youCan: string;
  readonly next: string;
  readonly causes: string;
  readonly ended: (outcome: string) => string;
  readonly failedWith: (outcome: string, node: string, why: string) => string;
  readonly cancelled: string;
  readonly waitsForPerson: (questions: number) => string;
  readonly parkedUntil: (time: string, left: string) => string;
  readonly standsStill: string;
  readonly left: string;
  /** After Ctrl-C, when these nodes were running. */
  readonly stopped: (nodes: string) => string;
  /** The status of a run that has not ended and that no process advances. */
  readonly idle: string;
  readonly allFailed: (title: string, detail: string) => string;
  readonly mendThen: (remedy: string, command: string) => string;
  readonly afterTime: (time: string, command: string) => string;
  readonly superseded: (successor: string) => string;
}

function statusesOf(locale: Locale): FollowWords["statuses"] {
  const { running, waiting: paused, completed, failed, cancelled } = STANDING_WORDS[locale];
  return { running, paused, completed, failed, cancelled };
}

const EN: FollowWords = {
  begins: (run, workflow) => `run ${run} of ${workflow}`,
  goesOnFrom: (run, predecessor) => `run ${run} continues ${predecessor}`,
  nodeBegins: "starts",
  round: (execution) => `round ${execution}`,
  attempt: (attempt, of) => (of > 0 ? `attempt ${attempt}/${of}` : `attempt ${attempt}`),
  calls: (count) => (count === 1 ? "1 call" : `${count} calls`),
  callAgain: (target, why, attempt, of) => `${target}: ${why}, try ${attempt}${of === null ? "" : `/${of}`}`,
  callReasons: HELD_WORDS["en"],
  switched: (from, to) => `${from} → ${to}`,
  regenerates: (target) => `${target} is asked again`,
  inTime: (left) => `in ${left}`,
  at: (time) => `at ${time}`,
  pauses: PAUSE_WORDS["en"],
  asks: (prompt) => `asks: ${prompt}`,
  answered: (by) => `answered by ${by}`,
  done: "done",
  failed: "failed",
  skipped: SKIP_WORDS["en"],
  goesTo: (nodes) => `→ ${nodes}`,
  resumed: "resumed",
  instructed: (action, by) => `${action}, by ${by}`,
  spent: (spent, most) => `${spent} of ${most} spent`,
  more: (count) => `… and ${count} more`,
  leaveHint: "Ctrl-C stops it; resume continues",
  watched: (run) => `another process works on ${run}; watching it`,
  statuses: statusesOf("en"),
  survived: (list) => `survived ${list}`,
  retries: (count) => (count === 1 ? "1 retry" : `${count} retries`),
  switches: (count) => (count === 1 ? "1 switch" : `${count} switches`),
  waits: (count) => (count === 1 ? "1 wait" : `${count} waits`),
  regenerations: (count) => (count === 1 ? "1 regeneration" : `${count} regenerations`),
  comma: ", ",
  cost: (sum, unpriced) =>
    unpriced === 0 ? `cost ${sum}` : `cost ${sum}, and ${plural(unpriced, "attempt")} of unknown price`,
  files: (folder, count) => `${count === 1 ? "1 file" : `${count} files`} in ${folder}`,
  youCan: "You can:",
  next: "Next: ",
  causes: "Causes: ",
  ended: (outcome) => (outcome === "completed" ? "completed." : `completed: ${outcome}.`),
  failedWith: (outcome, node, why) => `failed${node === "" ? "" : ` at ${node}`}: ${why} (${outcome}).`,
  cancelled: "cancelled.",
  waitsForPerson: (questions) => (questions > 1 ? `waits for ${questions} answers.` : "waits for a person."),
  parkedUntil: (time, left) => `parked until ${time} (in ${left}).`,
  standsStill: "stopped; no process works on it.",
  left: "stopped here; the run is unchanged and nothing is lost.",
  stopped: (nodes) => `stopped; nothing is lost. What was running (${nodes}) runs again when you resume.`,
  idle: STANDING_WORDS["en"].stopped,
  allFailed: (title, detail) => `every agent failed: ${title}: ${detail}`,
  mendThen: (remedy, command) => `${remedy} Then: ${command}`,
  afterTime: (time, command) => `after ${time}: ${command}`,
  superseded: (successor) => `run ${successor} continues it.`,
};

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
  standsStill: "停住了，没有进程在推进。",
  left: "保持原状，没有任何丢失。",
  stopped: (nodes) => `已停止，没有任何丢失。继续时会重新执行正在运行的节点（${nodes}）。`,
  idle: STANDING_WORDS["zh-CN"].stopped,
  allFailed: (title, detail) => `所有智能体都失败了：${title}：${detail}`,
  mendThen: (remedy, command) => `${remedy}然后：${command}`,
  afterTime: (time, command) => `${time} 之后：${command}`,
  superseded: (successor) => `已由运行 ${successor} 接续。`,
};

export const FOLLOW_WORDS: Readonly<Record<Locale, FollowWords>> = { "en": EN, "zh-CN": ZH };
