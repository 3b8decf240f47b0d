// What was decided about a call of a gateway, in a word. A gateway hands an error to its client, where a program hands it to its model.

import { recourseWord } from "../../core/decide/explain.ts";
import type { Locale } from "../../core/fault/words/words.ts";

const TO_CLIENT: Readonly<Record<Locale, string>> = { "en": "told the client", "zh-CN": "交给客户端" };

export function gatewayRecourse(recourse: string, locale: Locale): string {
  return recourse === "surface" ? TO_CLIENT[locale] : recourseWord(recourse, locale);
}
