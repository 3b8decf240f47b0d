// The texts of `faultline policy replay`. Core provides the words for decisions, and for what a replay cannot know.

import type { Locale, UnknownReason } from "../../../core/index.ts";
import { plural } from "./cli-words.ts";

const EN = {
  policy: "policy",
  read: (decisions: string, sessions: number) => `${decisions} past decisions in ${plural(sessions, "session")}`,
  nothing: "There are no decisions to replay: nothing has failed in this time.",
  same: "same",
  changed: "changed",
  unknown: "unknown",
  reasons: {
    "after-change": "after a change",
    "not-recorded": "not recorded",
    "extension-row": "decided by an extension",
  } as Readonly<Record<UnknownReason, string>>,
  stages: (count: string) => `${count} are about stages of runs: the workflow decides them, and no policy changes them`,
  count: "count",
  fault: "fault",
  tool: "tool",
  change: "was → would be",
  wait: "wait",
  waits: "waits",
  attempts: "attempts",
  money: "cost",
  saves: (what: string) => `saves ${what}`,
  adds: (what: string) => `adds ${what}`,
  atLeast: (what: string) => `adds at least ${what}`,
  about: (what: string) => `adds about ${what}`,
  unpriced: (count: number) => `${plural(count, "attempt")} without a known price`,
  noEffect: "no difference",
  openEnded: (count: string) => `${count} of the changed calls would have continued in another way`,
  first: (shown: number, all: string) => `First ${shown} of ${all} changed decisions`,
  all: "Changed decisions",
  was: "was",
  would: "would be",
  cannotKnow: "What a replay cannot know",
} as const;

type Words<T> = { readonly [Key in keyof T]: T[Key] extends string ? string : T[Key] };
export type ReplayWords = Words<typeof EN>;

export const REPLAY_WORDS: Readonly<Record<Locale, ReplayWords>> = {
  "en": EN,
  "zh-CN": {
    policy: "策略",
    read: (decisions, sessions) => `${sessions} 个会话中的 ${decisions} 个历史决定`,
    nothing: "没有可重放的决定：这段时间内没有失败。",
    same: "相同",
    changed: "改变",
    unknown: "未知",
    reasons: { "after-change": "在改变之后", "not-recorded": "未记录", "extension-row": "由扩展决定" },
    stages: (count) => `其中 ${count} 个是关于运行阶段的决定：由工作流决定，策略不影响`,
    count: "数量",
    fault: "故障",
    tool: "工具",
    change: "原决定 → 新决定",
    wait: "等待",
    waits: "等待",
    attempts: "尝试",
    money: "费用",
    saves: (what) => `节省 ${what}`,
    adds: (what) => `增加 ${what}`,
    atLeast: (what) => `至少增加 ${what}`,
    about: (what) => `约增加 ${what}`,
    unpriced: (count) => `${count} 次尝试价格未知`,
    noEffect: "无差别",
    openEnded: (count) => `${count} 个改变的调用会以其他方式继续`,
    first: (shown, all) => `${all} 个改变的决定中的前 ${shown} 个`,
    all: "改变的决定",
    was: "原决定",
    would: "新决定",
    cannotKnow: "重放无法得知的内容",
  },
};
