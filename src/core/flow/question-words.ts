// What a person is asked, in their language. Says what happened in the fault's own user words, never in the fault's message,
// which may quote anything.

import type { QuestionKind } from "../fault/catalogue.ts";
import type { Fault } from "../fault/fault.ts";
import { type Locale, wordsFor } from "../fault/words/words.ts";
import type { Choice } from "./call.ts";
import type { QuestionPayload, SelectOption } from "./interaction.ts";

interface QuestionWords {
  readonly prompts: Readonly<Record<QuestionKind, (tool: string, what: string) => string>>;
  readonly choices: Readonly<Record<Choice, string>>;
}

const WORDS: Readonly<Record<Locale, QuestionWords>> = {
  "en": {
    prompts: {
      "Approve": (tool, what) => `${tool}: ${what} Try it again?`,
      "Ask": (tool, what) => `${tool}: ${what} Which input should it get instead?`,
      "Select": (tool, what) => `${tool}: ${what} What now?`,
      "Confirm": (tool, what) => `${tool}: ${what} Go on and try again?`,
      "Auth.DeviceCode": (tool, what) => `${tool}: ${what} Sign in again, then confirm.`,
    },
    choices: { retry: "Try again now", skip: "Go on without it", fail: "Give up" },
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
  },
};

/** `canSkip`: the caller can do without the call. */
export function payloadFor(
  kind: QuestionKind,
  tool: string,
  fault: Fault,
  canSkip: boolean,
  locale: Locale,
): QuestionPayload {
  const words = WORDS[locale];
  const prompt = words.prompts[kind](tool, wordsFor(fault.code, locale).user);
  switch (kind) {
    case "Approve":
      return { kind, prompt, tool, approvalKey: `${tool}:${fault.code}` };
    case "Ask":
      return { kind, prompt, field: "input" };
    case "Select":
      return { kind, prompt, options: optionsOf(words, canSkip) };
    case "Confirm":
      return { kind, prompt };
    case "Auth.DeviceCode":
      // Without a page and a code to show, all a person can do is sign in on their own and say so.
      return { kind: "Confirm", prompt };
  }
}

function optionsOf({ choices }: QuestionWords, canSkip: boolean): readonly SelectOption[] {
  const ids: readonly Choice[] = canSkip ? ["retry", "skip", "fail"] : ["retry", "fail"];
  return ids.map((id) => ({ id, label: choices[id] }));
}
