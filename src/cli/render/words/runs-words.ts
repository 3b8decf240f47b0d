// The texts of the commands about runs, in each language. Core provides the names of actions and the words for faults.

import { commandLine } from "../program-name.ts";
import type { Locale } from "../../../core/index.ts";
import type { VisitState } from "../../../core/flow/visit.ts";

export interface RunsWords {
  readonly noRuns: string;
  readonly insideRun: string;
  readonly noneFits: string;
  readonly noRun: (given: string, list: string) => string;
  readonly manyRuns: (given: string, some: string) => string;
  readonly moreRuns: (limit: number) => string;
  readonly heads: readonly [string, string, string, string, string, string, string, string];
  /** For a visit: the target that it asks now, and the one that answered it. */
  readonly asks: (target: string) => string;
  readonly answeredBy: (target: string) => string;
  readonly watch: string;
  readonly resume: string;
  readonly answer: string;
  readonly until: (time: string) => string;
  readonly run: string;
  readonly workflow: string;
  readonly started: string;
  readonly ended: string;
  readonly held: string;
  readonly outcome: string;
  readonly file: string;
  readonly goesOnFrom: (run: string) => string;
  readonly goneOnIn: (run: string) => string;
  readonly stages: string;
  readonly visitStates: Readonly<Record<VisitState, string>>;
  /** A stage whose question is answered, before a process reads the answer. */
  readonly hasAnswer: string;
  readonly inherited: string;
  readonly noOutput: (node: string, state: string) => string;
  readonly nothingDone: (run: string) => string;
  readonly noNode: (run: string, node: string, nodes: string) => string;
  readonly questions: string;
  readonly answered: (by: string) => string;
  readonly actions: string;
  /** The journal's store keeps them: they are in no folder. */
  readonly files: string;
  readonly filesIn: (folder: string) => string;
  readonly noQuestion: (given: string) => string;
  readonly nothingAsked: (run: string) => string;
  readonly manyAsked: (run: string, list: string) => string;
  readonly wasAnswered: (question: string) => string;
  readonly did: (action: string, run: string) => string;
  readonly didBefore: (action: string, run: string) => string;
  readonly successor: (run: string) => string;
  readonly cancelAsked: (run: string) => string;
  readonly cancelled: (run: string) => string;
  readonly startedRun: (run: string) => string;
  readonly needsTarget: (targets: string) => string;
  readonly exported: (run: string, out: string) => string;
  readonly bundleNeedsOut: string;
  readonly mismatch: (accept: string, asStarted: string) => string;
  readonly fileGone: (file: string) => string;
  readonly badInput: (given: string) => string;
  readonly badInputs: (file: string) => string;
}

const EN: RunsWords = {
  insideRun:
    "This command decides about runs, but a command, a tool or an agent of a workflow started it. A run's own processes must not decide about it. Type it in your own terminal.",
  noRuns: `There are no runs in this journal yet. Start one: ${commandLine("workflow", "run")} <file>`,
  noneFits: "No run matches. Leave out --status or --workflow to see all.",
  noRun: (given, list) => `There is no run ${given}. List the runs: ${list}`,
  manyRuns: (given, some) => `${given} matches several runs: ${some}. Type more of the id.`,
  moreRuns: (limit) => `There are more than ${limit}; --limit shows more.`,
  heads: ["run", "workflow", "status", "node", "target", "started (UTC)", "cost", "next"],
  asks: (target) => `asks ${target}`,
  answeredBy: (target) => `answered by ${target}`,
  watch: "watch",
  resume: "resume",
  answer: "answer",
  until: (time) => `until ${time}`,
  run: "run",
  workflow: "workflow",
  started: "started",
  ended: "ended",
  held: "a process works on it",
  outcome: "outcome",
  file: "file",
  goesOnFrom: (run) => `continues ${run}`,
  goneOnIn: (run) => `continued in ${run}`,
  stages: "stages",
  hasAnswer: "answered",
  visitStates: {
    ready: "ready",
    running: "running",
    paused: "waiting",
    completed: "done",
    failed: "failed",
    skipped: "skipped",
    cancelled: "cancelled",
  },
  inherited: "kept from the previous run",
  noOutput: (node, state) => `Node ${node} has no output (${state}).`,
  nothingDone: (run) => `No node of run ${run} has completed yet.`,
  noNode: (run, node, nodes) => `Run ${run} has not reached a node ${node}. It has reached: ${nodes}.`,
  questions: "open questions",
  answered: (by) => `answered by ${by}`,
  actions: "what you can do",
  files: "files, kept with the journal",
  filesIn: (folder) => `files in ${folder}`,
  noQuestion: (given) => `There is no open question and no run with the id ${given}.`,
  nothingAsked: (run) => `Run ${run} has no open question.`,
  manyAsked: (run, list) => `Run ${run} asks more than one question; say which: ${list}.`,
  wasAnswered: (question) => `Question ${question} is answered.`,
  did: (action, run) => `${action}: run ${run}.`,
  didBefore: (action, run) => `${action} was already done: run ${run}.`,
  successor: (run) => `Run ${run} continues it.`,
  cancelAsked: (run) => `Asked the process that works on run ${run} to stop it.`,
  cancelled: (run) => `Run ${run} is cancelled.`,
  startedRun: (run) =>
    `Run ${run} is recorded. A server or a worker of this journal takes it up; without one, you resume it yourself.`,
  needsTarget: (targets) => `Say where to switch to: --to ${targets}`,
  exported: (run, out) => `Run ${run} is in ${out}.`,
  bundleNeedsOut: "A bundle is a folder: say which with --out <folder>.",
  mismatch: (accept, asStarted) => `Next: ${accept}, or: ${asStarted}`,
  fileGone: (file) => `${file} no longer exists; the run continues with the text stored in the journal.`,
  badInput: (given) => `${given} is not an input: write it as name=value.`,
  badInputs: (file) => `${file} must hold one JSON object with a value for each input.`,
};

