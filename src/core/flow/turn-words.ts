// What a turn tells its user when it is incomplete: what was completed, what is missing and why, and what it waits for.
// The words are chosen by the fault's cause and by the kind of question from tables; nothing of a fault's message is said,
// as it may hold anything.

import { type FaultCause, type FaultCode, isFaultCode, traitsOf } from "../fault/catalogue.ts";
import type { Fault } from "../fault/fault.ts";
import { SHAPE_REDACTOR } from "../fault/redact.ts";
import { minuteOf } from "../fault/words/time-words.ts";
import type { Locale } from "../fault/words/words.ts";
import type { NodeStatus } from "./round.ts";
import type { InteractionKind, Question } from "./interaction.ts";

/**
 * `unstarted`: it waits for another step, which is still open. `stopped`: a person or a program stopped it, and it continues when it
 * is resumed. `answered`: a person has answered, and no process has taken the answer up yet. `halted`: it ended because a branch
 * beside it failed.
 */
type StepStatus = NodeStatus | OpenStatus | "halted";
type OpenStatus = "waiting" | "parked" | "unstarted" | "running" | "stopped" | "answered";

export interface Settlement {
  /** What the user knows the step by: "hotel search". Empty: the turn or run itself. */
  readonly label: string;
  readonly status: StepStatus;
  /** null for a step that is done, and where the reason is unknown. */
  readonly fault: Fault | null;
  /** The label of the step it needed and could not have; empty when it ended for a reason of its own. */
  readonly because: string;
  /** What a step that waits was asked … */
  readonly question?: Question;
  /** … or when a parked step continues (epoch milliseconds). */
  readonly wakeAt?: number;
}

/** More than these are counted and not named. */
const MAX_NAMED = 5;

/** The fault that ended the turn is not repeated for a step that failed with it. The turn survived the other faults. */
const ENDS_TURN: ReadonlySet<StepStatus> = new Set<StepStatus>(["failed", "surfaced", "cancelled"]);

/** `ended`: what ended the turn as a whole; null when nothing did. Empty when every step is done and nothing ended it. */
export function describeTurn(settlements: readonly Settlement[], ended: Fault | null, locale: Locale): string {
  const words = TURN_WORDS[locale];
  return settlements.every(({ status }) => status === "done") && ended === null ? "" : tell(settlements, ended, words);
}

/** The same about a run, whose steps are its nodes. Never empty: a run that is over says what it completed. */
export function tellSteps(settlements: readonly Settlement[], ended: Fault | null, locale: Locale): string {
  const words = TURN_WORDS[locale];
  return tell(settlements, ended, { ...words, turn: words.run });
}

function tell(settlements: readonly Settlement[], ended: Fault | null, words: TurnWords): string {
  const done: string[] = [];
  const own: string[] = [];
  const led: string[] = [];
  const mentioned = new Set<string>();
  for (const each of settlements) {
    if (each.status === "done") {
      done.push(shown(each.label));
      continue;
    }
    const isLed = each.because !== "";
    (isLed ? led : own).push(clauseOf(each, words));
    if (!isLed && each.fault !== null && ENDS_TURN.has(each.status)) mentioned.add(each.fault.code);
  }
  if (ended !== null && !mentioned.has(ended.code))
    own.unshift(words.ended.failed(words.turn, reasonFor(ended, words)));
  // Causes before their consequences.
  const missing = [...own, ...led];
  if (settlements.length === 0 && missing.length === 0) return words.sentence([words.unstarted(words.turn)]);
  const more = missing.length - MAX_NAMED;
  return words.sentence([
    ...opening(done, settlements, words),
    ...missing.slice(0, MAX_NAMED),
    ...(more > 0 ? [words.moreMissing(more)] : []),
  ]);
}

/** If a turn has no steps, only its end is known: its body may have done anything. */
function opening(done: readonly string[], settlements: readonly Settlement[], words: TurnWords): readonly string[] {
  if (done.length > 0) return [words.completed(done.slice(0, MAX_NAMED), done.length)];
  if (settlements.every(({ label }) => label === "")) return [];
  return [settlements.some(({ status }) => OPEN.has(status)) ? words.nothingDoneYet : words.nothingDone];
}

const OPEN: ReadonlySet<StepStatus> = new Set<OpenStatus>([
  "waiting",
  "parked",
  "unstarted",
  "running",
  "stopped",
  "answered",
]);

