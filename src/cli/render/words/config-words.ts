// What `faultline config` says.

import type { Locale } from "../../../core/index.ts";
import type { Origin } from "../../config/settings.ts";

const EN = {
  head: ["setting", "value", "from"],
  isSet: "set",
  notSet: "not set",
  origins: {
    flag: (name) => name,
    variable: (name) => `the variable ${name}`,
    file: (name) => name,
    default: () => "default",
  } satisfies Readonly<Record<Origin["kind"], (name: string) => string>>,
};

const ZH: typeof EN = {
  head: ["设置", "值", "来源"],
  isSet: "已设置",
  notSet: "未设置",
  origins: {
    flag: (name) => name,
    variable: (name) => `变量 ${name}`,
    file: (name) => name,
    default: () => "默认",
  },
};

export const CONFIG_WORDS: Readonly<Record<Locale, typeof EN>> = { "en": EN, "zh-CN": ZH };
