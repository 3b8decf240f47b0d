// What `faultline worker` says.

import type { Locale } from "../../../core/index.ts";

interface WorkerWords {
  readonly working: (journal: string, maxRuns: number) => string;
  readonly onRestate: (hosts: string, port: number) => string;
  readonly ofRun: (run: string, said: string) => string;
  readonly stop: string;
  readonly draining: string;
  readonly leaving: string;
}

export const WORKER_WORDS: Readonly<Record<Locale, WorkerWords>> = {
  "en": {
    working: (journal, maxRuns) => `Advancing the runs of ${journal}, up to ${maxRuns} at a time.`,
    onRestate: (hosts, port) => `Restate at ${hosts} drives them; it calls this worker on port ${port}.`,
    ofRun: (run, said) => `run ${run}: ${said}`,
    stop: "Ctrl-C stops.",
    draining: "Draining: nodes that run may end, other workers continue their runs.",
    leaving: "Stopping before all nodes have ended; other workers continue their runs.",
  },
  "zh-CN": {
    working: (journal, maxRuns) => `正在推进 ${journal} 中的运行，最多同时 ${maxRuns} 个。`,
    onRestate: (hosts, port) => `由 ${hosts} 上的 Restate 驱动；它通过端口 ${port} 调用本工作进程。`,
    ofRun: (run, said) => `运行 ${run}：${said}`,
    stop: "按 Ctrl-C 停止。",
    draining: "正在收尾：等待进行中的节点结束，其运行由其他工作进程继续。",
    leaving: "部分节点尚未结束便停止；其运行由其他工作进程继续。",
  },
};
