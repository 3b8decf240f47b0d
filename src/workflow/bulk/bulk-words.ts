// How a bulk action stands, in a sentence.

import type { Locale } from "../../core/fault/words/words.ts";
import type { BulkStatus } from "./bulk.ts";

export function tellBulk(status: BulkStatus, locale: Locale): string {
  return WORDS[locale][status];
}

const WORDS: Readonly<Record<Locale, Readonly<Record<BulkStatus, string>>>> = {
  "en": {
    running: "The action is being taken, wave by wave.",
    completed: "The action was taken on every run.",
    stopped:
      "Stopped by itself: at least half of the runs of a wave failed again. The other runs were left as they were.",
    aborted: "A person stopped it. Runs that were not acted on are as they were.",
  },
  "zh-CN": {
    running: "正在分批执行该操作。",
    completed: "已对每个运行执行该操作。",
    stopped: "已自动停止：某一批中至少一半的运行再次失败。其余运行保持原状。",
    aborted: "已由人停止。未执行操作的运行保持原状。",
  },
};
