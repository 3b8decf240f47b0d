// The punctuation between parts that code puts together, per language. Chinese has full-width signs, and no space beside them.

import type { Locale } from "./fault/words/words.ts";

interface Punctuation {
  /** Between a label and what it labels. */
  readonly colon: string;
  readonly semicolon: string;
  /** Between the entries of a list. */
  readonly comma: string;
  /** Between two sentences that end with their own sign. */
  readonly gap: string;
  readonly sentence: (text: string) => string;
  readonly bracketed: (text: string, inside: string) => string;
}

export const PUNCTUATION: Readonly<Record<Locale, Punctuation>> = {
  "en": {
    colon: ": ",
    semicolon: "; ",
    comma: ", ",
    gap: " ",
    sentence: (text) => `${text}.`,
    bracketed: (text, inside) => `${text} (${inside})`,
  },
  "zh-CN": {
    colon: "：",
    semicolon: "；",
    comma: "、",
    gap: "",
    sentence: (text) => `${text}。`,
    bracketed: (text, inside) => `${text}（${inside}）`,
  },
};

const WIDE_END = /[\p{Script=Han}，。：；、！？（）“”]$/u;
const WIDE_START = /^[\p{Script=Han}，。：；、！？（）“”]/u;

/** Puts a Chinese part into a Chinese sentence: without the spaces that would stand around a name. */
export function joinChinese(before: string, part: string, after: string): string {
  const [left, right] = [before.trimEnd(), after.trimStart()];
  const begins = WIDE_END.test(left) && WIDE_START.test(part) ? left : before;
  const ends = WIDE_END.test(part) && WIDE_START.test(right) ? right : after;
  return `${begins}${part}${ends}`;
}
