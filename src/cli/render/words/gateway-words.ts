// What `faultline gateway` says.

import type { Locale } from "../../../core/index.ts";
import type { WindowName } from "../../../gateway/key/key-account.ts";
import type { GatewaySummary } from "../../../gateway/gateway-report.ts";
import { commandLine } from "../program-name.ts";

const WINDOWS_ZH: Readonly<Record<WindowName, string>> = { hour: "小时", day: "天", month: "月" };

const EN = {
  noFile: (file: string) =>
    `There is no ${file}. \`${commandLine("init", "gateway")}\` writes a gateway.faultline.yaml to start from; --config names another file.`,
  listening: (url: string) => `Gateway on ${url}`,
  targets: ({ targets, routes, keys }: GatewaySummary) =>
    `Targets: ${targets.join(", ")}. Routes: ${routes.join(", ") || "none"}. Keys: ${keys === 0 ? "none, so anyone on this machine may use it" : keys}.`,
  journal: (file: string) => `Journal ${file}.`,
  reloaded: (file: string) => `${file} was loaded again; calls that run finish as they began.`,
  kept: (file: string) => `${file} has a mistake; its last good version stays in use.`,
  gone: (file: string) => `${file} is gone; its last version stays in use.`,
  budgetLow: (client: string, window: WindowName, spent: string, limit: string) =>
    `Budget of key ${client}: ${spent} of ${limit} per ${window} is spent.`,
  /** What is done about it comes last. */
  failed: (target: string, why: string, what: string) => `${target}: ${why} → ${what}`,
  /** `why`: the failure that opened it; `until`: a time, with its zone. */
  breakerOpened: (target: string, why: string | null, until: string) =>
    `${target}: breaker opened${why === null ? "" : ` after ${why}`}; calls pass it over until ${until}, then one tries it`,
  silent: "silent for longer than usual",
  /** A failure, and what this machine saw of it. */
  seenAs: (why: string, detail: string) => `${why}: ${detail}`,
  /** `why` is what the store said, `lasted` is null at first; the counts are lines of the ledger. */
  unwritten: (why: string, lasted: string | null, waiting: number, lost: number) =>
    `The journal ${lasted === null ? "cannot be written" : `could not be written for ${lasted}`} (${why}). The gateway keeps answering, and budgets go by what it knows itself. Lines of the ledger that wait in memory: ${waiting}; lost: ${lost}.`,
  written: (lasted: string, lost: number) =>
    `The journal can be written again, after ${lasted}. Lost lines of the ledger: ${lost}.`,
  stop: "Ctrl-C stops.",
  stopping: "Stopping; calls that run have five seconds to finish. Another Ctrl-C ends them at once.",
};

export type GatewayWords = typeof EN;

const ZH: GatewayWords = {
  noFile: (file) =>
    `没有文件 ${file}。\`${commandLine("init", "gateway")}\` 会写一个可以修改的 gateway.faultline.yaml；--config 指定其他文件。`,
  listening: (url) => `网关地址 ${url}`,
  targets: ({ targets, routes, keys }) =>
    `目标：${targets.join("、")}。路由：${routes.join("、") || "无"}。密钥：${keys === 0 ? "无，本机任何人都可使用" : keys}。`,
  journal: (file) => `日志 ${file}。`,
  reloaded: (file) => `已重新加载 ${file}；正在进行的调用按原配置完成。`,
  kept: (file) => `${file} 有错误；继续使用上一个正确的版本。`,
  gone: (file) => `${file} 已不存在；继续使用其最后一个版本。`,
  budgetLow: (client, window, spent, limit) =>
    `密钥 ${client} 的预算：每${WINDOWS_ZH[window]}上限 ${limit}，已花费 ${spent}。`,
  failed: (target, why, what) => `${target}：${why} → ${what}`,
  breakerOpened: (target, why, until) =>
    `${target}：已熔断${why === null ? "" : `，原因是${why}`}；${until} 之前的调用跳过它，之后由一个调用试探`,
  silent: "沉默时间超过平常",
  seenAs: (why, detail) => `${why}：${detail}`,
  unwritten: (why, lasted, waiting, lost) =>
    `日志${lasted === null ? "" : `已有 ${lasted}`}无法写入（${why}）。网关继续应答，预算只按本网关已知的花费计算。内存中等待写入的账目行数：${waiting}；丢失的行数：${lost}。`,
  written: (lasted, lost) => `日志恢复写入，中断了 ${lasted}。丢失的账目行数：${lost}。`,
  stop: "按 Ctrl-C 停止。",
  stopping: "正在停止；正在进行的调用有五秒时间完成。再按一次 Ctrl-C 立即结束。",
};

export const GATEWAY_WORDS: Readonly<Record<Locale, GatewayWords>> = { "en": EN, "zh-CN": ZH };
