// The words around targets. Their states, reasons and actions come from the server.

import { wordTable } from "../../app/words.ts";

export type TargetWords = (typeof TARGET_WORDS)["en"];

function some(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}

export const TARGET_WORDS = wordTable({
  "en": {
    title: "Targets",
    says: "Everything that calls go to: models, CLIs, MCP servers, HTTP services and tools.",
    none: "No target has been called yet",
    noneNext: "A target appears here with the first call that a run, a session or a program of this journal makes.",
    columns: {
      target: "Target",
      state: "State",
      errors: "Errors",
      latency: "p95",
      quota: "Quota left",
      now: "Now",
      spend: "Spent",
    },
    kinds: { model: "Model", cli: "CLI", mcp: "MCP server", http: "HTTP service", tool: "Tool", unknown: "Target" },
    limited: {
      "requests": "Requests",
      "tokens": "Tokens",
      "input-tokens": "Input tokens",
      "output-tokens": "Output tokens",
    },
    facts: {
      now: "Now",
      errors: "Errors",
      latency: "Latency",
      calls: "Calls",
      opened: "Breaker opened",
      spend: "Spent",
      usedAt: "Last called",
      id: "Full name",
    },
    panel: (target: string) => `Target ${target}`,
    close: "Close",
    because: "Because of:",
    evidence: "The failure that opened its breaker",
    reason: "Reason:",
    since: (at: string, age: string) => `Since ${at}, for ${age}.`,
    now: (running: number, queued: number) =>
      queued === 0 ? `${running} running` : `${running} running, ${queued} queued`,
    ofLast: (rate: string, attempts: number) => `${rate} of the last ${some(attempts, "attempt")}`,
    latency: (p50: string, p95: string) => `p50 ${p50} · p95 ${p95}`,
    calls: (calls: number, retries: number, timeouts: number) =>
      `${some(calls, "call")}, ${some(retries, "retry", "retries")}, ${some(timeouts, "timeout")}`,
    spend: (money: string, unpriced: number) =>
      unpriced === 0 ? money : `${money}, leaving out ${some(unpriced, "attempt")} without a price`,
    notUsed: "not by this server",
    quota: "Quota",
    left: (left: string, of: string) => `${left} of ${of} left`,
    resets: (at: string) => `resets ${at}`,
    runs: "Runs that asked it last",
    groups: "Its failures",
    probing: (target: string) => `The next call to ${target} goes through as a probe.`,
    about: (label: string, target: string) => `${label}: ${target}`,
    did: {
      isolate: (target: string) =>
        `${target} is isolated. Calls to it are refused until someone puts it back into service.`,
      reset: (target: string) => `${target} is back in service. The next call goes to it.`,
    },
    why: "Why? People who meet it will see this.",
    whyMissing: "Write a reason.",
    cancel: "Cancel",
  },
  "zh-CN": {
    title: "目标",
    says: "调用所到达的一切：模型、CLI、MCP 服务器、HTTP 服务和工具。",
    none: "还没有调用过任何目标",
    noneNext: "当此日志的运行、会话或程序发出第一次调用时，目标就会出现在这里。",
    columns: {
      target: "目标",
      state: "状态",
      errors: "错误率",
      latency: "p95",
      quota: "剩余配额",
      now: "当前",
      spend: "花费",
    },
    kinds: { model: "模型", cli: "CLI", mcp: "MCP 服务器", http: "HTTP 服务", tool: "工具", unknown: "目标" },
    limited: { "requests": "请求", "tokens": "令牌", "input-tokens": "输入令牌", "output-tokens": "输出令牌" },
    facts: {
      now: "当前",
      errors: "错误",
      latency: "延迟",
      calls: "调用",
      opened: "熔断次数",
      spend: "花费",
      usedAt: "上次调用",
      id: "完整名称",
    },
    panel: (target: string) => `目标 ${target}`,
    close: "关闭",
    because: "原因：",
    evidence: "触发熔断的故障",
    reason: "理由：",
    since: (at: string, age: string) => `自 ${at} 起，已 ${age}。`,
    now: (running: number, queued: number) =>
      queued === 0 ? `${running} 个进行中` : `${running} 个进行中，${queued} 个排队`,
    ofLast: (rate: string, attempts: number) => `最近 ${attempts} 次尝试中的 ${rate}`,
    latency: (p50: string, p95: string) => `p50 ${p50} · p95 ${p95}`,
    calls: (calls: number, retries: number, timeouts: number) =>
      `${calls} 次调用，${retries} 次重试，${timeouts} 次超时`,
    spend: (money: string, unpriced: number) =>
      unpriced === 0 ? money : `${money}，不含 ${unpriced} 次没有价格的尝试`,
    notUsed: "此服务器尚未调用",
    quota: "配额",
    left: (left: string, of: string) => `剩余 ${left} / ${of}`,
    resets: (at: string) => `${at} 重置`,
    runs: "最后调用它的运行",
    groups: "它的故障",
    probing: (target: string) => `对 ${target} 的下一次调用将作为试探通过。`,
    about: (label: string, target: string) => `${label}：${target}`,
    did: {
      isolate: (target: string) => `${target} 已隔离。在有人恢复它之前，对它的调用都会被拒绝。`,
      reset: (target: string) => `${target} 已恢复服务。下一次调用会到达它。`,
    },
    why: "为什么？遇到它的人会看到此理由。",
    whyMissing: "请写明理由。",
    cancel: "取消",
  },
});
