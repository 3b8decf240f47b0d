// What is said about mistakes in a file, whatever kind of file it is.

import type { Locale } from "../core/index.ts";

type Kind = "array" | "boolean" | "int" | "number" | "object" | "record" | "string" | "null";

/** What can be wrong with the syntax of a file. */
export type SyntaxKind =
  | "repeated-key"
  | "several-documents"
  | "tab"
  | "open-quote"
  | "open-bracket"
  | "stray-bracket"
  | "stray-comma"
  | "missing-comma"
  | "missing-colon"
  | "missing-space"
  | "indent"
  | "list-and-keys"
  | "two-keys"
  | "block-in-brackets"
  | "first-character"
  | "escape"
  | "comment"
  | "text-header"
  | "rest"
  | "other";

const CLOSING: Readonly<Record<string, string>> = { "{": "}", "[": "]" };

const counted = (number: string, one: string, several: string): string => `${number} ${number === "1" ? one : several}`;

const EN = {
  error: "error",
  warning: "warning",
  help: "help",
  theFile: "the file",
  unknownKey: (key: string, where: string) => `unknown key \`${key}\` in ${where}`,
  didYouMean: (near: string) => `did you mean \`${near}\`?`,
  notKnown: "not known here",
  knownHere: (names: readonly string[]) => `Known here: ${names.join(", ")}.`,
  isMissing: (where: string) => `${where} is missing`,
  needs: (field: string) => `needs \`${field}\``,
  add: (line: string) => `Add \`${line}\`.`,
  addKind: (field: string, kind: string) => `Add \`${field}:\` with ${kind}.`,
  cannotBe: (where: string, value: string) => `${where} cannot be ${value}`,
  notAValue: "not a known value",
  noQuotes: "write it without quotes",
  mustBe: (where: string, kind: string) => `${where} must be ${kind}`,
  thisIs: (kind: string) => `this is ${kind}`,
  write: (kind: string) => `Write ${kind}.`,
  writeAs: (kind: string, example: string) => `Write ${kind}: \`${example}\`.`,
  quoteIt: (line: string) => `Put it in quotes: \`${line}\`.`,
  kinds: {
    array: "a list",
    boolean: "true or false",
    int: "a whole number",
    number: "a number",
    object: "a map of keys and values",
    record: "a map of names and values",
    string: "text",
    null: "nothing",
  } satisfies Readonly<Record<Kind, string>>,
  atLeast: {
    entries: (where, least) => `${where} must have at least ${counted(least, "entry", "entries")}`,
    characters: (where, least) => `${where} must have at least ${counted(least, "character", "characters")}`,
    number: (where, least) => `${where} must be at least ${least}`,
  } satisfies Readonly<Record<"entries" | "characters" | "number", (where: string, least: string) => string>>,
  atMost: {
    entries: (where, most) => `${where} must have at most ${counted(most, "entry", "entries")}`,
    characters: (where, most) => `${where} must have at most ${counted(most, "character", "characters")}`,
    number: (where, most) => `${where} must be at most ${most}`,
  } satisfies Readonly<Record<"entries" | "characters" | "number", (where: string, most: string) => string>>,
  empty: "empty",
  tooSmall: "too small",
  tooLarge: "too large",
  invalid: "invalid",
  quotedNumber: (line: string) => `Write it without quotes: \`${line}\`.`,
  digitsOnly: "Write a number in digits, without quotes and without a unit.",
  inMs: (line: string) => `Times are in milliseconds: write \`${line}\`.`,
  /** `article`: the kind of file, in English, such as `a policy`; `name`: `a policy file`. */
  tooLong: (article: string, chars: number, most: number) =>
    `the file has ${chars} characters; ${article} has at most ${most}`,
  checkKind: (name: string) => `Check that this is ${name}.`,
  notText: "the file is not UTF-8 text",
  saveAsText: "Save the file as UTF-8.",
  tooDeep: (levels: number) => `the file nests deeper than ${levels} levels`,
  checkBrackets: "Check its brackets and its indentation.",
  noAnchors: "Write the values out instead of using an anchor.",
  unknownAnchor: (name: string) => `\`*${name}\` repeats an anchor, and no line above sets \`&${name}\``,
  tooManyAliases: "the references to anchors in this file expand to too much",
  badMerge: "`<<` merges a value that is not a map",
  /** `written`: what stands there; `name`: the kind of file, in English. */
  syntax: {
    "repeated-key": () => ["this key is used twice", "Keep one of the two."],
    "several-documents": (_written, name) => [
      `${name} holds one document`,
      "Remove the `---` line, or split it into two files.",
    ],
    "tab": () => ["a tab is used to indent", "YAML indents with spaces only."],
    "open-quote": (quote) => [
      `the text that begins with ${quote} has no ${quote} at its end`,
      "Add the quote where the text ends.",
    ],
    "open-bracket": (bracket) => [
      `this \`${bracket}\` is not closed`,
      `Add \`${CLOSING[bracket] ?? bracket}\` after its last entry.`,
    ],
    "stray-bracket": (bracket) => [
      `this \`${bracket}\` closes nothing`,
      "Remove it, or add the bracket that opens it.",
    ],
    "stray-comma": () => ["there is no entry before this comma", "Remove the comma."],
    "missing-comma": () => ["a comma is missing between two entries", "Separate the entries in brackets with `, `."],
    "missing-colon": (key) => [
      "this line has no `:` after its key",
      `Write \`${key}: \` and the value, or indent the line if it belongs to the line above.`,
    ],
    "missing-space": (pair) => ["there is no space after the `:`", `Write \`${pair.replace(":", ": ")}\`.`],
    "indent": () => [
      "this line is indented differently from the lines it belongs to",
      "Keys of one map, and entries of one list, begin in the same column.",
    ],
    "list-and-keys": () => [
      "list entries and keys are mixed here",
      "Write `- ` before every entry of the list, and indent the list and its entries alike.",
    ],
    "two-keys": () => ["two keys are in one line", "Begin a new line with the second key, or put the value in quotes."],
    "block-in-brackets": () => [
      "an indented list or map is within brackets",
      "Use brackets for all of it, or indentation for all of it.",
    ],
    "first-character": (char) => [`a text without quotes cannot begin with ${char}`, "Put the text in quotes."],
    "escape": (escape) => [
      `\`${escape}\` is not an escape that double quotes know`,
      "Use single quotes, or write two backslashes.",
    ],
    "comment": () => ["there is no space before the `#` of this comment", "Write ` #`, or put the text in quotes."],
    "text-header": () => [
      "there is text in the same line after `|` or `>`",
      "Begin the text in the next line, indented.",
    ],
    "rest": () => ["there is more text after the end of this value", "Put the whole value in one pair of quotes."],
    "other": () => ["this is not valid YAML", "Check the indentation, the quotes and the brackets here."],
  } satisfies Readonly<Record<SyntaxKind, (written: string, name: string) => readonly [message: string, help: string]>>,
};

