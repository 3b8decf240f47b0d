// The texts of `faultline journal`. Core provides the words for faults and decisions.

import { commandLine } from "../program-name.ts";
import type { Locale, SessionStatus, TurnStatus } from "../../../core/index.ts";
import { plural } from "./cli-words.ts";

const EN = {
  session: "session",
  status: "status",
  started: "started",
  changed: "last change",
  entries: "entries",
  entryCount: entriesIn,
  statuses: { open: "open", waiting: "waiting", done: "done", failed: "failed", cancelled: "cancelled" } as Statuses,
  turnStatuses: {
    done: "done",
    partial: "partly done",
    failed: "failed",
    waiting: "waiting",
    cancelled: "cancelled",
  } as TurnStatuses,
  next: "Next:",

  noJournal: (file: string) => `There is no journal at ${file}.`,
  whoMakesJournals: `\`${commandLine("workflow", "run")}\`, \`${commandLine("run", "--journal")}\`, \`${commandLine("serve")}\`, \`${commandLine("worker")}\`, \`${commandLine("gateway")}\` and programs that pass \`journal\` to createFaultline create one.`,
  noSession: (session: string, list: string) =>
    `There is no session ${session} in this journal; \`${list}\` lists all.`,
  noTurn: (turn: string, session: string) => `Session ${session} has no turn ${turn}.`,
  itHasTurns: (turns: string) => `It has: ${turns}.`,
  noSessions: "No session matches.",
  moreSessions: (shown: number) => `Only the newest ${shown} are shown; --limit shows more.`,
  unreadable: (session: string, why: string) =>
    `Session ${session} holds an entry that this version cannot read (${why}). --events shows the raw entry.`,

  turn: (turn: string) => `turn ${turn}`,
  begun: "the session starts",
  mode: { attended: "attended", headless: "headless" },
  resumed: "the program resumes the session",
  inFlight: (calls: string) => `in flight when it stopped: ${calls}`,
  ended: (status: string) => `the session ends: ${status}`,
  turnEnded: (status: string) => `the turn ends: ${status}`,
  attempt: (attempt: number) => `attempt ${attempt}`,
  notAttempted: "no attempt made",
  unpriced: "price unknown",
  estimated: (cost: string) => `about ${cost}`,
  succeeded: "succeeded",
  itemsFailed: (items: number) => `${plural(items, "item")} failed`,
  cancelled: "cancelled",
  late: "answered after it was abandoned",
  lateOk: "with a result",
  lateFailed: "with a failure",
  unrun: {
    skipped: "skipped without running",
    defaulted: "given its default without running",
    failed: "failed without running",
  },
  needs: (node: string) => `needs ${node}`,
  asks: (kind: string) => `a person is asked (${kind})`,
  answered: { accepted: "a person answered", rejected: "a person said no", timeout: "no answer in time" },
  by: (who: string) => `by ${who}`,
  until: (time: string) => `until ${time}`,
  breaker: (from: string, to: string) => `circuit breaker: ${from} → ${to}`,
  paused: (target: string) => `${target} is held back for all its callers`,
  adapted: "the request was changed before it was sent",
  held: (isPaced: boolean): string => (isPaced ? "waits to stay below the rate limit" : "waits for the pause to end"),
  budgetWarned: (spent: string, most: string) => `the budget is running low: ${spent} of ${most} is spent`,
  budgetExceeded: (spent: string, most: string) => `the budget is not enough: ${spent} of ${most} is spent`,
  wouldCost: (cost: string) => `this would cost up to ${cost}`,
  ignored: "ignored on purpose",

  perTool: "per tool",
  tool: "tool",
  counts: {
    call_count: "calls",
    success_count: "ok",
    error_count: "errors",
    transient_error_count: "transient",
    permanent_error_count: "permanent",
    timeout_count: "timeouts",
    cancelled_count: "cancelled",
    late_count: "late",
    retry_count: "retries",
    retry_success_rate: "that helped",
    circuit_breaker_opens: "breaker opened",
    cost_microcents: "cost",
    unpriced_count: "unpriced",
  },

  allWell: (sessions: number, entries: number) =>
    `${plural(sessions, "session")}, ${entriesIn(entries)}, all unchanged`,
  badEntry: (session: string, seq: number, why: string) => `session ${session}, entry ${seq}: ${why}`,
  badFile: (why: string) => `the file itself: ${why}`,
  afterBad: "Restore the file from a backup. Entries before this one can still be read.",

  exported: (session: string, file: string) => `session ${session} is in ${file}`,
  imported: (session: string, appended: number, already: number) =>
    `session ${session}: ${entriesIn(appended)} written, ${already} already there`,
  adopted: "It was taken over from another store: do not continue it there.",
  adoptHint: "Without --adopt, a session can only be imported into the store that wrote it.",
  nothingIn: "Nothing to import: name a file, or pipe one to stdin.",
  lineTooLong: (line: number) => `Line ${line} is too long to import.`,

  pruned: (count: number) => `${plural(count, "session")} removed`,
  copied: (entries: number, kept: number, files: number) =>
    `${entries === 0 ? "no new entries to copy" : `${entries} ${entries === 1 ? "entry" : "entries"} copied`}; ${plural(kept, "kept value")} and ${plural(files, "file")} are the same in both journals`,
  wouldPrune: (count: number) => `${plural(count, "session")} would be removed`,
  trouble: (what: string, why: string) => `While ${what}: ${why}`,

  noQuestions: "There are no open questions.",
  answerBy: (time: string) => `counts as a no after ${time}`,
  noEnd: "waits without a time limit",
  isOver: (time: string) => `expired at ${time}: without an answer it counts as a no`,
  open: (url: string) => `open ${url}`,
  enter: (code: string) => `enter ${code}`,
  isAnswered: (question: string, who: string) => `Question ${question} was answered by ${who} and is no longer open.`,
  continues: (session: string) =>
    `a running program continues by itself. Otherwise run it again to continue session ${session}.`,
  answerIs: (question: string) => `question ${question} is answered`,
  noQuestion: (question: string, list: string) =>
    `There is no open question ${question}: it was never asked here, or it was already answered and used. \`${list}\` lists what is open.`,
  wasFirst: (question: string, who: string) =>
    `Question ${question} was already answered by ${who}, and the first answer counts.`,
  unknownKind: (question: string, kind: string) =>
    `Question ${question} is of a kind this version does not know (${kind}). Upgrade Faultline.`,
  badQuestions: (count: number) =>
    `${plural(count, "question")} cannot be read and ${count === 1 ? "is" : "are"} not listed.`,
  takesYesNo: (question: string) => `Question ${question} takes \`yes\` or \`no\`.`,
  takesOption: (question: string, options: string) => `Question ${question} takes one of: ${options}.`,
  causes: "Causes: ",
  takesForm: (question: string, fields: string, example: string) =>
    `The answer to ${question} is ${fields === "" ? "a value" : `a JSON object with ${fields}`}. Write it like this: '${example}'`,
  takesJson: (question: string) =>
    `Text that begins with {, [ or " is read as JSON, but the answer to ${question} is not valid JSON. Correct it, or put the text in "…".`,
  needsAnswer: (example: string) => `An answer is missing. Give one, or --reject with a reason: ${example}`,
  oneAnswer: "Give an answer or --reject, not both.",
  secret: "It asks for a secret, which is never stored. Answer it where the program runs, or say no with --reject.",
};

