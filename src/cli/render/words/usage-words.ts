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
  [/ ?It must be a port from 0 to 65535\./,                        "必须是 0 到 65535 之间的端口。"], // It must be a port from 0 to 65535.
  [/ ?It must be a whole number, 0 or more\./,                     "必须是不小于 0 的整数。"], //      It must be a whole number, 0 or more.
  [/ ?It must be a whole number from (\d+) up\./,                  "必须是不小于 $1 的整数。"], //     It must be a whole number from 1 up.
  [/ ?It must be a whole number from (\d+) to (\d+)\./,            "必须是 $1 到 $2 之间的整数。"], // It must be a whole number from 1 to 100.
  [/ ?It must be a whole number\./,                                "必须是整数。"], //                It must be a whole number.
  [/ ?It must be a status from 100 to 599\./,                      "必须是 100 到 599 之间的状态码。"], // It must be a status from 100 to 599.
  [/ ?Write it as "name: value"\./,                                "请写成 `名称: 值`。"], //          Write it as "name: value".
  [/ ?It must be a number of seconds, more than 0 and less than 1000\./, "必须是大于 0、小于 1000 的秒数。"], // It must be a number of seconds, more than 0 and less than 1000.
  [/ ?It must be a time with its unit(?:, up to (\w+))?: (.+)\./,  "必须是带单位的时间，如 $2。"], //  It must be a time with its unit: 500ms, 90s.
  [/ ?It must be an amount in dollars, e\.g\. 5 or 0\.50\./,       "必须是美元金额，如 5 或 0.50。"], // It must be an amount in dollars, e.g. 5 or 0.50.
  [/ ?It must be host:port, e\.g\. (\S+)\./,                      "必须是 `主机:端口`，如 $1。"], //    It must be host:port, e.g. 0.0.0.0:9080.
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
  return WORDS[locale].reduce((translated, [english, other]) => translated.replace(english, other), text);
}
