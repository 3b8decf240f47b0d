// The words of each action in the operator's language: its name, its purpose, what is redone and what is kept.
// `test/core/flow/action-words.test.ts` holds that every action has every text in every language.

import type { Locale } from "../fault/words/words.ts";

/** What an operator can do; the ids are stable, as programs and pages send them. */
// prettier-ignore
export const ACTION_IDS = [
  "answer", "continue-discussion", "retry-now", "retry-stage", "sign-in-again", "grant-and-retry", "raise-limit", "regenerate-once",
  "shorten-context", "send-back", "edit-and-retry", "switch-provider", "accept-partial", "resume", "cancel",
] as const;
/** The name of what an operator can do about a run. */
export type ActionId = (typeof ACTION_IDS)[number];

/** What the sentences are filled with, read off the state of the run. */
export interface ActionFacts {
  /** The node the action is about; empty for the whole run. */
  readonly node: string;
  /** The attempt that would come. */
  readonly attempt: number;
  /** Where the work goes back to; empty when it does not. */
  readonly backTo: string;
  /** Nodes that are finished, each once. */
  readonly finished: readonly string[];
  /** A new run takes over, because this one has ended. */
  readonly isSuccessor: boolean;
  /** Who failed, by the operator's own name; empty when the fault does not say. */
  readonly target: string;
  /** The environment variable that its key was looked for in; empty when the fault does not say. */
  readonly variable: string;
}

export interface ActionWords {
  readonly label: string;
  /** One sentence. */
  readonly explains: (facts: ActionFacts) => string;
  /** When it is offered: a column of the documented table. */
  readonly when: string;
  readonly redoes: (facts: ActionFacts) => string;
  readonly keeps: (facts: ActionFacts) => string;
}

export function actionWords(id: ActionId, locale: Locale): ActionWords {
  return WORDS[locale][id];
}

/** More names than these make no sentence. */
const MAX_NAMES = 6;

/** What is done again is not kept. */
function without(node: string, facts: ActionFacts): ActionFacts {
  return { ...facts, finished: facts.finished.filter((name) => name !== node) };
}

const again = ({ node, attempt, isSuccessor }: ActionFacts): string =>
  isSuccessor ? `Runs ${node} again from its beginning, in a new run.` : `Runs ${node} again, as attempt ${attempt}.`;
const againWith =
  (what: string) =>
  ({ node, attempt, isSuccessor }: ActionFacts): string =>
    `Runs ${node} again with ${what}, ${isSuccessor ? "in a new run" : `as attempt ${attempt}`}.`;
const kept = ({ finished, isSuccessor }: ActionFacts): string => {
  const run = isSuccessor ? " This run stays as it is, so you can inspect it." : "";
  if (finished.length === 0) return `No node is finished yet.${run}`;
  const more = finished.length > MAX_NAMES ? ` and ${finished.length - MAX_NAMES} more` : "";
  return `Keeps the finished nodes: ${finished.slice(0, MAX_NAMES).join(", ")}${more}.${run}`;
};
const nothing = (): string => "Repeats nothing.";

