// The texts of `faultline run`, in each language. Core provides the words for faults and decisions.

import type { Locale } from "../../../core/index.ts";

const EN = {
  session: (id: string, file: string) => `session ${id} in ${file}`,
  failed: (target: string, attempt: number, code: string, message: string) =>
    `${target} failed (attempt ${attempt}, ${code}): ${message}`,
  /** Used instead of the decision's words, which are meant for programs with a model. */
  notRepeated: "Not retried: it may have had an effect. If running it again does no harm, pass --idempotent.",
  begins: (target: string, attempt: number) => `${target}, attempt ${attempt} starts.`,
  isVoid: "Ignore the output above this line.",
  countdown: (attempt: number, of: number, left: string) => `attempt ${attempt} of ${of} in ${left}`,
  uses: (target: string, tool: string) => `${target} uses ${tool}`,
  retriesItself: (target: string, reason: string) => `${target} is retrying on its own: ${reason}`,
  workedLater: (target: string, attempts: number) => `${target} worked after ${attempts} attempts.`,
  /** `why` is empty if a line above it has said it. */
  waits: (why: string) => (why === "" ? "waits for a person." : `waits for a person: ${why}.`),
  parked: (why: string) => (why === "" ? "parked." : `parked: ${why}.`),
  cancelled: "cancelled; the command was stopped.",
  next: "Next: ",
  causes: "Causes: ",
  then: ", then: ",
  after: (time: string) => `after ${time}: `,
  checkName: (name: string) => `check the name and the PATH: command -v ${name}`,
  outputLost: (why: string) =>
    `the output is incomplete: cannot write its temporary file (${why}). Free some space, or set TMPDIR.`,
  answerCut: "the answer is cut at 16 MB, the limit of --json. Run it without --json to get everything.",
  stopped: "stopped by a signal",
  retryHasNoEffect: (name: string) =>
    `--retry has no effect without --idempotent: ${name} may have had an effect, so it is not run again.`,
  sessionNeedsJournal: "--session needs a journal: name it with --journal <file>.",
  putBehind: (line: string) => `Put the command behind \`--\`: ${line}`,
};

export type RunWords = typeof EN;

export const RUN_WORDS: Readonly<Record<Locale, RunWords>> = {
  "en": EN,
  "zh-CN": {
    session: (id, file) => `会话 ${id}，日志 ${file}`,
    failed: (target, attempt, code, message) => `${target} 失败（第 ${attempt} 次，${code}）：${message}`,
    notRepeated: "不再重试：命令可能已经产生影响。如果重复运行无害，请加 --idempotent。",
    begins: (target, attempt) => `${target} 第 ${attempt} 次尝试开始。`,
    isVoid: "此行之前的输出作废。",
    countdown: (attempt, of, left) => `第 ${attempt}/${of} 次尝试将在 ${left} 后开始`,
    uses: (target, tool) => `${target} 使用 ${tool}`,
    retriesItself: (target, reason) => `${target} 自行重试：${reason}`,
    workedLater: (target, attempts) => `${target} 成功，共尝试 ${attempts} 次。`,
    waits: (why) => (why === "" ? "等待人工处理。" : `等待人工处理：${why}。`),
    parked: (why) => (why === "" ? "已推迟。" : `已推迟：${why}。`),
    cancelled: "已取消，命令已停止。",
    next: "下一步：",
    causes: "原因：",
    then: "，然后：",
    after: (time) => `${time} 之后：`,
    checkName: (name) => `检查名称和 PATH：command -v ${name}`,
    outputLost: (why) => `输出不完整：无法写入临时文件（${why}）。请释放空间，或设置 TMPDIR。`,
    answerCut: "答案在 16 MB 处被截断：JSON 文档最多容纳这么多。去掉 --json 可得到全部输出。",
    stopped: "被信号停止",
    retryHasNoEffect: (name) => `没有 --idempotent 时 --retry 不起作用：${name} 可能已经产生影响，因此不会再次运行。`,
    sessionNeedsJournal: "--session 指定日志中的会话：请用 --journal <file> 指定日志。",
    putBehind: (line) => `请把命令写在 \`--\` 之后：${line}`,
  },
};
