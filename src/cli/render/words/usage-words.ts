// Says the usage errors of commander in plain words, and translates them, as commander speaks English only. Sentences are matched by
// their words; an unknown one stays as it is.

import type { Locale } from "../../../core/index.ts";
import { nearest } from "../../../options/nearest.ts";

/** A sentence and its translation; `$1` is what the user typed. Each row ends with a real example. */
type Row = readonly [english: RegExp, other: string];

// prettier-ignore
const ZH: readonly Row[] = [
  [/unknown command ('.*')/,                                    "未知命令 $1"], //                  unknown command 'clasify'
  [/unknown option ('.*')/,                                     "未知选项 $1"], //                  unknown option '--lst'
  [/\(Did you mean (?:one of )?(.+)\?\)/,                       "（是否想用 $1？）"], //            (Did you mean one of check, show?)
  [/missing required argument ('.*')/,                          "缺少参数 $1"], //                  missing required argument 'file'
  [/option ('.*') argument missing/,                            "选项 $1 缺少值"], //               option '--status <number>' argument missing
  [/required option ('.*') not specified/,                      "必须给出选项 $1"], //              required option '--older-than <time>' not specified
  [/command-argument value ('.*') is invalid for argument ('.*')\./, "参数 $2 的值 $1 无效。"], //      command-argument value 'bsh' is invalid for argument 'shell'.
  [/option ('.*') argument ('.*') is invalid\./,                "选项 $1 的值 $2 无效。"], //       option '--preset <name>' argument 'x' is invalid.
  [/ Allowed choices are (.+)\./,                               "可选：$1。"], //                   Allowed choices are default, cautious.
  [/option ('.*') cannot be used with option ('.*')/,           "选项 $1 不能与选项 $2 同时使用"], // option '--preset <name>' cannot be used with option '--policy <file>'
  [/too many arguments.*\. Expected (\d+) .* but got (\d+): (.*)\./, "参数过多：应为 $1 个，给了 $2 个：$3。"], // too many arguments for 'tour'. Expected 0 arguments but got 2: a, b.
  [/Run (`.*`) for usage\./,                                    "用法见 $1。"], //                  Run `faultline tour --help` for usage.
];

const EN: readonly Row[] = [
  [
    /command-argument value ('.*') is invalid for argument '(.*)'\. Allowed choices are (.+)\./,
    "$1 is not a known $2. Choose one of $3.",
  ],
];

const WORDS: Readonly<Record<Locale, readonly Row[]>> = { "en": EN, "zh-CN": ZH };

/** Commander guesses commands and options, but not values. */
export function withMeantValue(text: string): string {
  const [, word, choices = ""] =
    /(?:argument|value) '([^']*)' is invalid.*?Allowed choices are (.+)\./.exec(text) ?? [];
  const meant = word === undefined ? null : nearest(word, choices.split(", "));
  return meant === null ? text : `${text.trimEnd()}\n(Did you mean ${meant}?)\n`;
}

export function usageInWords(text: string, locale: Locale): string {
  return WORDS[locale].reduce((told, [english, other]) => told.replace(english, other), text);
}
