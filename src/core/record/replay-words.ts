// What a replay of past decisions cannot know, in words. The CLI and the server use the same sentences.

import type { Locale } from "../fault/words/words.ts";
import type { ReplayLimit } from "./replay-tally.ts";

/** Says in words what a replay cannot know. */
export function describeReplayLimit(limit: ReplayLimit, locale: Locale): string {
  return WORDS[locale][limit];
}

const WORDS: Readonly<Record<Locale, Readonly<Record<ReplayLimit, string>>>> = {
  "en": {
    "after-change":
      "Decisions that follow a change in the same call, or end the same stage attempt, are unknown: the call would have met something else.",
    "not-recorded": "Older or newer versions wrote some entries without what their decision depended on.",
    "extension-row": "A row that an extension adds decided some faults. The policy file does not have that row.",
    "at-least": "Added attempts are the least: each may fail and be followed by more.",
    "price":
      "Some attempts have no known price: the provider reported none, or the attempt before an added one cost nothing.",
    "people": "How long a person takes, and what they answer, is not known.",
    "shared-state":
      "Breakers, retry budgets, pauses and incident memory are as they were. Other retries would have moved them, and the policy's own breaker and budget rules are not replayed.",
    "later-work":
      "Later calls and stages of the same run are judged as they happened, although a change may have avoided them.",
  },
  "zh-CN": {
    "after-change": "同一调用中某个决定改变之后的决定，以及同一次阶段尝试的结局，均视为未知：之后遇到的情况会不同。",
    "not-recorded": "部分记录由较旧或较新的版本写入，没有保存当时决定所依据的情况。",
    "extension-row": "部分故障由扩展添加的规则处理，策略文件中没有该规则。",
    "at-least": "增加的尝试次数是下限：每次都可能再次失败并继续重试。",
    "price": "部分尝试的价格未知：服务商未报告，或增加的尝试之前的那一次没有费用。",
    "people": "人需要多久答复、会如何答复，无法得知。",
    "shared-state":
      "熔断器、重试预算、暂停和事件记忆按当时的状态计算。其他重试会改变它们；策略自身的熔断和预算规则不参与重放。",
    "later-work": "同一运行中之后的调用和阶段按实际发生的情况判断，即使某个改变可能使其不再发生。",
  },
};