const EN: Readonly<Record<ActionId, ActionWords>> = {
  "answer": {
    label: "Answer",
    explains: () => "Answers the open question; the run continues from there.",
    when: "a question or a gate is open",
    redoes: nothing,
    keeps: kept,
  },
  "continue-discussion": {
    label: "Continue the discussion",
    explains: () => "Answers the gate with a comment and sends the participants into another round.",
    when: "a gate offers the option `continue`",
    redoes: ({ node }) => `Starts another round after ${node}, with your comment.`,
    keeps: kept,
  },
  "retry-now": {
    label: "Retry now",
    explains: () => "Retries now instead of at the planned time.",
    when: "a node waits for a time",
    redoes: again,
    keeps: kept,
  },
  "retry-stage": {
    label: "Retry this stage",
    explains: () => "Retries the stage unchanged. Use it when the cause has passed or is fixed.",
    when: "the fault passes by itself, or you can fix it outside: network, timeout, rate limit, overload, a missing program, a failed test",
    redoes: again,
    keeps: kept,
  },
  "sign-in-again": {
    label: "Retry after signing in",
    explains: ({ target, variable }) =>
      `First sign in or set a valid key${target === "" ? "" : ` for ${target}`}${variable === "" ? "" : ` in ${variable}`}. This action only retries the stage; it does not sign in for you.`,
    when: "a provider refused the credential",
    redoes: again,
    keeps: kept,
  },
  "grant-and-retry": {
    label: "Grant and retry",
    explains: () => "Allows what was refused, for this run only, and retries the stage.",
    when: "a tool or a command was refused",
    redoes: again,
    keeps: kept,
  },
  "raise-limit": {
    label: "Raise the limit",
    explains: () => "Sets a higher limit of cost, time, nodes or rounds for this run, and continues.",
    when: "a limit of cost, time or rounds was reached",
    redoes: again,
    keeps: kept,
  },
  "regenerate-once": {
    label: "Generate the answer again",
    explains: () => "Tells the model what was wrong with its answer and asks again.",
    when: "an answer had the wrong form, was cut or was empty",
    redoes: again,
    keeps: kept,
  },
  "shorten-context": {
    label: "Shorten the context and retry",
    explains: () => "Puts less of the earlier work into the prompt, so that it fits the model.",
    when: "the prompt is too long for the model",
    redoes: again,
    keeps: kept,
  },
  "send-back": {
    label: "Send back",
    explains: () => "Gives the work back to the node that made it, with the findings.",
    when: "a test failed, an approval was refused, or a reviewer or tester gave an unusable answer, and there is a node to send it back to",
    redoes: ({ node, backTo }) => `Runs ${backTo} again and then goes the same way to ${node}.`,
    keeps: (facts) => kept(without(facts.backTo, facts)),
  },
  "edit-and-retry": {
    label: "Edit and retry",
    explains: () => "Replaces the prompt of the stage, or its commands, with your text and retries.",
    when: "the same request would fail the same way",
    redoes: againWith("your text"),
    keeps: kept,
  },
  "switch-provider": {
    label: "Switch provider and retry",
    explains: () => "Retries the stage with another model or agent that you choose.",
    when: "another provider could help, and the node has one",
    redoes: againWith("the chosen provider"),
    keeps: kept,
  },
  "accept-partial": {
    label: "Accept what is there",
    explains: () => "Uses what the failed stage had produced as its result and continues.",
    when: "the failed node has left part of an output",
    redoes: nothing,
    keeps: (facts) => `Keeps what ${facts.node} had produced. ${kept(facts)}`,
  },
  "resume": {
    label: "Resume",
    explains: () => "Continues the run where it stopped, unless another process works on it.",
    when: "the run is paused, or was interrupted",
    redoes: () => "Continues the interrupted work; finished calls are not repeated.",
    keeps: kept,
  },
  "cancel": {
    label: "Cancel",
    explains: () => "Stops the run for good.",
    when: "the run is not over",
    redoes: nothing,
    keeps: kept,
  },
};

const zhAgain = ({ node, attempt, isSuccessor }: ActionFacts): string =>
  isSuccessor ? `在新的运行中从头重新执行 ${node}。` : `重新执行 ${node}（第 ${attempt} 次尝试）。`;
const zhAgainWith =
  (what: string) =>
  ({ node, attempt, isSuccessor }: ActionFacts): string =>
    isSuccessor ? `在新的运行中用${what}重新执行 ${node}。` : `用${what}重新执行 ${node}（第 ${attempt} 次尝试）。`;
const zhKept = ({ finished, isSuccessor }: ActionFacts): string => {
  const run = isSuccessor ? "此运行保持原样，可随时查看。" : "";
  if (finished.length === 0) return `尚无已完成的节点，没有需要保留的结果。${run}`;
  const more = finished.length > MAX_NAMES ? ` 等 ${finished.length} 个节点` : "";
  return `保留已完成的结果：${finished.slice(0, MAX_NAMES).join("、")}${more}。${run}`;
};
const zhNothing = (): string => "不会重做任何工作。";

