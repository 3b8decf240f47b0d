// Bulk actions in words: how one stands, how far each of its runs is, and why a run is passed over.

import type { Locale } from "../../core/fault/words/words.ts";
import type { BulkStatus, BulkStepState, WhyPassedOver } from "./bulk.ts";

interface BulkWords {
  readonly status: Readonly<Record<BulkStatus, { readonly label: string; readonly says: string }>>;
  readonly step: Readonly<Record<BulkStepState, string>>;
  /** For a run whose turn never came. */
  readonly untouched: string;
  readonly passedOver: Readonly<Record<WhyPassedOver, string>>;
}

export function bulkWords(locale: Locale): BulkWords {
  return WORDS[locale];
}

const WORDS: Readonly<Record<Locale, BulkWords>> = {
  "en": {
    status: {
      running: { label: "Running", says: "The action is being taken, wave by wave." },
      completed: { label: "Done", says: "The action was taken on every run." },
      stopped: {
        label: "Stopped",
        says: "Stopped by itself: at least half of the runs of a wave failed again. The other runs were left as they were.",
      },
      aborted: { label: "Aborted", says: "A person stopped it. Runs that were not acted on are as they were." },
    },
    step: {
      pending: "Not yet",
      acting: "Starting",
      running: "Running",
      completed: "Completed",
      failed: "Failed again",
      waiting: "Waiting",
      refused: "Not possible",
    },
    untouched: "Left as it was",
    passedOver: {
      "succeeded": "It got over the failure and completed.",
      "running": "It is running now.",
      "cancelled": "It was cancelled.",
      "other-failure": "It stands because of another failure.",
      "not-offered": "It does not offer this action.",
    },
  },
  "zh-CN": {
    status: {
      running: { label: "进行中", says: "正在分批执行该操作。" },
      completed: { label: "已完成", says: "已对每个运行执行该操作。" },
      stopped: { label: "已停止", says: "已自动停止：某一批中至少一半的运行再次失败。其余运行保持原状。" },
      aborted: { label: "已中止", says: "已由人停止。未执行操作的运行保持原状。" },
    },
    step: {
      pending: "尚未开始",
      acting: "正在开始",
      running: "运行中",
      completed: "已完成",
      failed: "再次失败",
      waiting: "等待中",
      refused: "无法执行",
    },
    untouched: "保持原状",
    passedOver: {
      "succeeded": "它已克服该故障并完成。",
      "running": "它正在运行。",
      "cancelled": "它已被取消。",
      "other-failure": "它因另一个故障而停住。",
      "not-offered": "它不提供此操作。",
    },
  },
};
