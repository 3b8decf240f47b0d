// Every code speaks to every audience in every language, and never with words that do not belong in front of them.

import { describe, expect, it } from "vitest";
import { FAULT_CODES } from "../../../src/core/fault/catalogue.ts";
import { LOCALES, resolveLocale, wordsFor, wordsIn } from "../../../src/core/fault/words/words.ts";

describe.each(LOCALES)("words in %s", (locale) => {
  it("has a row for each code and no row for anything else", () => {
    expect(Object.keys(wordsIn(locale))).toEqual([...FAULT_CODES]);
  });

  it.each(FAULT_CODES)("%s has every text, in sentences", (code) => {
    const { title, ...sentences } = wordsFor(code, locale);
    expect(title).toMatch(/^\S.{0,60}[^.。]$/u);
    for (const [audience, text] of Object.entries(sentences)) {
      expect(text.length, audience).toBeGreaterThan(5);
      expect(text.length, audience).toBeLessThan(260);
      expect(text, audience).toMatch(locale === "zh-CN" ? /[。；]$/u : /\.$/u);
    }
  });

  it.each(FAULT_CODES)("%s shows model and user no internals", (code) => {
    const { model, user, next } = wordsFor(code, locale);
    for (const text of [model, user, next]) expect(text).not.toMatch(/stack|stderr|errno|\bat \/|ECONN|https?:/i);
  });

  it("says something of its own for each code", () => {
    const stories = FAULT_CODES.map((code) => JSON.stringify(wordsFor(code, locale)));
    expect(new Set(stories).size).toBe(FAULT_CODES.length);
  });
});

it("speaks Chinese in Chinese", () => {
  for (const code of FAULT_CODES)
    for (const text of Object.values(wordsFor(code, "zh-CN"))) expect(text).toMatch(/\p{Script=Han}/u);
});

it("says what the matrix tells operators to say", () => {
  expect(wordsFor("NetworkDisconnect", "zh-CN").operator).toContain("网络断流，可重试");
  expect(wordsFor("AuthFailed", "zh-CN").operator).toContain("鉴权失败，检查 token");
  expect(wordsFor("SchemaInvalid", "zh-CN").operator).toContain("评审输出格式错误");
  expect(wordsFor("SchemaInvalid", "zh-CN").operator).toContain("测试输出格式错误");
});

it.each([
  ["zh", "zh-CN"],
  ["zh-Hans-CN", "zh-CN"],
  ["zh_CN.UTF-8", "zh-CN"],
  ["en_GB.UTF-8", "en"],
  ["C", "en"],
  ["", "en"],
])("picks a language for %j", (tag, locale) => {
  expect(resolveLocale(tag)).toBe(locale);
});