const ZH: RunsWords = {
  insideRun:
    "此命令会决定一个运行的去向，但它是在某个运行内部输入的：由工作流的命令、工具或智能体启动。为运行工作的程序不得对运行作决定。请在您自己的终端中输入。",
  noRuns: `此日志中还没有运行。启动一个：${commandLine("workflow", "run")} <file>`,
  noneFits: "没有符合条件的运行。去掉 --status 或 --workflow 可查看全部。",
  noRun: (given, list) => `没有运行 ${given}。查看已有的运行：${list}`,
  manyRuns: (given, some) => `${given} 是多个运行的开头：${some}。请多输入几个字符。`,
  moreRuns: (limit) => `超过 ${limit} 个；用 --limit 显示更多。`,
  heads: ["运行", "工作流", "状态", "节点", "目标", "开始（UTC）", "费用", "下一步"],
  asks: (target) => `正在询问 ${target}`,
  answeredBy: (target) => `由 ${target} 答复`,
  watch: "观看",
  resume: "继续",
  answer: "答复",
  until: (time) => `到 ${time}`,
  run: "运行",
  workflow: "工作流",
  started: "开始",
  ended: "结束",
  held: "有进程正在推进",
  outcome: "结局",
  file: "文件",
  goesOnFrom: (run) => `接续 ${run}`,
  goneOnIn: (run) => `由 ${run} 接续`,
  stages: "阶段",
  hasAnswer: "已回答",
  visitStates: {
    ready: "就绪",
    running: "运行中",
    paused: "等待中",
    completed: "完成",
    failed: "失败",
    skipped: "跳过",
    cancelled: "已取消",
  },
  inherited: "沿用上一次运行",
  noOutput: (node, state) => `节点 ${node} 没有输出（${state}）。`,
  nothingDone: (run) => `运行 ${run} 还没有完成任何节点。`,
  noNode: (run, node, nodes) => `运行 ${run} 没有到达节点 ${node}。已到达：${nodes}。`,
  questions: "待答复的问题",
  answered: (by) => `已由 ${by} 答复`,
  actions: "可以做什么",
  files: "与日志一同保存的文件",
  filesIn: (folder) => `${folder} 中的文件`,
  noQuestion: (given) => `没有待答复的问题 ${given}，也没有这个名称的运行。`,
  nothingAsked: (run) => `运行 ${run} 目前没有提问。`,
  manyAsked: (run, list) => `运行 ${run} 有多个问题，请指明：${list}。`,
  wasAnswered: (question) => `问题 ${question} 已答复。`,
  did: (action, run) => `${action}：运行 ${run}。`,
  didBefore: (action, run) => `${action} 之前已执行：运行 ${run}。`,
  successor: (run) => `由运行 ${run} 接续。`,
  cancelAsked: (run) => `已通知推进运行 ${run} 的进程停止。`,
  cancelled: (run) => `运行 ${run} 已取消。`,
  startedRun: (run) => `运行 ${run} 已写入日志。此日志的服务器或工作进程会接手它；没有的话，请自行继续。`,
  needsTarget: (targets) => `请指明切换目标：--to ${targets}`,
  exported: (run, out) => `运行 ${run} 已写入 ${out}。`,
  bundleNeedsOut: "bundle 是一个文件夹：请用 --out <folder> 指定。",
  mismatch: (accept, asStarted) => `下一步：${accept}，或：${asStarted}`,
  fileGone: (file) => `${file} 已不存在；运行将使用日志中保存的文本。`,
  badInput: (given) => `${given} 不是输入：请写成 name=value。`,
  badInputs: (file) => `${file} 必须是一个 JSON 对象，每个输入对应一个值。`,
};

export const RUNS_WORDS: Readonly<Record<Locale, RunsWords>> = { "en": EN, "zh-CN": ZH };
