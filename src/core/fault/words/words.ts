// The sentences people and models read, per code and language. Faults carry no sentence of their own: core decides
// on codes, surfaces speak. `test/core/fault/words.test.ts` holds that every code has every text in every language.

import type { FaultCode } from "../catalogue.ts";
import type { Fault } from "../fault.ts";
import { EN } from "./en.ts";
import type { FaultWords, Words } from "./fault-words.ts";
import { SLOW_WORDS } from "./slow-words.ts";
import { UNSENT_WORDS } from "./unsent-words.ts";
import { ZH_CN } from "./zh-cn.ts";

const WRITTEN = { "en": EN, "zh-CN": ZH_CN } as const satisfies Record<string, () => Words>;

/** A language that Faultline speaks. */
export type Locale = keyof typeof WRITTEN;
/** The languages that Faultline speaks. */
export const LOCALES = Object.freeze(Object.keys(WRITTEN)) as readonly Locale[];

/** Made on first use: most programs speak one language, and only about faults they meet. */
const MADE: Partial<Record<Locale, Words>> = {};

/** The sentences about a fault code in one language. */
export function wordsFor(code: FaultCode, locale: Locale): FaultWords {
  return wordsIn(locale in WRITTEN ? locale : "en")[code];
}

/** The sentences about a fault: those of its code, and what differs if its request never left, or its stream was too slow. */
export function wordsOf({ code, context }: Pick<Fault, "code" | "context">, locale: Locale): FaultWords {
  const words = wordsFor(code, locale);
  if (context["sent"] === false) return { ...words, ...UNSENT_WORDS[locale][code] };
  return code === "NetworkTimeout" && context["phase"] === "speed" ? { ...words, ...SLOW_WORDS[locale] } : words;
}

export function wordsIn(locale: Locale): Words {
  return (MADE[locale] ??= WRITTEN[locale]());
}

/** Picks a language we speak for a tag such as `zh`, `zh-Hans-CN` or `en_GB`; English when there is none. */
export function resolveLocale(tag: string): Locale {
  return tag.toLowerCase().startsWith("zh") ? "zh-CN" : "en";
}