const THE_FILE = "文件";
/** A path, with the space that follows a name. */
const beside = (where: string): string => (where === THE_FILE ? where : `${where} `);

const ZH_CN: typeof EN = {
  error: "错误",
  warning: "警告",
  help: "提示",
  theFile: THE_FILE,
  unknownKey: (key, where) => `${beside(where)}中有未知的键 \`${key}\``,
  didYouMean: (near) => `是否想写 \`${near}\`？`,
  notKnown: "此处没有这个键",
  knownHere: (names) => `此处可用：${names.map((name) => name.trim()).join("、")}。`,
  isMissing: (where) => `缺少 ${where}`,
  needs: (field) => `需要 \`${field}\``,
  add: (line) => `请加上 \`${line}\`。`,
  addKind: (field, kind) => `请加上 \`${field}:\`，值为${kind}。`,
  cannotBe: (where, value) => `${beside(where)}不能是 ${value}`,
  notAValue: "没有这个值",
  noQuotes: "请去掉引号",
  mustBe: (where, kind) => `${beside(where)}必须是${kind}`,
  thisIs: (kind) => `这里是${kind}`,
  write: (kind) => `请写${kind}。`,
  writeAs: (kind, example) => `请写${kind}：\`${example}\`。`,
  quoteIt: (line) => `请加上引号：\`${line}\`。`,
  kinds: {
    array: "列表",
    boolean: " true 或 false",
    int: "整数",
    number: "数字",
    object: "键值表",
    record: "名称与值的键值表",
    string: "文本",
    null: "空值",
  },
  atLeast: {
    entries: (where, least) => `${beside(where)}至少要有 ${least} 项`,
    characters: (where, least) => `${beside(where)}至少要有 ${least} 个字符`,
    number: (where, least) => `${beside(where)}不能小于 ${least}`,
  },
  atMost: {
    entries: (where, most) => `${beside(where)}最多 ${most} 项`,
    characters: (where, most) => `${beside(where)}最多 ${most} 个字符`,
    number: (where, most) => `${beside(where)}不能大于 ${most}`,
  },
  empty: "为空",
  tooSmall: "太小",
  tooLarge: "太大",
  invalid: "无效",
  quotedNumber: (line) => `请去掉引号：\`${line}\`。`,
  digitsOnly: "请写数字，不加引号，也不加单位。",
  inMs: (line) => `时间以毫秒为单位：请写 \`${line}\`。`,
  tooLong: (_article, chars, most) => `文件有 ${chars} 个字符，最多 ${most} 个`,
  checkKind: () => "请检查文件是否正确。",
  notText: "文件不是 UTF-8 文本",
  saveAsText: "请把文件保存为 UTF-8。",
  tooDeep: (levels) => `文件的嵌套超过 ${levels} 层`,
  checkBrackets: "请检查括号和缩进。",
  noAnchors: "请直接写出这些值，不要使用锚点。",
  unknownAnchor: (name) => `\`*${name}\` 引用了锚点，但前面没有 \`&${name}\``,
  tooManyAliases: "文件中对锚点的引用展开后过大",
  badMerge: "`<<` 合并的不是键值表",
  syntax: {
    "repeated-key": () => ["此键出现了两次", "请保留其中一个。"],
    "several-documents": () => ["文件只能有一个文档", "请删除 `---` 行，或拆成两个文件。"],
    "tab": () => ["缩进使用了制表符", "YAML 只能用空格缩进。"],
    "open-quote": (quote) => [`以 ${quote} 开头的文本末尾没有 ${quote}`, "请在文本末尾补上引号。"],
    "open-bracket": (bracket) => [
      `这个 \`${bracket}\` 没有闭合`,
      `请在最后一项之后加上 \`${CLOSING[bracket] ?? bracket}\`。`,
    ],
    "stray-bracket": (bracket) => [`这个 \`${bracket}\` 没有对应的左括号`, "请删除它，或补上左括号。"],
    "stray-comma": () => ["这个逗号前面没有内容", "请删除这个逗号。"],
    "missing-comma": () => ["两项之间缺少逗号", "请用 `, ` 分隔括号中的各项。"],
    "missing-colon": (key) => ["这一行的键后面没有 `:`", `请写成 \`${key}: \` 加上值；如果它属于上一行，请缩进。`],
    "missing-space": (pair) => ["`:` 后面没有空格", `请写成 \`${pair.replace(":", ": ")}\`。`],
    "indent": () => ["这一行的缩进与它所属的各行不一致", "同一个键值表的键、同一个列表的各项，都从同一列开始。"],
    "list-and-keys": () => ["这里混用了列表项和键", "请在列表的每一项前写 `- `，并使列表及其各项的缩进一致。"],
    "two-keys": () => ["一行中有两个键", "请把第二个键写到下一行，或给值加上引号。"],
    "block-in-brackets": () => ["括号内不能使用按缩进的写法", "请全部用括号，或全部用缩进。"],
    "first-character": (char) => [`不加引号的文本不能以 ${char} 开头`, "请给这个值加上引号。"],
    "escape": (escape) => [`双引号内不能使用转义 \`${escape}\``, "请改用单引号，或写两个反斜杠。"],
    "comment": () => ["注释的 `#` 前面没有空格", "请在 `#` 前加空格，或给文本加上引号。"],
    "text-header": () => ["`|` 或 `>` 后面的同一行中有文字", "请从下一行开始写文本，并缩进。"],
    "rest": () => ["这个值结束后还有内容", "请用一对引号括住整个值。"],
    "other": () => ["这不是有效的 YAML", "请检查这里的缩进、引号和括号。"],
  },
};

export const ISSUE_WORDS: Readonly<Record<Locale, typeof EN>> = { "en": EN, "zh-CN": ZH_CN };