function clauseOf({ label, status, fault, because, question, wakeAt = NaN }: Settlement, words: TurnWords): string {
  const name = label === "" ? words.turn : shown(label);
  const need = shown(because);
  if (status === "done") return words.completed([name], 1);
  if (status === "running" || status === "halted" || status === "answered") return words[status](name);
  if (status === "stopped") return words.open(name, "", words.resumable);
  if (status === "unstarted") return need === "" ? words.unstarted(name) : words.unstartedWithout(name, need);
  if (status === "waiting") {
    const wait = words.waits[question === undefined ? "Ask" : askedFor(question)];
    // A question that no fault led to has no reason of its own.
    return words.open(name, fault === null || question?.code === null ? "" : reasonFor(fault, words), wait);
  }
  if (status === "parked")
    return words.open(name, fault === null ? "" : reasonFor(fault, words), words.goesOn(minuteOf(wakeAt)));
  if (need !== "") return words.withoutNeed[status](name, need);
  return fault === null ? words.unexplained[status](name) : words.ended[status](name, reasonFor(fault, words));
}

/** A sign-in without a page to show is put as a confirmation, and waits for a sign-in all the same. */
function askedFor({ code, payload }: Question): InteractionKind {
  const asks = code !== null && isFaultCode(code) ? traitsOf(code).asks : payload.kind;
  return asks === "Auth.DeviceCode" ? asks : payload.kind;
}

const LONGEST_LABEL = 60;

/** A label may come from a model or a person: one line, an end, no secret. */
function shown(label: string): string {
  // Far more than is shown, so that a secret in it is still seen as one.
  const text = SHAPE_REDACTOR.text(label.slice(0, 20 * LONGEST_LABEL));
  const line = Array.from(text.replace(/[\s\p{C}]+/gu, " ").trim());
  return line.length <= LONGEST_LABEL ? line.join("") : `${line.slice(0, LONGEST_LABEL).join("").trimEnd()}…`;
}

function reasonFor({ code }: Fault, { reasons, codes }: TurnWords): string {
  // A journal may hold codes of a newer program.
  return isFaultCode(code) ? (codes[code] ?? reasons[traitsOf(code).cause]) : reasons["unknown"];
}

type MissingStatus = Exclude<NodeStatus, "done">;

interface TurnWords {
  /** What the user calls the turn, and a run. */
  readonly turn: string;
  readonly run: string;
  readonly nothingDone: string;
  readonly nothingDoneYet: string;
  /** `all` counts those that are not named too. */
  readonly completed: (named: readonly string[], all: number) => string;
  readonly moreMissing: (count: number) => string;
  readonly sentence: (clauses: readonly string[]) => string;
  /** How a step ended, for a reason of its own … */
  readonly ended: Readonly<Record<MissingStatus, (label: string, reason: string) => string>>;
  /** … whose reason is unknown … */
  readonly unexplained: Readonly<Record<MissingStatus, (label: string) => string>>;
  /** … or because of another step. */
  readonly withoutNeed: Readonly<Record<MissingStatus, (label: string, need: string) => string>>;
  /** A step that is not over; `reason` is empty when no fault led to the wait. */
  readonly open: (label: string, reason: string, wait: string) => string;
  readonly waits: Readonly<Record<InteractionKind, string>>;
  readonly goesOn: (at: string) => string;
  /** What a stopped step waits for. */
  readonly resumable: string;
  readonly running: (label: string) => string;
  readonly answered: (label: string) => string;
  readonly halted: (label: string) => string;
  readonly unstarted: (label: string) => string;
  readonly unstartedWithout: (label: string, need: string) => string;
  /** Said after the step's label. */
  readonly reasons: Readonly<Record<FaultCause, string>>;
  /** The same for codes about which the sentence of their cause would be false: an error on a server is not a busy server. */
  readonly codes: Readonly<Record<OwnReason, string>> & Readonly<Partial<Record<FaultCode, string>>>;
}

type OwnReason =
  | "Provider5xx"
  | "QueueFull"
  | "NetworkDisconnect"
  | "AnswerUnreadable"
  | "TlsUntrusted"
  | "KeyMissing"
  | "SessionLost"
  | "EmptyOutput"
  | "AssertFailed"
  | "ToolLoop";

const endedEn = (label: string, reason: string): string => `${label} ${reason}`;
const leftOutEn = (label: string, need: string): string => `${label} was left out because it needs ${need}`;

