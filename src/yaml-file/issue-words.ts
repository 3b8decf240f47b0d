// What is said about mistakes in a file, whatever kind of file it is.

import type { Locale } from "../core/index.ts";

type Kind = "array" | "boolean" | "int" | "number" | "object" | "string" | "null";

interface IssueWords {
  readonly error: string;
  readonly warning: string;
  readonly help: string;
  readonly theFile: string;
  readonly unknownKey: (key: string, where: string) => string;
  readonly didYouMean: (near: string) => string;
  readonly notKnown: string;
  readonly knownHere: (names: string) => string;
  readonly isMissing: (where: string) => string;
  readonly needs: (field: string) => string;
  readonly add: (line: string) => string;
  readonly addKind: (field: string, kind: string) => string;
  readonly cannotBe: (where: string, value: string) => string;
  readonly notAValue: string;
  readonly noQuotes: string;
  readonly mustBe: (where: string, kind: string) => string;
  readonly thisIs: (kind: string) => string;
  readonly write: (kind: string) => string;
  readonly kinds: Readonly<Record<Kind, string>>;
  readonly atLeast: Readonly<Record<"entries" | "characters" | "number", (where: string, least: string) => string>>;
  readonly atMost: Readonly<Record<"entries" | "characters" | "number", (where: string, most: string) => string>>;
  readonly empty: string;
  readonly tooSmall: string;
  readonly tooLarge: string;
  readonly invalid: string;
  readonly quotedNumber: (line: string) => string;
  readonly digitsOnly: string;
  readonly inMs: (line: string) => string;
  /** `article`: the kind of file, in English, such as `a policy`; `name`: `a policy file`. */
  readonly tooLong: (article: string, chars: number, most: number) => string;
  readonly checkKind: (name: string) => string;
  readonly notText: string;
  readonly saveAsText: string;
  readonly tooDeep: (levels: number) => string;
  readonly checkBrackets: string;
  readonly checkHere: string;
  readonly noAnchors: string;
  readonly badReference: (said: string) => string;
  readonly oneDocument: (name: string) => string;
  readonly splitIt: string;
  /** By the YAML parser's code. */
  readonly syntax: Readonly<Record<string, readonly [message: string, help: string]>>;
  /** For its other codes; what the parser says is English. */
  readonly otherSyntax: (said: string, code: string) => string;
}

const EN: IssueWords = {
  error: "error",
  warning: "warning",
  help: "help",
  theFile: "the file",
  unknownKey: (key, where) => `unknown key \`${key}\` in ${where}`,
  didYouMean: (near) => `did you mean \`${near}\`?`,
  notKnown: "not known here",
  knownHere: (names) => `Known here: ${names}.`,
  isMissing: (where) => `${where} is missing`,
  needs: (field) => `needs \`${field}\``,
  add: (line) => `Add \`${line}\`.`,
  addKind: (field, kind) => `Add \`${field}:\` with ${kind}.`,
  cannotBe: (where, value) => `${where} cannot be ${value}`,
  notAValue: "not a known value",
  noQuotes: "write it without quotes",
  mustBe: (where, kind) => `${where} must be ${kind}`,
  thisIs: (kind) => `this is ${kind}`,
  write: (kind) => `Write ${kind}.`,
  kinds: {
    array: "a list",
    boolean: "true or false",
    int: "a whole number",
    number: "a number",
    object: "a map of keys and values",
    string: "text",
    null: "nothing",
  },
  atLeast: {
    entries: (where, least) => `${where} must have at least ${least} entry`,
    characters: (where, least) => `${where} must have at least ${least} characters`,
    number: (where, least) => `${where} must be at least ${least}`,
  },
  atMost: {
    entries: (where, most) => `${where} must have at most ${most} entries`,
    characters: (where, most) => `${where} must have at most ${most} characters`,
    number: (where, most) => `${where} must be at most ${most}`,
  },
  empty: "empty",
  tooSmall: "too small",
  tooLarge: "too large",
  invalid: "invalid",
  quotedNumber: (line) => `Write it without quotes: \`${line}\`.`,
  digitsOnly: "Write a number in digits, without quotes and without a unit.",
  inMs: (line) => `Times are in milliseconds: write \`${line}\`.`,
  tooLong: (article, chars, most) => `the file has ${chars} characters; ${article} has at most ${most}`,
  checkKind: (name) => `Check that this is ${name}.`,
  notText: "the file is not UTF-8 text",
  saveAsText: "Save the file as UTF-8.",
  tooDeep: (levels) => `the file nests deeper than ${levels} levels`,
  checkBrackets: "Check its brackets and its indentation.",
  checkHere: "Check the indentation and the quotes here.",
  noAnchors: "Write the values out instead of using an anchor.",
  badReference: (said) => said,
  oneDocument: (name) => `${name} holds one document`,
  splitIt: "Remove the `---` line, or split it into two files.",
  syntax: {
    DUPLICATE_KEY: ["this key is used twice", "Keep one of the two."],
    TAB_AS_INDENT: ["a tab is used to indent", "YAML indents with spaces only."],
  },
  otherSyntax: (said) => said,
};

