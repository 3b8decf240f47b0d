// The texts of `faultline init`, in each language.

import { commandLine } from "../program-name.ts";
import type { Locale } from "../../../core/index.ts";

const EN = {
  template: "template",
  about: "description",
  next: "Next:",
  overwritten: "replaced",
  unchanged: "unchanged",
  ignored: (names: string) => `git ignores ${names}`,
  needsTemplate: `Name a template, such as \`${commandLine("init", "team")}\`; \`${commandLine("init", "--list")}\` lists them.`,
  noTemplate: (name: string, near: string | null, known: string) =>
    `There is no template ${JSON.stringify(name)}. ${near === null ? "" : `Did you mean ${near}? `}There are: ${known}.`,
  noVariant: (template: string, near: string | null, known: string) =>
    known === ""
      ? `The template ${template} has no variants: leave out --with.`
      : `--with must be one of: ${known}.${near === null ? "" : ` Did you mean ${near}?`}`,
  inTheWay: (names: string) =>
    `Nothing was written, because these files already exist with other content: ${names}. Choose another folder, or overwrite them with --force.`,
};

const ZH: typeof EN = {
  template: "模板",
  about: "内容",
  next: "下一步：",
  overwritten: "原文件已被覆盖",
  unchanged: "已存在，内容相同",
  ignored: (names) => `git 忽略 ${names}`,
  needsTemplate: `请指定模板，例如 \`${commandLine("init", "team")}\`；\`${commandLine("init", "--list")}\` 列出全部模板。`,
  noTemplate: (name, near, known) =>
    `没有模板 ${JSON.stringify(name)}。${near === null ? "" : `是否指 ${near}？`}可用：${known}。`,
  noVariant: (template, near, known) =>
    known === ""
      ? `模板 ${template} 只有一种形式：请去掉 --with。`
      : `--with 只能是：${known}。${near === null ? "" : `是否指 ${near}？`}`,
  inTheWay: (names) => `没有写入任何文件，因为这些文件已存在且内容不同：${names}。请换一个文件夹，或用 --force 覆盖。`,
};

export const INIT_WORDS: Readonly<Record<Locale, typeof EN>> = { "en": EN, "zh-CN": ZH };
