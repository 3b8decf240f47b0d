// The CLI's own labels. Core provides the words for faults and decisions.

import { commandLine } from "../program-name.ts";
import type { Locale } from "../../../core/index.ts";

const EN = {
  tour: "every failure becomes one typed fault, one function decides, nothing is guessed twice",
  saw: "saw",
  fault: "fault",
  doesNow: "does",
  says: "says",
  tryIt: "Try it on a failure of your own:",
  means: "What it means",
  does: "What Faultline does",
  youCan: "What you can do",
  operator: "For the operator",
  model: "What the model reads",
  alsoKnown: "In other vocabularies",
  retryable: "retryable",
  notRetryable: "not retryable",
  rule: "rule",
  nearly: "nearly",
  wait: "asks to wait",
  resets: "resets at",
  read: "read from",
  once: "one attempt, no retry",
  attempt: (attempt: number, of: number) => `attempt ${attempt} of ${of}`,
  after: "after",
  inAll: "in total",
  then: (list: string) => `then: ${list}`,
  never: "never reached",
  from: "from",
  serverWins: (most: string) => `If the server names a wait, it is used exactly, up to ${most}.`,
  repeatUnsafe: "Retried only if the work is declared idempotent, because it may already have been done.",
  thrown: "thrown:",
  causedBy: "caused by",
  checked: (file: string, errors: number, warnings: number) =>
    `${file}: ${plural(errors, "error")}, ${plural(warnings, "warning")}`,
  wrongFile: (file: string, errors: number) => `${file} has ${plural(errors, "error")}; correct it and try again.`,
  noSuchCode: (name: string, near: string | null, list: string) =>
    `There is no fault code \`${name}\`.${near === null ? "" : ` Did you mean \`${near}\`?`} \`${list}\` lists all.`,
  noSuchId: (id: string, file: string) =>
    `No failure is recorded under the id ${id} in the journal ${file}. If it belongs to another journal, name that one with --journal. \`${commandLine("journal", "sessions", file)}\` lists the sessions of this one.`,
};

export type CliWords = typeof EN;

export const CLI_WORDS: Readonly<Record<Locale, CliWords>> = {
  "en": EN,
  "zh-CN": {
    tour: "每个失败都成为一个有类型的故障，由一个函数决定如何处理，不作第二次猜测",
    saw: "现象",
    fault: "故障",
    doesNow: "处理",
    says: "说明",
    tryIt: "用您自己的失败试一试：",
    means: "含义",
    does: "Faultline 的处理",
    youCan: "您可以做什么",
    operator: "给操作员",
    model: "告知模型的内容",
    alsoKnown: "在其他词汇表中",
    retryable: "可重试",
    notRetryable: "不可重试",
    rule: "规则",
    nearly: "相近规则",
    wait: "要求等待",
    resets: "恢复时间",
    read: "依据",
    once: "只尝试一次，不重试",
    attempt: (attempt, of) => `第 ${attempt}/${of} 次`,
    after: "等待",
    inAll: "累计",
    then: (list) => `之后依次：${list}`,
    never: "不会到达",
    from: "来源",
    serverWins: (most) => `服务端给出的等待时间按原值执行，上限为 ${most}。`,
    repeatUnsafe: "操作可能已执行，仅在声明为幂等时才会重复。",
    thrown: "抛出：",
    causedBy: "起因：",
    checked: (file, errors, warnings) => `${file}：${errors} 个错误，${warnings} 个警告`,
    wrongFile: (file, errors) => `${file} 有 ${errors} 个错误，请改正后再试。`,
    noSuchCode: (name, near, list) =>
      `没有故障码 \`${name}\`。${near === null ? "" : `是否想用 \`${near}\`？`}\`${list}\` 会列出全部。`,
    noSuchId: (id: string, file: string) =>
      `日志 ${file} 中没有 ID 为 ${id} 的故障。如果它在另一个日志中，请用 --journal 指定那个日志。\`${commandLine("journal", "sessions", file)}\` 列出这个日志中的会话。`,
  },
};

/** Joins sentences; Chinese needs no space between them. */
export function sentences(locale: Locale, ...all: readonly string[]): string {
  return all.join(locale === "zh-CN" ? "" : " ");
}

/** English only: Chinese nouns have one form. */
export function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}
