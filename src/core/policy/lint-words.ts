// What `lintPolicy` says about a policy: what is wrong, and what to do about it.

import type { Locale } from "../fault/words/words.ts";

/** What is wrong, and what to do about it. */
export type Said = readonly [message: string, help: string];

const EN = {
  noCode: [
    "no code belongs to both the class and the code given",
    "Name a code that belongs to the class, or leave one of the two out.",
  ] satisfies Said,
  unreachable: (by: string): Said => [
    `this row never speaks: ${by} always matches first`,
    "Move it before the other row, narrow the other row, or delete this one.",
  ],
  earlierRows: "earlier rows",
  rowFor: (match: string, at: string) => `the row for ${match} (${at})`,
  outOfRange: (field: string, must: string): Said => [`${field} must be ${must}`, `Write ${must}.`],
  wholeFromOne: "a whole number from 1 on",
  share: "a share from 0 to 1",
  fromOne: "a number from 1 on",
  noNegative: "times of 0 ms and more",
  capped: (maxMs: number, initialMs: number): Said => [
    `maxMs (${maxMs}) is below initialMs (${initialMs}), so the first wait is already capped`,
    `Raise maxMs to at least ${initialMs}.`,
  ],
  neverMade: (attempt: number, of: number): Said => [
    `attempt ${attempt} of ${of} can never be made: the waits before it pass the row's limits`,
    `Raise maxTotalWaitMs or maxWaitMs, or lower maxAttempts to ${attempt - 1}.`,
  ],
  oneAttempt: [
    "maxAttempts counts the first attempt too, so 1 means no retry",
    "Write `retry: none`, or 2 for one retry.",
  ] satisfies Said,
  hopeless: (codes: string): Said => [
    `${codes} fails the same way every time, so a retry only costs`,
    "Write `retry: none` and list what to do under `then`.",
  ],
  afterFail: (never: string): Said => [
    `${never} never happens: \`fail\` before it always can`,
    "Put `fail` last; it may also be left out.",
  ],
  noRow: (codes: string): Said => [
    `no row for ${codes}`,
    "Add a last row that matches everything, or start from a preset.",
  ],
  opensShorter: (maxOpenMs: number, openMs: number): Said => [
    `maxOpenMs (${maxOpenMs}) is below openMs (${openMs})`,
    `Raise it to at least ${openMs}.`,
  ],
  neverRefills: (capacity: number): Said => [
    `the budget never refills: after ${capacity} retries there are none for ever`,
    "Give perCall or perSecond a value above 0.",
  ],
};

const ZH: typeof EN = {
  noCode: ["没有代码同时属于给定的类别和代码", "请写属于该类别的代码，或去掉其中之一。"],
  unreachable: (by) => [`此行永远不会生效：${by}总是先匹配`, "请把它移到那一行之前、缩小那一行的范围，或删除此行。"],
  earlierRows: "前面的行",
  rowFor: (match, at) => `匹配 ${match} 的行（${at}）`,
  outOfRange: (field, must) => [`${field} 必须是${must}`, `请写${must}。`],
  wholeFromOne: "从 1 开始的整数",
  share: "0 到 1 之间的比例",
  fromOne: "不小于 1 的数",
  noNegative: "不小于 0 毫秒的时间",
  capped: (maxMs, initialMs) => [
    `maxMs（${maxMs}）小于 initialMs（${initialMs}），第一次等待就会被截短`,
    `请把 maxMs 提高到至少 ${initialMs}。`,
  ],
  neverMade: (attempt, of) => [
    `共 ${of} 次尝试中的第 ${attempt} 次永远不会进行：之前的等待已超出此行的上限`,
    `请提高 maxTotalWaitMs 或 maxWaitMs，或把 maxAttempts 降到 ${attempt - 1}。`,
  ],
  oneAttempt: ["maxAttempts 包括第一次尝试，所以 1 表示不重试", "请写 `retry: none`；要重试一次则写 2。"],
  hopeless: (codes) => [
    `${codes} 每次都会以同样的方式失败，重试只会增加开销`,
    "请写 `retry: none`，并在 `then` 中列出该怎么做。",
  ],
  afterFail: (never) => [`${never} 永远不会执行：它前面的 \`fail\` 总是可行`, "请把 `fail` 放在最后，也可以省略。"],
  noRow: (codes) => [`没有针对 ${codes} 的行`, "请在最后加一行匹配所有故障，或从预设开始。"],
  opensShorter: (maxOpenMs, openMs) => [
    `maxOpenMs（${maxOpenMs}）小于 openMs（${openMs}）`,
    `请提高到至少 ${openMs}。`,
  ],
  neverRefills: (capacity) => [
    `预算永远不会恢复：${capacity} 次重试之后就再也没有了`,
    "请给 perCall 或 perSecond 一个大于 0 的值。",
  ],
};

export const LINT_WORDS: Readonly<Record<Locale, typeof EN>> = { "en": EN, "zh-CN": ZH };
