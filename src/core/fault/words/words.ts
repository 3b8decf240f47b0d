// The sentences people and models read, per code and language. Faults carry no sentence of their own: core decides
// on codes, surfaces speak. `test/core/fault/words.test.ts` holds that every code has every text in every language.

import type { FaultCode } from "../catalogue.ts";
import { EN } from "./en.ts";
import { ZH_CN } from "./zh-cn.ts";

export interface FaultWords {
  /** A few words, no full stop: the heading of a problem. */
  readonly title: string;
  /** What happened, one sentence for the person who uses the agent. */
  readonly user: string;
  /** The next step for that person: what to do, or that nothing needs doing. */
  readonly next: string;
  /** One sentence for the model: what failed and how it may react. No internals. */
  readonly model: string;
  /** One line for whoever runs the agent: the cause in technical words and where to look. */
  readonly operator: string;
}

export type Words = Readonly<Record<FaultCode, FaultWords>>;

export const WORDS = { "en": EN, "zh-CN": ZH_CN } as const satisfies Record<string, Words>;

export type Locale = keyof typeof WORDS;
export const LOCALES = Object.freeze(Object.keys(WORDS)) as readonly Locale[];

export function wordsFor(code: FaultCode, locale: Locale): FaultWords {
  return WORDS[locale][code];
}

/** Picks a language we speak for a tag such as `zh`, `zh-Hans-CN` or `en_GB`; English when there is none. */
export function resolveLocale(tag: string): Locale {
  return tag.toLowerCase().startsWith("zh") ? "zh-CN" : "en";
}
