// The tour's provider stop: reads a stream through `fl.fetch` from the fault-injecting provider on loopback.

import { startChaos } from "../../chaos/start-chaos.ts";
import { explain, type Locale } from "../../core/index.ts";
import { createFaultline, type Entry } from "../../index.ts";
import type { DemoTurn } from "./live-turn.ts";

const WORDS = {
  "en": {
    title: "And a model: a provider on loopback that fails on demand (faultline chaos)",
    worked: "streamed the whole answer",
    message: "The caller saw one answer and none of the failures:",
  },
  "zh-CN": {
    title: "模型调用：本机上按需出错的服务（faultline chaos）",
    worked: "完整流式返回了答案",
    message: "调用方只看到一个答案，没有看到任何失败：",
  },
} as const satisfies Record<Locale, Record<string, string>>;

/** Matches the text parts of an OpenAI stream. */
const DELTA = /"content":"((?:[^"\\]|\\.)*)"/g;

export async function liveProvider(locale: Locale): Promise<DemoTurn> {
  const words = WORDS[locale];
  const chaos = await startChaos();
  const fl = createFaultline({ locale });
  try {
    // Short waits of 300 ms keep the tour moving.
    chaos.script([{ "fault": "rate-limit-ms", "retry-after": 0.3 }, "error-first-event"]);
    const fetch = fl.fetch({ provider: "openai" });
    const response = await fetch(`${chaos.openaiUrl}/chat/completions`, {
      method: "POST",
      body: JSON.stringify({ model: "gpt-5", stream: true, messages: [{ role: "user", content: "Where is Lisbon?" }] }),
    });
    const text = Array.from((await response.text()).matchAll(DELTA), ([, delta]) => delta).join("");
    const lines = fl.recent().flatMap((entry) => lineOf(entry, words.worked, locale));
    return { title: words.title, lines, message: `${words.message} ${text}` };
  } finally {
    await chaos.close();
    await fl.close();
  }
}

function lineOf({ event }: Entry, worked: string, locale: Locale): DemoTurn["lines"] {
  if (event.type === "call-failed") {
    return [{ tool: event.tool, met: event.fault.code, did: explain(event.decision, locale).what }];
  }
  return event.type === "call-succeeded" ? [{ tool: event.tool, met: "", did: worked }] : [];
}
