// What is said about a call of a gateway, from its line of the ledger.

import type { Locale } from "../../../core/index.ts";
import { plural } from "./cli-words.ts";

const EN = {
  answeredBy: (target: string) => `${target} answered`,
  attempts: (count: number) => plural(count, "attempt"),
  /** `attempt`: 0 if the target was not asked. */
  at: (target: string, attempt: number) => `${target}, ${attempt === 0 ? "not asked" : `attempt ${attempt}`}`,
  about: (cost: string) => `about ${cost}`,
  noPrice: "no price",
  asked: (key: string, route: string, model: string, dialect: string) =>
    `key ${key} · route ${route} · model ${model} · ${dialect}`,
  leftOut: (fields: readonly string[]) => `left out of the request: ${fields.join(", ")}`,
  /** The title above what was decided. */
  did: "What the gateway did about this call",
  nothingDecided: "Nothing had to be decided.",
};

const ZH: typeof EN = {
  answeredBy: (target) => `${target} 作出回答`,
  attempts: (count) => `${count} 次尝试`,
  at: (target, attempt) => `${target}，${attempt === 0 ? "未询问" : `第 ${attempt} 次尝试`}`,
  about: (cost) => `约 ${cost}`,
  noPrice: "没有价格",
  asked: (key, route, model, dialect) => `密钥 ${key} · 路由 ${route} · 模型 ${model} · ${dialect}`,
  leftOut: (fields) => `请求中略去：${fields.join("、")}`,
  did: "网关对此次调用的处理",
  nothingDecided: "没有需要决定的事。",
};

export const CALL_LINE_WORDS: Readonly<Record<Locale, typeof EN>> = { "en": EN, "zh-CN": ZH };