const ZH_CN: Readonly<Record<ActionId, ActionWords>> = {
  "answer": {
    label: "回答问题",
    explains: () => "回答运行正在等待的问题，随后从该处继续。",
    when: "有待回答的问题或待确认的关卡",
    redoes: zhNothing,
    keeps: zhKept,
  },
  "continue-discussion": {
    label: "继续讨论",
    explains: () => "附上意见答复关卡，让参与者再讨论一轮。",
    when: "关卡提供 `continue` 选项",
    redoes: ({ node }) => `从 ${node} 带着您的意见进入下一轮。`,
    keeps: zhKept,
  },
  "retry-now": {
    label: "立即重试",
    explains: () => "不再等到预定的重试时间，马上重试。",
    when: "节点正在等待某个时间",
    redoes: zhAgain,
    keeps: zhKept,
  },
  "retry-stage": {
    label: "重试当前阶段",
    explains: () => "在障碍消失或修复之后，按原样重新执行该阶段。",
    when: "故障会自行消失或可在外部修复：网络、超时、限流、过载、缺少程序、测试失败",
    redoes: zhAgain,
    keeps: zhKept,
  },
  "sign-in-again": {
    label: "登录后重试",
    explains: ({ target, variable }) =>
      `请先${target === "" ? "" : `为 ${target} `}重新登录，或${variable === "" ? "填入" : `在 ${variable} 中填入`}有效的密钥。此操作只会重试该阶段，不会代为登录。`,
    when: "服务拒绝了凭证",
    redoes: zhAgain,
    keeps: zhKept,
  },
  "grant-and-retry": {
    label: "授权并重试",
    explains: () => "仅在本次运行中允许被拒绝的操作，并重试该阶段。",
    when: "某个工具或命令被拒绝",
    redoes: zhAgain,
    keeps: zhKept,
  },
  "raise-limit": {
    label: "提高上限",
    explains: () => "为本次运行提高费用、时间、节点数或尝试次数的上限，然后继续。",
    when: "达到费用、时间或轮次上限",
    redoes: zhAgain,
    keeps: zhKept,
  },
  "regenerate-once": {
    label: "重新生成一次",
    explains: () => "告诉模型上次的回答错在哪里，再生成一次。",
    when: "回答格式错误、被截断或为空",
    redoes: zhAgain,
    keeps: zhKept,
  },
  "shorten-context": {
    label: "缩短上下文并重试",
    explains: () => "减少提示词中先前工作的内容，使其适合模型的长度。",
    when: "提示词超出模型的长度",
    redoes: zhAgain,
    keeps: zhKept,
  },
  "send-back": {
    label: "退回修改",
    explains: () => "把工作连同发现的问题退回给完成它的节点。",
    when: "测试失败，或评审、测试的输出不可用，且有可退回的节点",
    redoes: ({ node, backTo }) => `重新执行 ${backTo}，再按原路径走到 ${node}。`,
    keeps: (facts) => zhKept(without(facts.backTo, facts)),
  },
  "edit-and-retry": {
    label: "修改后重试",
    explains: () => "用您的文字替换该阶段的提示词或命令，然后重试。",
    when: "同样的请求仍会以同样的方式失败",
    redoes: zhAgainWith("您的文字"),
    keeps: zhKept,
  },
  "switch-provider": {
    label: "切换 Provider 重试",
    explains: () => "用您选择的另一个模型或智能体重试该阶段。",
    when: "换一个服务商可能成功，且该节点有备选",
    redoes: zhAgainWith("所选的服务商"),
    keeps: zhKept,
  },
  "accept-partial": {
    label: "接受已有结果",
    explains: () => "把失败阶段已产生的输出当作结果，继续往下走。",
    when: "失败的节点留下了部分输出",
    redoes: zhNothing,
    keeps: (facts) => `保留 ${facts.node} 已产生的输出。${zhKept(facts)}`,
  },
  "resume": {
    label: "恢复运行",
    explains: () => "如果没有人在执行，就从当前位置继续运行。",
    when: "运行已暂停或被中断",
    redoes: () => "继续已开始的工作；已完成的调用不会重做。",
    keeps: zhKept,
  },
  "cancel": {
    label: "取消运行",
    explains: () => "彻底停止本次运行。",
    when: "运行尚未结束",
    redoes: zhNothing,
    keeps: zhKept,
  },
};

const WORDS: Readonly<Record<Locale, Readonly<Record<ActionId, ActionWords>>>> = { "en": EN, "zh-CN": ZH_CN };
