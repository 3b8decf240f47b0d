// What is said instead when a stream did answer, but more slowly than its route allows: no network needs checking.

import type { FaultWords } from "./fault-words.ts";

export const SLOW_WORDS: Readonly<Record<"en" | "zh-CN", Pick<FaultWords, "title" | "user" | "operator">>> = {
  "en": {
    title: "Answer too slow",
    user: "The answer came too slowly.",
    operator:
      "The stream was slower than the minimum that is set for it, and may be retried; check whether the minimum suits this model, or put a faster target first.",
  },
  "zh-CN": {
    title: "回答过慢",
    user: "回答的速度过慢。",
    operator: "流的速度低于为其设定的下限，可重试；请检查该下限是否适合该模型，或把更快的目标放在前面。",
  },
};