const EN: TurnWords = {
  turn: "this request",
  run: "this run",
  nothingDone: "Nothing was completed",
  nothingDoneYet: "Nothing is completed yet",
  completed(named, all) {
    const names = all > named.length ? [...named, `${all - named.length} more`] : named;
    return `Completed ${[names.slice(0, -1).join(", "), ...names.slice(-1)].filter((part) => part !== "").join(" and ")}`;
  },
  moreMissing: (count) => (count === 1 ? "1 other step is missing too" : `${count} other steps are missing too`),
  sentence(clauses) {
    const text = clauses.join("; ");
    return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
  },
  ended: {
    partial: (label, reason) => `${label} ${reason}, so only part of it is available`,
    defaulted: (label, reason) => `${label} ${reason}, so a default value is used`,
    skipped: (label, reason) => `${label} ${reason}, so it was left out`,
    surfaced: endedEn,
    failed: endedEn,
    cancelled: endedEn,
  },
  unexplained: {
    partial: (label) => `only part of ${label} is available`,
    defaulted: (label) => `a default value is used for ${label}`,
    skipped: (label) => `${label} was left out`,
    surfaced: (label) => `${label} failed`,
    failed: (label) => `${label} failed`,
    cancelled: (label) => `${label} was cancelled`,
  },
  withoutNeed: {
    partial: leftOutEn,
    defaulted: (label, need) => `${label} has a default value because it needs ${need}`,
    skipped: leftOutEn,
    surfaced: leftOutEn,
    failed: leftOutEn,
    cancelled: leftOutEn,
  },
  open: (label, reason, wait) => (reason === "" ? `${label} ${wait}` : `${label} ${reason} and ${wait}`),
  waits: {
    "Ask": "waits for an answer",
    "Approve": "waits for an approval",
    "Select": "waits for a choice",
    "Confirm": "waits for a confirmation",
    "Auth.DeviceCode": "waits for a sign-in",
    "Auth.Password": "waits for a password",
  },
  goesOn: (at) => (at === "" ? "continues later" : `continues at ${at}`),
  resumable: "was stopped and waits to be resumed",
  running: (label) => `${label} is running`,
  answered: (label) => `${label} has its answer and runs next`,
  halted: (label) => `${label} was stopped because a branch beside it failed`,
  unstarted: (label) => `${label} has not started yet`,
  unstartedWithout: (label, need) => `${label} has not started yet because it needs ${need}`,
  reasons: {
    "schema-invalid": "gave a result that could not be used",
    "network-error": "could not be reached",
    "auth-error": "could not sign in",
    "canceled": "was cancelled",
    "timeout": "timed out",
    "rate-limited": "was slowed down by too many requests",
    "overloaded": "was too busy",
    "quota-exhausted": "has used up its quota",
    "provider-not-found": "needs a program or model that was not found",
    "permission-denied": "had no permission",
    "bad-request": "did not accept the request",
    "capability-missing": "cannot do what was asked",
    "context-overflow": "was given more text than it can take",
    "content-filter": "was stopped by a content filter",
    "output-cut": "gave a result that was cut off",
    "tool-failed": "failed",
    "tool-denied": "was not allowed",
    "approval-rejected": "was not approved",
    "test-failed": "did not pass its tests",
    "budget-exceeded": "would have cost more than the budget allows",
    "turn-limit": "reached its limit of steps",
    "sandbox-error": "failed in its sandbox",
    "circuit-open": "is paused after repeated failures",
    "crashed": "stopped unexpectedly",
    "store-error": "failed because its record could not be read or written",
    "config-invalid": "is not set up correctly",
    "internal": "failed because of an internal error",
    "unknown": "failed for an unknown reason",
  },
  codes: {
    Provider5xx: "failed because of an error on the server",
    QueueFull: "was not tried because too many calls were waiting",
    NetworkDisconnect: "had no working connection",
    AnswerUnreadable: "got an answer that could not be read",
    TlsUntrusted: "had no connection that could be trusted",
    KeyMissing: "had no key or sign-in",
    SessionLost: "could not find its earlier conversation",
    EmptyOutput: "got an empty answer",
    AssertFailed: "gave a result that its own check refused",
    ToolLoop: "repeated the same failing call",
  },
};

/** Chinese text has a space between Chinese characters and Latin words or digits. Names of steps are usually Latin. */
function spaced(text: string): string {
  return text.replaceAll(/(?<=\p{Script=Han})(?=[A-Za-z0-9])|(?<=[A-Za-z0-9])(?=\p{Script=Han})/gu, " ");
}

