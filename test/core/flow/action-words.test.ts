// Every action has every text in every language, and the sentences say what the state says.

import { describe, expect, it } from "vitest";
import { LOCALES } from "../../../src/core/index.ts";
import { ACTION_IDS, type ActionFacts, actionWords } from "../../../src/core/flow/action-words.ts";

const FACTS: ActionFacts = {
  node: "reviewer",
  attempt: 3,
  backTo: "coder",
  finished: ["coder"],
  isSuccessor: false,
  target: "west/gpt-5",
  variable: "WEST_API_KEY",
};
const ALL = LOCALES.flatMap((locale) => ACTION_IDS.map((id) => [locale, id] as const));

describe("the words of actions", () => {
  it.each(ALL)("are all there: %s %s", (locale, id) => {
    const { label, explains, when, redoes, keeps } = actionWords(id, locale);
    const stop = locale === "en" ? "." : "。";
    for (const facts of [FACTS, { ...FACTS, isSuccessor: true }, { ...FACTS, finished: [] }]) {
      for (const sentence of [explains(facts), redoes(facts), keeps(facts)]) {
        expect(sentence.length).toBeGreaterThan(5);
        expect(sentence.endsWith(stop), sentence).toBe(true);
        expect(sentence).not.toMatch(/undefined|null|\$\{/);
      }
    }
    for (const short of [label, when]) expect(short).not.toMatch(/[.。]$/);
    if (locale === "zh-CN") for (const text of [label, explains(FACTS), when]) expect(text).toMatch(/\p{Script=Han}/u);
  });

  it("differ from action to action", () => {
    for (const locale of LOCALES) {
      expect(new Set(ACTION_IDS.map((id) => actionWords(id, locale).label)).size).toBe(ACTION_IDS.length);
      expect(new Set(ACTION_IDS.map((id) => actionWords(id, locale).explains(FACTS))).size).toBe(ACTION_IDS.length);
    }
  });

  it("name the node, the attempt and what is kept, and no more names than one can read", () => {
    const finished = Array.from({ length: 8 }, (_none, index) => `n${index + 1}`);
    const retry = (locale: "en" | "zh-CN") => actionWords("retry-stage", locale);
    expect(retry("en").redoes(FACTS)).toBe("Runs reviewer again, as attempt 3.");
    expect(retry("en").keeps({ ...FACTS, finished })).toBe(
      "Keeps the finished nodes: n1, n2, n3, n4, n5, n6 and 2 more.",
    );
    expect(retry("zh-CN").redoes(FACTS)).toBe("重新执行 reviewer（第 3 次尝试）。");
    expect(retry("zh-CN").keeps({ ...FACTS, finished })).toBe("保留已完成的结果：n1、n2、n3、n4、n5、n6 等 8 个节点。");
  });

  it("do not promise to keep what is sent back", () => {
    for (const locale of LOCALES) expect(actionWords("send-back", locale).keeps(FACTS)).not.toContain("coder");
  });

  it("of a refused key name its target and its variable, and say that the action does not sign in", () => {
    const { explains } = actionWords("sign-in-again", "en");
    expect(explains(FACTS)).toBe(
      "First sign in or set a valid key for west/gpt-5 in WEST_API_KEY. This action only retries the stage; it does not sign in for you.",
    );
    expect(explains({ ...FACTS, target: "", variable: "" })).toMatch(/^First sign in or set a valid key\. /);
  });
});