function entriesIn(count: number): string {
  return `${count} ${count === 1 ? "entry" : "entries"}`;
}

type Statuses = Readonly<Record<SessionStatus, string>>;
type TurnStatuses = Readonly<Record<TurnStatus, string>>;
export type JournalWords = typeof EN;

export const JOURNAL_WORDS: Readonly<Record<Locale, JournalWords>> = {
  "en": EN,
  "zh-CN": {
    session: "会话",
    status: "状态",
    started: "开始",
    changed: "最后变动",
    entries: "条目",
    entryCount: (count) => `${count} 个条目`,
    statuses: { open: "进行中", waiting: "等待中", done: "完成", failed: "失败", cancelled: "已取消" },
    turnStatuses: { done: "完成", partial: "部分完成", failed: "失败", waiting: "等待中", cancelled: "已取消" },
    next: "下一步：",

    noJournal: (file) => `${file} 处没有日志。`,
    whoMakesJournals: `日志由 \`${commandLine("workflow", "run")}\`、\`${commandLine("run", "--journal")}\`、\`${commandLine("serve")}\`、\`${commandLine("worker")}\`、\`${commandLine("gateway")}\` 或向 createFaultline 传入 \`journal\` 的程序创建。`,
    noSession: (session, list) => `此日志中没有会话 ${session}；用 \`${list}\` 列出全部。`,
    noTurn: (turn, session) => `会话 ${session} 没有轮次 ${turn}。`,
    itHasTurns: (turns) => `它有：${turns}。`,
    noSessions: "其中没有这样的会话。",
    moreSessions: (shown) => `只显示最新的 ${shown} 个；用 --limit 显示更多。`,
    unreadable: (session, why) => `会话 ${session} 中有一个条目不是本版本写入的格式（${why}）。用 --events 查看原样。`,

    turn: (turn) => `轮次 ${turn}`,
    begun: "会话开始",
    mode: { attended: "有人值守", headless: "无人值守" },
    resumed: "程序重新接手会话",
    inFlight: (calls) => `中断时正在执行：${calls}`,
    ended: (status) => `会话结束：${status}`,
    turnEnded: (status) => `轮次结束：${status}`,
    attempt: (attempt) => `第 ${attempt} 次`,
    notAttempted: "未执行",
    unpriced: "价格未知",
    estimated: (cost) => `约 ${cost}`,
    succeeded: "成功",
    itemsFailed: (items) => `其中 ${items} 项失败`,
    cancelled: "已取消",
    late: "放弃之后才返回",
    lateOk: "有结果",
    lateFailed: "失败",
    unrun: { skipped: "未执行即跳过", defaulted: "未执行，使用默认值", failed: "未执行即失败" },
    needs: (node) => `依赖 ${node}`,
    asks: (kind) => `询问操作员（${kind}）`,
    answered: { accepted: "操作员已回答", rejected: "操作员已拒绝", timeout: "无人按时回答" },
    by: (who) => `由 ${who}`,
    until: (time) => `至 ${time}`,
    breaker: (from, to) => `熔断器：${from} → ${to}`,
    paused: (target) => `${target} 对所有调用方暂停`,
    adapted: "请求在发送前已修改",
    held: (isPaced) => (isPaced ? "等待，以免用尽限额" : "等待暂停结束"),
    budgetWarned: (spent, most) => `预算将尽：已花费 ${spent}，上限 ${most}`,
    budgetExceeded: (spent, most) => `预算不足：已花费 ${spent}，上限 ${most}`,
    wouldCost: (cost) => `此次最多花费 ${cost}`,
    ignored: "有意忽略",

    perTool: "各工具统计",
    tool: "工具",
    counts: {
      call_count: "调用",
      success_count: "成功",
      error_count: "错误",
      transient_error_count: "暂时",
      permanent_error_count: "永久",
      timeout_count: "超时",
      cancelled_count: "取消",
      late_count: "迟到",
      retry_count: "重试",
      retry_success_rate: "重试有效",
      circuit_breaker_opens: "熔断",
      cost_microcents: "费用",
      unpriced_count: "未定价",
    },

    allWell: (sessions, entries) => `${sessions} 个会话，${entries} 个条目，均与写入时一致`,
    badEntry: (session, seq, why) => `会话 ${session}，条目 ${seq}：${why}`,
    badFile: (why) => `文件本身：${why}`,
    afterBad: "请换回该文件的副本。此条目之前的内容仍可读取。",

    exported: (session, file) => `会话 ${session} 已写入 ${file}`,
    imported: (session, appended, already) => `会话 ${session}：写入 ${appended} 个条目，${already} 个已存在`,
    adopted: "它是从另一个存储接管的：请勿再在那里继续。",
    adoptHint: "不加 --adopt，会话只能回到写入它的存储。",
    nothingIn: "没有可导入的内容：请指定文件，或通过管道输入。",
    lineTooLong: (line) => `其第 ${line} 行对本程序而言过长。`,

    pruned: (count) => `已移除 ${count} 个会话`,
    copied: (entries, kept, files) =>
      `${entries === 0 ? "没有新条目需要复制" : `已复制 ${entries} 个条目`}；${kept} 个保存值和 ${files} 个文件在两个日志中相同`,
    wouldPrune: (count) => `将移除 ${count} 个会话`,
    trouble: (what, why) => `${what}时出错：${why}`,

    noQuestions: "没有等待回答的问题。",
    answerBy: (time) => `${time} 起视为否`,
    noEnd: "一直等待回答",
    isOver: (time) => `已于 ${time} 到期：不回答即视为否`,
    open: (url) => `打开 ${url}`,
    enter: (code) => `输入 ${code}`,
    isAnswered: (question, who) => `问题 ${question} 已由 ${who} 回答，不再等待。`,
    continues: (session) => `正在运行的程序会自动采用；否则请重新运行，会话 ${session} 会从等待处继续。`,
    answerIs: (question) => `问题 ${question} 已回答`,
    noQuestion: (question, list) =>
      `没有待回答的问题 ${question}：这里从未问过，或其回答已被采用。用 \`${list}\` 列出待回答的问题。`,
    wasFirst: (question, who) => `问题 ${question} 先前已由 ${who} 回答，以首个回答为准。`,
    unknownKind: (question, kind) => `问题 ${question} 的种类是本版本不认识的（${kind}）。请升级。`,
    badQuestions: (count) => `有 ${count} 个问题无法读取，未列出。`,
    takesYesNo: (question) => `问题 ${question} 需回答 \`yes\` 或 \`no\`。`,
    takesOption: (question, options) => `问题 ${question} 需从以下选择：${options}。`,
    causes: "原因：",
    takesForm: (question, fields, example) =>
      `对 ${question} 的回答应为${fields === "" ? "一个值" : `含有 ${fields} 的 JSON 对象`}，例如：'${example}'`,
    takesJson: (question) =>
      `以 {、[ 或 " 开头的内容按 JSON 读取，而对 ${question} 的回答不是 JSON。请改正，或将文本放入 "…"。`,
    needsAnswer: (example) => `缺少回答。请给出回答，或用 --reject 附上理由：${example}`,
    oneAnswer: "回答与 --reject 只能给出一个。",
    secret: "这里要求输入机密，而机密从不写入日志：请在程序运行处回答，或用 --reject 拒绝。",
  },
};
