// Where a Chinese sentence has spaces: around names in other letters, and nowhere else.

import { expect, it } from "vitest";
import { joinChinese } from "../../src/core/punctuation.ts";

it.each([
  ["运行 ", "失败", " 了", "运行失败了"],
  ["运行 ", "claude", " 了", "运行 claude 了"],
  ["run ", "失败", " now", "run 失败 now"],
  ["运行 ", "失败", " now", "运行失败 now"],
  ["run ", "失败", " 了", "run 失败了"],
  ["运行： ", "“失败”", " 。", "运行：“失败”。"],
  ["运行 ", "失败 once", " 了", "运行失败 once 了"],
  ["运行 ", "once 失败", " 了", "运行 once 失败了"],
  ["运行", "claude", "了", "运行claude了"],
  ["", "失败", "", "失败"],
])("%j, %j and %j are %j", (before, part, after, joined) => {
  expect(joinChinese(before, part, after)).toBe(joined);
});
