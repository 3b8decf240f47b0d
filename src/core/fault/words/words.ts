// The sentences people and models read, per code and language. Faults carry no sentence of their own: core decides
// on codes, surfaces speak. `test/core/fault/words.test.ts` holds that every code has every text in every language.

import type { FaultCode } from "../catalogue.ts";
import type { Fault } from "../fault.ts";
import { EN } from "./en.ts";
import type { FaultWords, Words } from "./fault-words.ts";
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

/** What is said instead when a stream did answer, but more slowly than its route allows: no network needs checking. */
const SLOW_WORDS: Readonly<Record<"en" | "zh-CN", Pick<FaultWords, "title" | "user" | "operator">>> = {
  "en": {
    title: "Answer too slow",
    user: "The answer came too slowly.",
    operator:
      "The stream was slower than the minimum that is set for it, and may be retried; check whether the minimum suits this model, or put a faster target first.",
  },
  "zh-CN": {
    title: "回答过慢",
    user: "回答的速度过慢。",
    operator: "流的速度低于为其设定的下限，可重试；请检查该下限是否适合该模型，或把更快的目标放在前面。",
  },
};

type UnsentWords = Readonly<Partial<Record<FaultCode, Pick<FaultWords, "user" | "model" | "operator">>>>;

/** What is said instead when a request certainly never left: its address could not be reached. */
const UNSENT_WORDS: Readonly<Record<"en" | "zh-CN", UnsentWords>> = {
  "en": {
    NetworkDisconnect: {
      user: "The address of the service could not be reached.",
      model: "The service could not be reached, so the request did not arrive; try again later or use another tool.",
      operator:
        "No connection could be made, may be retried; check the address and port, DNS, proxy, and whether the service runs.",
    },
  },
  "zh-CN": {
    NetworkDisconnect: {
      user: "无法访问服务的地址。",
      model: "无法连接到服务，请求没有送达；请稍后再试，或换用其他工具。",
      operator: "无法建立连接，可重试；请检查地址和端口、DNS、代理，以及服务是否在运行。",
    },
  },
};
