// What a person is asked, in their language. Says what happened in the fault's own user words, never in the fault's message,
// which may quote anything.

import { type QuestionKind, traitsOf } from "../fault/catalogue.ts";
import { causeChain, type Fault, type FaultIssue } from "../fault/fault.ts";
import { type Locale, wordsOf } from "../fault/words/words.ts";
import { dollars } from "./money.ts";
import { tryRead } from "../try-read.ts";
import { type Choice, USE } from "./call.ts";
import { type AnswerSchema, endOf, type Question, type QuestionPayload, type SelectOption } from "./interaction.ts";

interface QuestionWords {
  readonly prompts: Readonly<Record<QuestionKind, (tool: string, what: string) => string>>;
  readonly choices: Readonly<Record<Choice, string>>;
  readonly use: (other: string) => string;
  /** Between two sentences. */
  readonly space: string;
  /** What a budget has left; `estimate` is empty when the price is not known. */
  readonly money: (estimate: string, spent: string, limit: string) => string;
  readonly unanswered: Readonly<Record<"no" | "none" | "yes" | "waits", string>>;
}

const WORDS: Readonly<Record<Locale, QuestionWords>> = {
  "en": {
    prompts: {
      "Approve": (tool, what) => `${tool}: ${what} Try it again?`,
      "Ask": (tool, what) => `${tool}: ${what} Which input should it get instead?`,
      "Select": (tool, what) => `${tool}: ${what} What now?`,
      "Confirm": (tool, what) => `${tool}: ${what} Try again?`,
      "Auth.DeviceCode": (tool, what) => `${tool}: ${what} Sign in again, then confirm.`,
    },
    choices: { retry: "Try again now", skip: "Continue without it", fail: "Give up" },
    use: (other) => `Use ${other} instead`,
    space: " ",
    money: (estimate, spent, limit) =>
      `${spent} of ${limit} is spent${estimate === "" ? "" : `, and the next attempt may cost ${estimate}`}.`,
    unanswered: {
      no: "Without an answer in time, it counts as a no.",
      none: "Without an answer in time, none of these is chosen. The step that asks then fails, unless its workflow says where to go after a no.",
      yes: "Without an answer in time, it counts as approved.",
      waits: "It waits until a person answers.",
    },
  },
  "zh-CN": {
    prompts: {
      "Approve": (tool, what) => `${tool}：${what}是否重试？`,
      "Ask": (tool, what) => `${tool}：${what}应改用什么输入？`,
      "Select": (tool, what) => `${tool}：${what}接下来怎么做？`,
      "Confirm": (tool, what) => `${tool}：${what}是否继续并重试？`,
      "Auth.DeviceCode": (tool, what) => `${tool}：${what}请重新登录后确认。`,
    },
    choices: { retry: "立即重试", skip: "跳过并继续", fail: "放弃" },
    use: (other) => `改用 ${other}`,
    space: "",
    money: (estimate, spent, limit) =>
      `上限 ${limit}，已花费 ${spent}${estimate === "" ? "" : `，下一次尝试可能花费 ${estimate}`}。`,
    unanswered: {
      no: "若未及时答复，视为拒绝。",
      none: "若未及时答复，则视为未选择任何一项。提问的步骤随即失败，除非工作流写明了被拒绝后的去向。",
      yes: "若未及时答复，视为批准。",
      waits: "它会一直等到有人答复。",
    },
  },
};

/** What happens when no answer comes, in a sentence. */
export function describeUnanswered(question: Question, locale: Locale): string {
  const { no, none, yes, waits } = WORDS[locale].unanswered;
  if (endOf(question) === null) return waits;
  if (question.payload.onTimeout === "approve") return yes;
  return question.payload.kind === "Select" ? none : no;
}

/** The call that a person is asked about. */
export interface AskedCall {
  readonly tool: string;
  readonly fault: Fault;
  /** JSON Schema of the tool's input; null when none is known. */
  readonly schema: AnswerSchema | null;
  /** Other tools or targets that can do the work, best first. */
  readonly others: readonly string[];
  /** The caller can do without the call. */
  readonly canSkip: boolean;
}

export function payloadFor(kind: QuestionKind, asked: AskedCall, locale: Locale): QuestionPayload {
  const { tool, fault, schema } = asked;
  const words = WORDS[locale];
  const prompt = words.prompts[kind](tool, [wordsOf(fault, locale).user, ...amountsOf(fault, words)].join(words.space));
  switch (kind) {
    case "Approve":
      return { kind, prompt, tool, approvalKey: `${tool}:${fault.code}` };
    case "Ask": {
      const issues = issuesOf(fault);
      return {
        kind,
        prompt,
        field: "input",
        ...(isShort(schema) ? { schema } : {}),
        ...(issues.length === 0 ? {} : { issues }),
      };
    }
    case "Select":
      return { kind, prompt, options: optionsOf(words, asked) };
    case "Confirm":
      return { kind, prompt };
    case "Auth.DeviceCode":
      // Without a page and a code to show, all a person can do is sign in on their own and say so.
      return { kind: "Confirm", prompt };
  }
}

/** The person decides about money, so the question says how much. Only the figures are read from the fault. */
function amountsOf({ code, context }: Fault, words: QuestionWords): readonly string[] {
  const { limit, spent, estimate, ran } = context;
  if (traitsOf(code).cause !== "budget-exceeded" || typeof limit !== "number" || typeof spent !== "number") return [];
  return [
    words.money(
      typeof estimate === "number" && estimate > 0 && ran !== true ? dollars(estimate) : "",
      dollars(spent),
      dollars(limit),
    ),
  ];
}

/** A question is kept and shown: a schema that is longer makes no form that anyone fills in. */
const MAX_SCHEMA_CHARS = 16 * 1024;
const MAX_ISSUES = 10;
const MAX_OTHERS = 20;

function isShort(schema: AnswerSchema | null): schema is AnswerSchema {
  return schema !== null && tryRead(() => JSON.stringify(schema).length <= MAX_SCHEMA_CHARS, false);
}

function issuesOf(fault: Fault): readonly FaultIssue[] {
  return causeChain(fault)
    .flatMap(({ evidence }) => evidence.issues ?? [])
    .slice(0, MAX_ISSUES);
}

/** What lacks a capability lacks it the next time too, so trying again is offered only where there is nothing else. */
function optionsOf(words: QuestionWords, { fault, others, canSkip }: AskedCall): readonly SelectOption[] {
  const isLasting = traitsOf(fault.code).cause === "capability-missing";
  const choices: readonly Choice[] = [
    ...(isLasting && others.length > 0 ? [] : (["retry"] as const)),
    ...(canSkip ? (["skip"] as const) : []),
    "fail",
  ];
  return [
    ...others.slice(0, MAX_OTHERS).map((other) => ({ id: `${USE}${other}`, label: words.use(other) })),
    ...choices.map((id) => ({ id, label: words.choices[id] })),
  ];
}
