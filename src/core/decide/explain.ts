// A decision in words: what happens, why, and what was not done. The same sentences in the CLI, the daemon and the page.

import type { Locale } from "../fault/words/words.ts";
import type { Considered, Decision, Refusal } from "./decision.ts";

export interface Explanation {
  /** What happens now. */
  readonly what: string;
  /** Why not something earlier in the list; empty when the first choice was taken. */
  readonly why: readonly string[];
  /** What comes if that does not help. */
  readonly next: string;
}

export function explain(decision: Decision, locale: Locale): Explanation {
  const words = DECISION_WORDS[locale];
  return {
    what: words.what(decision),
    why: decision.considered.map((considered) => whyNot(considered, locale)),
    next: words.next(decision),
  };
}

export function whyNot({ recourse, refused }: Considered, locale: Locale): string {
  const { recourses, refusals, because } = DECISION_WORDS[locale];
  return because(recourses[recourse], refusals[refused]);
}

/** `1.5 s`, `5 min`, `2 h 30 min`: short, and exact enough to wait by. */
export function formatMs(ms: number, locale: Locale): string {
  const [msUnit, s, min, h, d] =
    locale === "zh-CN" ? ["毫秒", "秒", "分钟", "小时", "天"] : ["ms", "s", "min", "h", "d"];
  if (ms < 1000) return `${Math.round(ms)} ${msUnit}`;
  if (ms < 60_000) return `${Number((ms / 1000).toFixed(1))} ${s}`;
  const minutes = Math.round(ms / 60_000);
  if (minutes < 60)
    return ms % 60_000 === 0
      ? `${minutes} ${min}`
      : `${Math.floor(ms / 60_000)} ${min} ${Math.round((ms % 60_000) / 1000)} ${s}`;
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return minutes % 60 === 0 ? `${hours} ${h}` : `${hours} ${h} ${minutes % 60} ${min}`;
  return `${Math.floor(hours / 24)} ${d} ${hours % 24} ${h}`;
}

interface DecisionWords {
  readonly what: (decision: Decision) => string;
  readonly because: (recourse: string, refusal: string) => string;
  readonly next: (decision: Decision) => string;
  readonly recourses: Readonly<Record<Considered["recourse"], string>>;
  readonly refusals: Readonly<Record<Refusal, string>>;
}

function isoTime(at: number): string {
  return new Date(at).toISOString().replace(".000Z", "Z");
}

const EN: DecisionWords = {
  what(decision) {
    switch (decision.recourse) {
      case "retry": {
        const { attempt, maxAttempts, serverWait } = decision;
        const asked = serverWait ? ", as the server asked" : "";
        return `Try again in ${formatMs(decision.delayMs, "en")}${asked} (attempt ${attempt} of ${maxAttempts}).`;
      }
      case "fallback":
        return `Switch to ${decision.target}.`;
      case "alternative":
        return `Use the tool ${decision.tool} instead.`;
      case "park":
        return `Wait durably until ${isoTime(decision.wakeAt)}, then go on.`;
      case "ask":
        return `Ask a person (${decision.question}).`;
      case "refresh-credential":
        return "Renew the credential and try once more.";
      case "compact":
        return "Shorten the context and try once more.";
      case "regenerate":
        return "Ask the model once more, showing it what was wrong.";
      case "default":
        return "Use the declared default value.";
      case "partial":
        return "Go on with the part that arrived.";
      case "skip":
        return "Go on without this step.";
      case "surface":
        return "Tell the model, and let it react.";
      case "fail":
        return "Give up with this fault.";
    }
  },
  because: (recourse, refusal) => `not ${recourse}: ${refusal}`,
  next(decision) {
    const { left, recourse } = decision;
    const list = left.join(", ");
    if (recourse === "retry" && decision.attempt < decision.maxAttempts) {
      return `If it fails again: up to attempt ${decision.maxAttempts}, then ${list}.`;
    }
    return left.length === 0 ? "Nothing else is tried." : `If that does not help: ${list}.`;
  },
  recourses: {
    "retry": "retried",
    "refresh-credential": "refreshed",
    "fallback": "switched",
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
    "wrong-scope": "it would fail the same way elsewhere",
    "no-target": "no other target can take it",
    "no-alternative": "there is no other tool",
    "no-reset-time": "nobody knows when it lifts",
  },
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
        return `持久等待至 ${isoTime(decision.wakeAt)}，然后继续。`;
      case "ask":
        return `询问操作员（${decision.question}）。`;
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
  next(decision) {
    const { left, recourse } = decision;
    const list = left.join("、");
    if (recourse === "retry" && decision.attempt < decision.maxAttempts) {
      return `若再次失败：最多尝试 ${decision.maxAttempts} 次，之后依次 ${list}。`;
    }
    return left.length === 0 ? "不再尝试其他办法。" : `若仍无效：依次 ${list}。`;
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
    "wrong-scope": "换到别处也会同样失败",
    "no-target": "没有其他可用目标",
    "no-alternative": "没有可替代的工具",
    "no-reset-time": "不知道何时恢复",
  },
};

const DECISION_WORDS: Readonly<Record<Locale, DecisionWords>> = { "en": EN, "zh-CN": ZH_CN };
