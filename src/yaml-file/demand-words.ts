// What the schemas of files demand of a text, in Chinese, by the English sentence. A test walks the schemas and names the sentences that
// are missing here.

import type { Locale } from "../core/index.ts";

const ZH: Readonly<Record<string, string>> = {
  "must be ASCII letters, digits, dots, dashes and underscores, and begin with a letter or digit":
    "只能由 ASCII 字母、数字、点、短横线和下划线组成，并以字母或数字开头",
  "must be the name of an environment variable": "必须是环境变量的名称",
  "must begin with http:// or https://": "必须以 http:// 或 https:// 开头",
  "must be an address, such as https://api.openai.com/v1": "必须是一个地址，如 https://api.openai.com/v1",
  "must be a SHA-256 in lower-case hex": "必须是小写十六进制的 SHA-256",
  "must be 1 to 128 characters without spaces": "必须是 1 到 128 个字符，且不含空格",
  "must begin with a letter and have only letters, digits, _ and -, 64 at most":
    "必须以字母开头，只含字母、数字、_ 和 -，最多 64 个字符",
  "must be an http or https address": "必须是 http 或 https 地址",
  "must be a number or a range such as 2-4 or 3-": "必须是一个数，或 2-4、3- 这样的范围",
};

const WORDS: Readonly<Record<Locale, Readonly<Record<string, string>>>> = { "en": {}, "zh-CN": ZH };

/** Sentences that a library brings have no translation and stay as they are. */
export function demandInWords(english: string, locale: Locale): string {
  return WORDS[locale][english] ?? english;
}
