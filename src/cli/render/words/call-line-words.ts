// What is said about a call of a gateway, from its line of the ledger.

import type { Locale } from "../../../core/index.ts";
import { plural } from "./cli-words.ts";

interface CallLineWords {
  readonly answeredBy: (target: string) => string;
  readonly attempts: (count: number) => string;
  /** `attempt`: 0 if the target was not asked. */
  readonly at: (target: string, attempt: number) => string;
  readonly about: (cost: string) => string;
  readonly noPrice: string;
  readonly asked: (key: string, route: string, model: string, dialect: string) => string;
  readonly leftOut: (fields: readonly string[]) => string;
  /** The title above what was decided. */
  readonly did: string;
  readonly nothingDecided: string;
}

export const CALL_LINE_WORDS: Readonly<Record<Locale, CallLineWords>> = {
  "en": {
    answeredBy: (target) => `${target} answered`,
    attempts: (count) => plural(count, "attempt"),
    at: (target, attempt) => `${target}, ${attempt === 0 ? "not asked" : `attempt ${attempt}`}`,
    about: (cost) => `about ${cost}`,
    noPrice: "no price",
    asked: (key, route, model, dialect) => `key ${key} · route ${route} · model ${model} · ${dialect}`,
    leftOut: (fields) => `left out of the request: ${fields.join(", ")}`,
    did: "What the gateway did about this call",
    nothingDecided: "Nothing had to be decided.",
  },
  "zh-CN": {
    answeredBy: (target) => `${target} 作出回答`,
    attempts: (count) => `${count} 次尝试`,
    at: (target, attempt) => `${target}，${attempt === 0 ? "未询问" : `第 ${attempt} 次尝试`}`,
    about: (cost) => `约 ${cost}`,
    noPrice: "没有价格",
    asked: (key, route, model, dialect) => `密钥 ${key} · 路由 ${route} · 模型 ${model} · ${dialect}`,
    leftOut: (fields) => `请求中略去：${fields.join("、")}`,
    did: "网关对此次调用的处理",
    nothingDecided: "没有需要决定的事。",
  },
};
