// The demo's texts in each language. Core provides the words for faults and decisions.

import { demoLine } from "../render/program-name.ts";
import type { Locale } from "../../core/index.ts";
import type { SurvivedId } from "./survived.ts";

const counted = (one: string, many: string) => (count: number) => (count === 1 ? `1 ${one}` : `${count} ${many}`);
const row =
  (what: (count: number) => string, how: string) =>
  (count: number): readonly [string, string] => [what(count), how];

const EN = {
  title: "a team of agents fixes a bug while everything around it fails",
  real: "The models are played by a provider on this machine that fails on purpose: no key, no network. Everything else is real.",
  task: "task     ",
  folder: "folder   ",
  dashboard: "dashboard",
  linkWorksOnce: "Open it in a browser: the link signs you in once, within ten minutes.",
  linkEndsWithRun: "Open it in a browser now: it ends with this run. Without --once, it stays until Ctrl-C.",
  waitsThere:
    "A second run waits there for your answer, a failed run can be retried, and a tool that works again waits to be put back into service.",
  worker: (worker: number, pid: number) => `worker ${worker} (process ${pid}) advances the run`,
  killed: (worker: number, pid: number) =>
    `worker ${worker} (process ${pid}) is killed with SIGKILL while it waits for an answer`,
  takesOver: (worker: number, pid: number) => `worker ${worker} (process ${pid}) takes the run over`,
  goesOn: (finished: number) => `continues from the journal and repeats none of the ${finished} finished stages`,
  confirmed: "confirmed for you; `--ask` lets you decide",
  answered: (answer: string) => `you said: ${answer}`,
  changes: (count: number) => (count === 1 ? "wants 1 change" : `wants ${count} changes`),
  approves: "approves",
  sentBack: (to: string) => `→ back to ${to}`,
  colon: ": ",
  ended: (outcome: string, time: string) => `${outcome} after ${time}. According to its journal, the run survived`,
  survived: {
    rateLimits: row(counted("rate limit", "rate limits"), "waited for exactly as long as the server asked"),
    failovers: row(counted("broken stream", "broken streams"), "answered by the other provider"),
    hangs: row(counted("hanging tool", "hanging tools"), "stopped and called again"),
    regenerated: row(counted("invalid answer", "invalid answers"), "asked for again, with the reason"),
    reviews: row(counted("review", "reviews"), "changes requested and made"),
    failedTests: row(counted("failed test run", "failed test runs"), "sent back with its output, fixed, passed"),
    crashes: row(counted("killed process", "killed processes"), "another process continued"),
  } satisfies Readonly<Record<SurvivedId, (count: number) => readonly [what: string, how: string]>>,
  notRedone: "no finished work was repeated",
  cost: "cost",
  costIs: (sum: string, estimated: string) =>
    `${sum} at list prices${estimated === "" ? "" : `, ${estimated} of it estimated`}; nothing was charged`,
  change: "change",
  journal: "journal",
  stages: "stages",
  repository: "repo",
  next: "Next:",
  missing: {
    rateLimits: "no wait for a rate limit lasted as long as the server asked",
    failovers: "no broken stream was answered by another provider",
    hangs: "no hanging tool was stopped and called again",
    regenerated: "no invalid answer was asked for again",
    reviews: "no change requested by a reviewer was made",
    failedTests: "no failed test run was sent back and passed later",
    crashes: "no other process took over from a killed one",
    redone: "finished work was repeated",
    outcome: "the run was not approved",
  } satisfies Readonly<Record<SurvivedId | "redone" | "outcome", string>>,
  incomplete: (list: string) => `The demo did not show everything it promised: ${list}.`,
  youStopped: "You stopped it at the gate, before the rest could be shown.",
  leave: "Ctrl-C to quit",
  needsTerminal: "--ask needs a terminal. Without --ask, the gate is confirmed for you.",
  stopped: (folder: string, resume: string) =>
    `stopped; the files are in ${folder}. Continue the run with: ${resume}\nThis command played the models, so agents that start later will fail; \`${demoLine("start", "--ask")}\` starts over.`,
};

export type StartWords = typeof EN;

const countedZh = (what: string) => (count: number) => `${count} ${what}`;

const ZH: StartWords = {
  title: "一组智能体修复一个缺陷，而周围的一切都在出故障",
  real: "模型由本机上故意出错的服务商扮演：不需要密钥，也不需要网络。其余都是真的。",
  task: "任务",
  folder: "文件夹",
  dashboard: "仪表板",
  linkWorksOnce: "在浏览器中打开：此链接十分钟内登录一次有效。",
  linkEndsWithRun: "请立即在浏览器中打开：它随本次运行结束。不加 --once 时，会保留到按下 Ctrl-C。",
  waitsThere: "那里有一个运行在等您回答，一个失败的运行可以重试，还有一个已恢复的工具等您恢复服务。",
  worker: (worker, pid) => `工作进程 ${worker}（进程 ${pid}）推进运行`,
  killed: (worker, pid) => `工作进程 ${worker}（进程 ${pid}）在等待回答时被 SIGKILL 杀死`,
  takesOver: (worker, pid) => `工作进程 ${worker}（进程 ${pid}）接管运行`,
  goesOn: (finished) => `从日志继续；已完成的 ${finished} 个阶段不会重做`,
  confirmed: "已替您确认；用 `--ask` 可自己决定",
  answered: (answer) => `您的回答：${answer}`,
  changes: (count) => `要求 ${count} 处修改`,
  approves: "通过",
  sentBack: (to) => `→ 退回 ${to}`,
  colon: "：",
  ended: (outcome, time) => `${outcome}，用时 ${time}。日志显示，这次运行经受住了`,
  survived: {
    rateLimits: row(countedZh("次限流"), "按服务器要求的时间等待"),
    failovers: row(countedZh("次断流"), "由另一个服务商回答"),
    hangs: row(countedZh("次工具挂起"), "终止后重新调用"),
    regenerated: row(countedZh("次格式错误"), "说明问题后重新生成一次"),
    reviews: row(countedZh("次评审"), "要求的修改已完成"),
    failedTests: row(countedZh("次测试失败"), "附输出退回，修复后通过"),
    crashes: row(countedZh("次进程被杀"), "由另一个进程继续"),
  },
  notRedone: "已完成的工作没有重做",
  cost: "费用",
  costIs: (sum, estimated) => `按标价 ${sum}${estimated === "" ? "" : `，其中 ${estimated} 为估算`}；没有真正付费`,
  change: "改动",
  journal: "日志",
  stages: "阶段",
  repository: "仓库",
  next: "下一步：",
  missing: {
    rateLimits: "没有按服务器要求等待限流",
    failovers: "没有由另一个服务商回答断流",
    hangs: "没有终止并重新调用挂起的工具",
    regenerated: "没有重新生成格式错误的回答",
    reviews: "没有完成评审要求的修改",
    failedTests: "没有退回并修复失败的测试",
    crashes: "没有接管被杀的进程",
    redone: "已完成的工作被重做",
    outcome: "运行未被批准",
  },
  incomplete: (list) => `与承诺不符：${list}。`,
  youStopped: "您在确认处停止了，后面的部分没有演示。",
  leave: "Ctrl-C 结束",
  needsTerminal: "--ask 需要终端；去掉它则自动确认。",
  stopped: (folder, resume) =>
    `已停止；现有内容在 ${folder}。运行保持原状，继续：${resume}\n模型由本命令扮演，之后的智能体会失败；\`${demoLine("start", "--ask")}\` 可重新开始。`,
};

export const START_WORDS: Readonly<Record<Locale, StartWords>> = { "en": EN, "zh-CN": ZH };
