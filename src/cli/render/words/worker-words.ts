// What `faultline worker` says.

import type { Locale } from "../../../core/index.ts";

const EN = {
  working: (journal: string, maxRuns: number) => `Advancing the runs of ${journal}, up to ${maxRuns} at a time.`,
  onRestate: (hosts: string, port: number) => `Restate at ${hosts} drives them; it calls this worker on port ${port}.`,
  ofRun: (run: string, said: string) => `run ${run}: ${said}`,
  stop: "Ctrl-C stops.",
  draining: "Draining: nodes that run may end, other workers continue their runs.",
  leaving: "Stopping before all nodes have ended; other workers continue their runs.",
};

const ZH: typeof EN = {
  working: (journal, maxRuns) => `正在推进 ${journal} 中的运行，最多同时 ${maxRuns} 个。`,
  onRestate: (hosts, port) => `由 ${hosts} 上的 Restate 驱动；它通过端口 ${port} 调用本工作进程。`,
  ofRun: (run, said) => `运行 ${run}：${said}`,
  stop: "按 Ctrl-C 停止。",
  draining: "正在收尾：等待进行中的节点结束，其运行由其他工作进程继续。",
  leaving: "部分节点尚未结束便停止；其运行由其他工作进程继续。",
};

export const WORKER_WORDS: Readonly<Record<Locale, typeof EN>> = { "en": EN, "zh-CN": ZH };
