// What the reader of the command line says of a wrong call, in the language of the person. It speaks English only, so its
// sentences are known by their words; one that is not known stays as it is.

import type { Locale } from "../../../core/index.ts";

/** A sentence and what it is in the other language; `$1` is what was typed. The example in each row is what really comes. */
type Row = readonly [english: RegExp, other: string];

// prettier-ignore
const ZH: readonly Row[] = [
  [/unknown command ('.*')/,                                    "未知命令 $1"], //                  unknown command 'clasify'
  [/unknown option ('.*')/,                                     "未知选项 $1"], //                  unknown option '--lst'
  [/\(Did you mean (?:one of )?(.+)\?\)/,                       "（是否想用 $1？）"], //            (Did you mean one of check, show?)
  [/missing required argument ('.*')/,                          "缺少参数 $1"], //                  missing required argument 'file'
  [/option ('.*') argument missing/,                            "选项 $1 缺少值"], //               option '--status <number>' argument missing
  [/required option ('.*') not specified/,                      "必须给出选项 $1"], //              required option '--older-than <time>' not specified
  [/option ('.*') argument ('.*') is invalid\./,                "选项 $1 的值 $2 无效。"], //       option '--preset <name>' argument 'x' is invalid.
  [/ Allowed choices are (.+)\./,                               "可选：$1。"], //                   Allowed choices are default, cautious.
  [/option ('.*') cannot be used with option ('.*')/,           "选项 $1 不能与选项 $2 同时使用"], // option '--preset <name>' cannot be used with option '--policy <file>'
  [/too many arguments.*\. Expected (\d+) .* but got (\d+): (.*)\./, "参数过多：应为 $1 个，给了 $2 个：$3。"], // too many arguments for 'tour'. Expected 0 arguments but got 2: a, b.
  [/Run (`.*`) to see how it is used\./,                        "用法见 $1。"], //                  Run `faultline tour --help` to see how it is used.
];

const WORDS: Readonly<Record<Locale, readonly Row[]>> = { "en": [], "zh-CN": ZH };

export function usageInWords(text: string, locale: Locale): string {
  return WORDS[locale].reduce((told, [english, other]) => told.replace(english, other), text);
}
