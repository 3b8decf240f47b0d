// What `faultline drill` says.

import type { Locale } from "../../../core/index.ts";
import type { Verdict } from "../../drill/judge.ts";

const EN = {
  verdicts: {
    "survived": "survived",
    "told": "failed cleanly",
    "wrong-answer": "wrong answer",
    "hung": "hung",
    "crashed": "crashed",
    "retried-too-hard": "retried too hard",
    "wasted-money": "wasted money",
    "not-met": "did not meet it",
  } satisfies Readonly<Record<Verdict, string>>,
  /** A verdict about a process that did not end with 0. */
  ended: (verdict: string, code: number | null) => `${verdict}, ${code === null ? "by a signal" : `exit code ${code}`}`,
  columns: ["fault", "verdict", "requests", "paid", "took"],
  score: (good: number, met: number) => `${good} of ${met} handled`,
  behindGateway: (command: string) => `Next, the same behind the gateway: ${command}`,
  badge: (good: number, met: number) => `${good} of ${met} faults handled`,
  begins: (command: string, drills: number, hasGateway: boolean) =>
    `Drilling ${command} ${hasGateway ? "behind the gateway" : "without a gateway"}: one run without a fault, then ${drills} with one each.`,
  notStarted: (why: string) => `The agent could not be started: ${why}`,
  sentNothing:
    "The agent sent no request to the provider. It has to use OPENAI_BASE_URL, ANTHROPIC_BASE_URL or GOOGLE_GEMINI_BASE_URL; or put {url} into its command.",
  stray: (path: string) => `A request went to ${path}, which is not a path of any vendor; check the base URL.`,
  hasNoAnswer: (prompt: string) =>
    `Even without a fault the agent did not print the model's answer and end with exit code 0. Put {prompt} where its prompt goes; it stands for: ${prompt}`,
  /** `hasAnswer`: it printed the answer, but did not end. */
  hung: (hasAnswer: boolean, seconds: number) =>
    `Even without a fault the agent hung: it ${hasAnswer ? "printed the model's answer but did not end" : "did not end"} within ${seconds} s. Make it end after its answer, or give it more time with --timeout.`,
  printed: "It printed:",
  unknown: (name: string, known: string) => `There is no drill ${name}. There are: ${known}`,
  stopped: "Stopped.",
};

export type DrillWords = typeof EN;

const ZH: DrillWords = {
  verdicts: {
    "survived": "存活",
    "told": "干净地失败",
    "wrong-answer": "答案错误",
    "hung": "挂起",
    "crashed": "崩溃",
    "retried-too-hard": "重试过度",
    "wasted-money": "浪费费用",
    "not-met": "未遇到故障",
  },
  ended: (verdict, code) => `${verdict}（${code === null ? "被信号终止" : `退出码 ${code}`}）`,
  columns: ["故障", "结论", "请求数", "计费", "用时"],
  score: (good, met) => `${met} 个故障中处理了 ${good} 个`,
  behindGateway: (command) => `接下来，经过网关再演练一次：${command}`,
  badge: (good, met) => `${good}/${met}`,
  begins: (command, drills, hasGateway) =>
    `演练 ${command}（${hasGateway ? "经过网关" : "不经过网关"}）：先无故障运行一次，然后 ${drills} 次各带一个故障。`,
  notStarted: (why) => `无法启动该智能体：${why}`,
  sentNothing:
    "该智能体没有向服务商发送请求。它必须使用 OPENAI_BASE_URL、ANTHROPIC_BASE_URL 或 GOOGLE_GEMINI_BASE_URL；或在命令中写入 {url}。",
  stray: (path) => `有请求发往 ${path}，没有厂商使用该地址；请检查基础 URL。`,
  hasNoAnswer: (prompt) =>
    `即使没有故障，该智能体也没有打印模型的答案并以退出码 0 结束。请在提示词的位置写 {prompt}，它代表：${prompt}`,
  hung: (hasAnswer, seconds) =>
    `即使没有故障，该智能体也挂起了：${hasAnswer ? "它打印了模型的答案，但" : "它"}没有在 ${seconds} 秒内结束。请让它在回答之后结束，或用 --timeout 给它更多时间。`,
  printed: "它打印了：",
  unknown: (name, known) => `没有名为 ${name} 的演练。可用的有：${known}`,
  stopped: "已停止。",
};

export const DRILL_WORDS: Readonly<Record<Locale, DrillWords>> = { "en": EN, "zh-CN": ZH };