const endedZh = (label: string, reason: string): string => `${label}${reason}`;
const leftOutZh = (label: string, need: string): string => `${label}未执行，因为它依赖${need}`;

const ZH_CN: TurnWords = {
  turn: "本次请求",
  run: "本次运行",
  nothingDone: "没有步骤完成",
  nothingDoneYet: "尚无步骤完成",
  completed: (named, all) => `已完成${named.join("、")}${all > named.length ? `等 ${all} 项` : ""}`,
  moreMissing: (count) => `另有 ${count} 项未完成`,
  sentence: (clauses) => spaced(`${clauses.join("；")}。`),
  ended: {
    partial: (label, reason) => `${label}${reason}，只有部分结果`,
    defaulted: (label, reason) => `${label}${reason}，已改用默认值`,
    skipped: (label, reason) => `${label}${reason}，已跳过`,
    surfaced: endedZh,
    failed: endedZh,
    cancelled: endedZh,
  },
  unexplained: {
    partial: (label) => `${label}只有部分结果`,
    defaulted: (label) => `${label}使用了默认值`,
    skipped: (label) => `${label}未执行`,
    surfaced: (label) => `${label}失败`,
    failed: (label) => `${label}失败`,
    cancelled: (label) => `${label}已取消`,
  },
  withoutNeed: {
    partial: leftOutZh,
    defaulted: (label, need) => `${label}使用了默认值，因为它依赖${need}`,
    skipped: leftOutZh,
    surfaced: leftOutZh,
    failed: leftOutZh,
    cancelled: leftOutZh,
  },
  open: (label, reason, wait) => (reason === "" ? `${label}${wait}` : `${label}${reason}，${wait}`),
  waits: {
    "Ask": "正在等待回答",
    "Approve": "正在等待批准",
    "Select": "正在等待选择",
    "Confirm": "正在等待确认",
    "Auth.DeviceCode": "正在等待登录",
    "Auth.Password": "正在等待输入密码",
  },
  goesOn: (at) => (at === "" ? "稍后继续" : `将于 ${at} 继续`),
  resumable: "已停止，等待恢复",
  running: (label) => `${label}正在运行`,
  answered: (label) => `${label}已得到回答，将继续运行`,
  halted: (label) => `${label}因并行分支失败而停止`,
  unstarted: (label) => `${label}尚未开始`,
  unstartedWithout: (label, need) => `${label}尚未开始，因为它依赖${need}`,
  reasons: {
    "schema-invalid": "返回了无法使用的结果",
    "network-error": "无法连接",
    "auth-error": "登录失败",
    "canceled": "已取消",
    "timeout": "超时",
    "rate-limited": "因请求过多被限流",
    "overloaded": "过于繁忙",
    "quota-exhausted": "额度已用完",
    "provider-not-found": "所需的程序或模型未找到",
    "permission-denied": "没有权限",
    "bad-request": "不接受该请求",
    "capability-missing": "无法完成所要求的操作",
    "context-overflow": "收到的内容超出长度上限",
    "content-filter": "被内容过滤器拦截",
    "output-cut": "返回的结果被截断",
    "tool-failed": "失败",
    "tool-denied": "未获允许",
    "approval-rejected": "未获批准",
    "test-failed": "未通过测试",
    "budget-exceeded": "会超出预算",
    "turn-limit": "已达步数上限",
    "sandbox-error": "在沙箱中失败",
    "circuit-open": "因连续失败而暂停",
    "crashed": "意外中止",
    "store-error": "因记录无法读写而失败",
    "config-invalid": "配置不正确",
    "internal": "因内部错误而失败",
    "unknown": "因未知原因失败",
  },
  codes: {
    Provider5xx: "因服务端出错而失败",
    QueueFull: "因等待的调用过多而未执行",
    NetworkDisconnect: "连接中断或未能建立",
    AnswerUnreadable: "收到的回答无法读取",
    TlsUntrusted: "没有可信的连接",
    KeyMissing: "缺少密钥或登录信息",
    SessionLost: "找不到之前的对话",
    EmptyOutput: "得到的回答为空",
    AssertFailed: "给出的结果未通过自身的检查",
    ToolLoop: "反复执行同一个失败的调用",
  },
};

const TURN_WORDS: Readonly<Record<Locale, TurnWords>> = { "en": EN, "zh-CN": ZH_CN };