const INDENT = "请检查这里的缩进和引号。";

const ZH_CN: IssueWords = {
  error: "错误",
  warning: "警告",
  help: "提示",
  theFile: "文件",
  unknownKey: (key, where) => `${where} 中有未知的键 \`${key}\``,
  didYouMean: (near) => `是否想写 \`${near}\`？`,
  notKnown: "此处没有这个键",
  knownHere: (names) => `此处可用：${names}。`,
  isMissing: (where) => `缺少 ${where}`,
  needs: (field) => `需要 \`${field}\``,
  add: (line) => `请加上 \`${line}\`。`,
  addKind: (field, kind) => `请加上 \`${field}:\`，值为${kind}。`,
  cannotBe: (where, value) => `${where} 不能是 ${value}`,
  notAValue: "没有这个值",
  noQuotes: "请去掉引号",
  mustBe: (where, kind) => `${where} 必须是${kind}`,
  thisIs: (kind) => `这里是${kind}`,
  write: (kind) => `请写${kind}。`,
  kinds: {
    array: "列表",
    boolean: " true 或 false",
    int: "整数",
    number: "数字",
    object: "键值表",
    string: "文本",
    null: "空值",
  },
  atLeast: {
    entries: (where, least) => `${where} 至少要有 ${least} 项`,
    characters: (where, least) => `${where} 至少要有 ${least} 个字符`,
    number: (where, least) => `${where} 不能小于 ${least}`,
  },
  atMost: {
    entries: (where, most) => `${where} 最多 ${most} 项`,
    characters: (where, most) => `${where} 最多 ${most} 个字符`,
    number: (where, most) => `${where} 不能大于 ${most}`,
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
  checkHere: INDENT,
  noAnchors: "请直接写出这些值，不要使用锚点。",
  badReference: () => "引用没有定义，或展开后过大",
  oneDocument: () => "文件只能有一个文档",
  splitIt: "请删除 `---` 行，或拆成两个文件。",
  syntax: {
    DUPLICATE_KEY: ["此键出现了两次", "请保留其中一个。"],
    TAB_AS_INDENT: ["缩进使用了制表符", "YAML 只能用空格缩进。"],
    BAD_INDENT: ["缩进不正确", INDENT],
    MISSING_CHAR: ["缺少字符，如引号、括号或冒号", INDENT],
    UNEXPECTED_TOKEN: ["此处的内容出乎意料", INDENT],
    BAD_ALIAS: ["引用写错了", "请直接写出值，不要使用锚点。"],
    BAD_DQ_ESCAPE: ["双引号内有无效的转义", "请改用单引号，或写两个反斜杠。"],
    BAD_SCALAR_START: ["值不能以这个字符开头", "请给这个值加上引号。"],
    BLOCK_AS_IMPLICIT_KEY: ["一行中有两个键", "请把第二个键写到下一行。"],
    BLOCK_IN_FLOW: ["括号内不能使用按缩进的写法", "请全部用括号，或全部用缩进。"],
  },
  otherSyntax: (_said, code) => `YAML 语法错误（${code}）`,
};

export const ISSUE_WORDS: Readonly<Record<Locale, IssueWords>> = { "en": EN, "zh-CN": ZH_CN };
