// The words of forms.

import { wordTable } from "../../app/words.ts";
import type { Mistake, MistakeKind } from "./draft.ts";

interface FormWords {
  readonly value: string;
  readonly list: string;
  readonly item: (place: number) => string;
  readonly add: string;
  readonly remove: (place: number) => string;
  readonly choose: string;
  readonly yes: string;
  readonly no: string;
  readonly wrong: Readonly<Record<MistakeKind, (limit: number) => string>>;
}

export function mistakeIn({ wrong }: FormWords, { what, limit = 0 }: Mistake): string {
  return wrong[what](limit);
}

export const FORM_WORDS = wordTable<FormWords>({
  "en": {
    value: "Value",
    list: "Items",
    item: (place) => `Item ${place}`,
    add: "Add an item",
    remove: (place) => `Remove item ${place}`,
    choose: "Choose…",
    yes: "Yes",
    no: "No",
    wrong: {
      "missing": () => "This is needed.",
      "not-a-number": () => "Write a number.",
      "not-whole": () => "Write a whole number.",
      "too-small": (limit) => `At least ${limit}.`,
      "too-large": (limit) => `At most ${limit}.`,
      "too-short": (limit) => `At least ${limit} characters.`,
      "too-long": (limit) => `At most ${limit} characters.`,
      "wrong-form": () => "This does not have the expected form.",
      "not-json": () => "This is not valid JSON.",
      "too-few": (limit) => `At least ${limit} items.`,
      "too-many": (limit) => `At most ${limit} items.`,
    },
  },
  "zh-CN": {
    value: "值",
    list: "列表",
    item: (place) => `第 ${place} 项`,
    add: "添加一项",
    remove: (place) => `删除第 ${place} 项`,
    choose: "请选择…",
    yes: "是",
    no: "否",
    wrong: {
      "missing": () => "此项必填。",
      "not-a-number": () => "请输入数字。",
      "not-whole": () => "请输入整数。",
      "too-small": (limit) => `不能小于 ${limit}。`,
      "too-large": (limit) => `不能大于 ${limit}。`,
      "too-short": (limit) => `至少 ${limit} 个字符。`,
      "too-long": (limit) => `最多 ${limit} 个字符。`,
      "wrong-form": () => "格式不符合要求。",
      "not-json": () => "不是有效的 JSON。",
      "too-few": (limit) => `至少 ${limit} 项。`,
      "too-many": (limit) => `最多 ${limit} 项。`,
    },
  },
});
