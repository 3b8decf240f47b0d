// A decision in words: what happens, why, and what was rejected. The CLI, the server and the page use the same sentences.

import type { QuestionKind } from "../fault/catalogue.ts";
import { formatMs, minuteOf } from "../fault/words/time-words.ts";
import type { Locale } from "../fault/words/words.ts";
import type { Recourse } from "../policy/policy.ts";
import type { Considered, Decision, Refusal } from "./decision.ts";

/** A decision in words. */
export interface Explanation {
  /** What happens now. */
  readonly what: string;
  /** Why not something earlier in the list, and what memory moved ahead; empty when the first choice was taken. */
  readonly why: readonly string[];
  /** What comes if that does not help. */
  readonly next: string;
}

/**
 * Puts a decision into words: what happens now, why not something else, and what comes next. Use it for logs and interfaces.
 *
 * @example
 * ```ts
 * import { createFaultline, explain } from "faultline";
 *
 * const outcome = await createFaultline().protect(() => Promise.reject(new Error("ECONNREFUSED")), { id: "find" });
 * if ("decision" in outcome && outcome.decision !== null) console.log(explain(outcome.decision, "en").what);
 * ```
 */
export function explain(decision: Decision, locale: Locale): Explanation {
  const words = DECISION_WORDS[locale];
  return {
    what: words.what(decision),
    why: [
      ...decision.considered.map((considered) => whyNot(considered, locale)),
      ...(decision.preferred === null ? [] : [words.learned(words.recourses[decision.preferred])]),
    ],
    next: words.next(decision),
  };
}

/** Says in words why a recourse was not taken. */
export function whyNot({ recourse, refused }: Considered, locale: Locale): string {
  const { recourses, refusals, because } = DECISION_WORDS[locale];
  return because(recourses[recourse], refusals[refused]);
}

/** A word for a recourse, for the resolution of a failed node, or for what a hedge does; a name that is not known stays as it is. */
export function recourseWord(name: string, locale: Locale): string {
  const words: Readonly<Record<string, string>> = { ...DECISION_WORDS[locale].recourses, ...RESOLUTION_WORDS[locale] };
  return words[name] ?? name;
}

/** What a recourse does, for a list of what follows; in Chinese, the word for what was done says it, too. */
export function recourseStep(recourse: Recourse, locale: Locale): string {
  return locale === "en" ? EN_STEPS[recourse] : DECISION_WORDS[locale].recourses[recourse];
}

const EN_STEPS: Readonly<Record<Recourse, string>> = {
  "refresh-credential": "renew the credential",
  "fallback": "fall back",
  "alternative": "use another tool",
  "compact": "shorten the context",
  "regenerate": "ask the model once more",
  "default": "use the default value",
  "partial": "take the part that arrived",
  "skip": "continue without it",
  "park": "wait durably",
  "ask": "ask a person",
  "surface": "tell the model",
  "fail": "give up",
};

/** `skip` is a recourse too. */
const RESOLUTION_WORDS: Readonly<Record<Locale, Readonly<Record<string, string>>>> = {
  "en": {
    "retry-later": "postponed",
    "abort-workflow": "ended the run",
    "hedge": "asked another target as well",
    "await-other": "left it to the other attempt",
  },
  "zh-CN": {
    "retry-later": "推迟",
    "abort-workflow": "结束运行",
    "hedge": "同时询问另一个目标",
    "await-other": "交由另一次尝试",
  },
};

interface DecisionWords {
  readonly what: (decision: Decision) => string;
  readonly because: (recourse: string, refusal: string) => string;
  readonly learned: (recourse: string) => string;
  readonly next: (decision: Decision) => string;
  readonly recourses: Readonly<Record<Considered["recourse"], string>>;
  readonly refusals: Readonly<Record<Refusal, string>>;
}

const EN_QUESTIONS: Readonly<Record<QuestionKind, string>> = {
  "Approve": "Ask a person for approval.",
  "Ask": "Ask a person for another input.",
  "Select": "Ask a person to choose what to do.",
  "Confirm": "Ask a person to confirm.",
  "Auth.DeviceCode": "Ask a person to sign in again.",
};

const EN: DecisionWords = {
  what(decision) {
    switch (decision.recourse) {
      case "retry": {
        const { attempt, maxAttempts, serverWait } = decision;
        const asked = serverWait ? ", as the server asked" : "";
        return `Try again in ${formatMs(decision.delayMs, "en")}${asked} (attempt ${attempt} of ${maxAttempts}).`;
      }
      case "fallback":
        return `Fall back to ${decision.target}.`;
      case "alternative":
        return `Use the tool ${decision.tool} instead.`;
      case "park":
        return `Wait until ${minuteOf(decision.wakeAt)}, then continue.`;
      case "ask":
        return EN_QUESTIONS[decision.question];
      case "refresh-credential":
        return "Renew the credential and try once more.";
      case "compact":
        return "Shorten the context and try once more.";
      case "regenerate":
        return "Ask the model once more, showing it what was wrong.";
      case "default":
        return "Use the declared default value.";
      case "partial":
        return "Continue with the part that arrived.";
      case "skip":
        return "Continue without this step.";
      case "surface":
        return "Tell the model, and let it react.";
      case "fail":
        return "Give up with this fault.";
    }
  },
  because: (recourse, refusal) => `not ${recourse}: ${refusal}`,
  learned: (recourse) => `${recourse} first: it worked the last times`,
  next(decision) {
    const list = decision.left.length === 0 ? "fail" : decision.left.join(", ");
    if (decision.recourse === "retry" && decision.attempt < decision.maxAttempts) {
      return `If it fails again: up to attempt ${decision.maxAttempts}, then ${list}.`;
    }
    return decision.left.length === 0 ? "Nothing else is tried." : `If that does not help: ${list}.`;
  },
  recourses: {
    "retry": "retried",
    "refresh-credential": "refreshed",
    "fallback": "fell back",
    "alternative": "another tool",
    "compact": "compacted",
    "regenerate": "regenerated",
    "default": "defaulted",
    "partial": "partial",
    "skip": "skipped",
    "park": "parked",
    "ask": "asked",
    "surface": "surfaced",
    "fail": "failed",
  },
  refusals: {
    "denied": "a person said no",
    "not-in-policy": "the policy has no retry for it",
    "attempts-spent": "all attempts are used",
    "may-have-happened": "the work may have been done, and doing it twice is not declared safe",
    "already-answering": "part of the answer is already out",
    "server-says-no": "the server said that a retry is pointless",
    "breaker-open": "the circuit of this target is open",
    "retry-budget-spent": "the shared retry budget is spent",
    "wait-too-long": "the wait is longer than the policy allows",
    "waits-spent": "the waits together are longer than the policy allows",
    "deadline": "the deadline comes first",
    "never-worked": "it did not help the last times",
    "not-offered": "not possible here",
    "already-taken": "already tried once",
    "no-target": "no other target can take it",
    "no-alternative": "there is no other tool",
    "no-reset-time": "it is not known when the limit lifts",
  },
};

const ZH_QUESTIONS: Readonly<Record<QuestionKind, string>> = {
  "Approve": "请求批准",
  "Ask": "请求输入",
  "Select": "请求选择",
  "Confirm": "请求确认",
  "Auth.DeviceCode": "请求重新登录",
};

const ZH_CN: DecisionWords = {
  what(decision) {
    switch (decision.recourse) {
      case "retry": {
        const { attempt, maxAttempts, serverWait } = decision;
        const asked = serverWait ? "（按服务端要求）" : "";
        return `${formatMs(decision.delayMs, "zh-CN")}后重试${asked}（第 ${attempt}/${maxAttempts} 次）。`;
      }
      case "fallback":
        return `切换到 ${decision.target}。`;
      case "alternative":
        return `改用工具 ${decision.tool}。`;
      case "park":
        return `等到 ${minuteOf(decision.wakeAt)}，届时继续。`;
      case "ask":
        return `询问操作员（${ZH_QUESTIONS[decision.question]}）。`;
      case "refresh-credential":
        return "刷新凭证后再试一次。";
      case "compact":
        return "压缩上下文后再试一次。";
      case "regenerate":
        return "附上错误说明，让模型重新生成一次。";
      case "default":
        return "使用声明的默认值。";
      case "partial":
        return "使用已到达的部分结果继续。";
      case "skip":
        return "跳过此步骤继续。";
      case "surface":
        return "告知模型，由其自行应对。";
      case "fail":
        return "以此故障结束。";
    }
  },
  because: (recourse, refusal) => `未${recourse}：${refusal}`,
  learned: (recourse) => `优先${recourse}：最近几次都有效`,
  next(decision) {
    const named = decision.left.map((recourse) => ZH_CN.recourses[recourse]).join("、");
    const list = decision.left.length === 0 ? ZH_CN.recourses.fail : named;
    if (decision.recourse === "retry" && decision.attempt < decision.maxAttempts) {
      return `若再次失败：最多尝试 ${decision.maxAttempts} 次，之后尝试：${list}。`;
    }
    return decision.left.length === 0 ? "不再尝试其他办法。" : `若仍无效，再尝试：${list}。`;
  },
  recourses: {
    "retry": "重试",
    "refresh-credential": "刷新凭证",
    "fallback": "切换",
    "alternative": "换用工具",
    "compact": "压缩",
    "regenerate": "重新生成",
    "default": "使用默认值",
    "partial": "取部分结果",
    "skip": "跳过",
    "park": "挂起",
    "ask": "询问",
    "surface": "交给模型",
    "fail": "结束",
  },
  refusals: {
    "denied": "已被人拒绝",
    "not-in-policy": "策略未允许重试",
    "attempts-spent": "尝试次数已用完",
    "may-have-happened": "操作可能已执行，且未声明可安全重复",
    "already-answering": "部分回答已经输出",
    "server-says-no": "服务端表示重试无意义",
    "breaker-open": "该目标已熔断",
    "retry-budget-spent": "共享重试预算已用完",
    "wait-too-long": "等待时间超过策略上限",
    "waits-spent": "累计等待超过策略上限",
    "deadline": "会超过截止时间",
    "never-worked": "最近几次都没有效果",
    "not-offered": "此处无法执行",
    "already-taken": "已经尝试过一次",
    "no-target": "没有其他可用目标",
    "no-alternative": "没有可替代的工具",
    "no-reset-time": "不知道何时恢复",
  },
};

const DECISION_WORDS: Readonly<Record<Locale, DecisionWords>> = { "en": EN, "zh-CN": ZH_CN };
